#include "codegen/compile/nvrtc_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace tw {
namespace {

// Newest first. Anything before 12 lacks architectures that the families are written for.
constexpr std::array<const char*, 3> kLibraryNames = {"libnvrtc.so.13", "libnvrtc.so.12",
                                                      "libnvrtc.so"};

// Name of the first required function that the library lacks; null when complete.
const char* ResolveAll(void* library, NvrtcApi* api) {
  const char* missing = nullptr;
  const auto resolve = [library](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library, name));
    return *function != nullptr;
  };
  const auto require = [&](const char* name, auto* function) {
    if (!resolve(name, function) && missing == nullptr)
      missing = name;
  };
  require("nvrtcVersion", &api->version);
  require("nvrtcGetErrorString", &api->error_string);
  require("nvrtcGetNumSupportedArchs", &api->supported_arch_count);
  require("nvrtcGetSupportedArchs", &api->supported_archs);
  require("nvrtcCreateProgram", &api->create_program);
  require("nvrtcDestroyProgram", &api->destroy_program);
  require("nvrtcCompileProgram", &api->compile_program);
  require("nvrtcGetCUBINSize", &api->cubin_size);
  require("nvrtcGetCUBIN", &api->cubin);
  require("nvrtcGetProgramLogSize", &api->log_size);
  require("nvrtcGetProgramLog", &api->log);
  // Optional: older libraries lack it.
  resolve("nvrtcSetFlowCallback", &api->set_flow_callback);
  return missing;
}

struct Attempt {
  void* library = nullptr;
  std::string error;
};

Attempt TryOpen(const std::string& file) {
  Attempt attempt;
  attempt.library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (attempt.library == nullptr) {
    const char* why = dlerror();
    attempt.error = why == nullptr ? file + ": cannot be loaded" : why;
  }
  return attempt;
}

Status NotFound(const NvrtcSearch& search, const std::string& error) {
  constexpr const char* kHint =
      "install NVRTC of CUDA 12.0 or newer (part of the CUDA toolkit; no GPU or driver is needed)";
  if (!search.file.empty())
    return {StatusCode::kUnavailable, "NVRTC: " + error + "; " + kHint};
  std::string places;
  for (const std::string& directory : search.named)
    places += directory + ", ";
  places += "the loader's path";
  for (const std::string& directory : search.directories)
    places += ", " + directory;
  return {StatusCode::kUnavailable,
          "NVRTC: found neither libnvrtc.so.13, libnvrtc.so.12 nor libnvrtc.so in " + places +
              "; " + kHint + " or name its directory"};
}

// NVRTC opens its second library by name when it first compiles, which finds it on the loader's
// path only. Loaded already, it is found by that name wherever it lies; where it is missing, the
// compilation says so.
void LoadBuiltinsBeside(const std::string& file, const NvrtcApi& api) {
  const std::size_t slash = file.rfind('/');
  int major = 0, minor = 0;
  if (slash == std::string::npos || api.version(&major, &minor) != kNvrtcSuccess)
    return;
  std::string builtins = file.substr(0, slash);
  builtins.append("/libnvrtc-builtins.so.").append(std::to_string(major));
  builtins.append(".").append(std::to_string(minor));
  dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<NvrtcApi> LoadNvrtc(const NvrtcSearch& search) {
  std::string error;
  for (const std::string& file : FilesToTry(search, kLibraryNames)) {
    const Attempt attempt = TryOpen(file);
    if (attempt.library == nullptr) {
      error = attempt.error;
      continue;
    }
    NvrtcApi api;
    if (const char* missing = ResolveAll(attempt.library, &api); missing != nullptr) {
      dlclose(attempt.library);
      return Status(StatusCode::kUnavailable, "NVRTC: " + file + " lacks " + missing);
    }
    LoadBuiltinsBeside(file, api);
    api.file = file;
    return api;
  }
  return NotFound(search, error);
}

std::string VersionOf(const NvrtcApi& api) {
  int major = 0, minor = 0;
  api.version(&major, &minor);
  return "nvrtc " + std::to_string(major) + "." + std::to_string(minor);
}

Status CheckTargets(const NvrtcApi& api, std::string_view arch) {
  int count = 0;
  bool told = api.supported_arch_count(&count) == kNvrtcSuccess && count > 0;
  std::vector<int> numbers(static_cast<std::size_t>(std::max(count, 0)));
  told = told && api.supported_archs(numbers.data()) == kNvrtcSuccess;
  if (!told)
    return {StatusCode::kInternal, VersionOf(api) + " does not tell its architectures"};
  if (arch.substr(0, 3) != "sm_") {
    return {StatusCode::kInvalidArgument,
            "arch '" + std::string(arch) + "': name a real architecture, such as sm_90a"};
  }
  const std::string_view generation = arch.substr(0, arch.find_last_of("0123456789") + 1);
  for (const int number : numbers) {
    if (generation == "sm_" + std::to_string(number))
      return {};
  }
  return {StatusCode::kUnavailable, "arch '" + std::string(arch) + "': " + VersionOf(api) +
                                        " compiles for sm_" + std::to_string(numbers.front()) +
                                        " to sm_" + std::to_string(numbers.back()) +
                                        "; install a CUDA toolkit that knows this architecture"};
}

}  // namespace tw

#if defined(__SANITIZE_ADDRESS__)
// NVRTC's front end calls strlen on a buffer whose end it knows otherwise (seen with 13.0).
extern "C" const char* __asan_default_suppressions() {
  return "interceptor_via_lib:libnvrtc\n";
}
#endif
