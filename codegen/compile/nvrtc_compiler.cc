#include "codegen/compile/nvrtc_compiler.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

#include "codegen/compile/ptxas_log.h"

namespace tw {
namespace {

// One option each: ptxas refuses a list.
constexpr std::array<const char*, 2> kReportOptions = {"--ptxas-options=-v",
                                                       "--ptxas-options=--warn-on-spills"};

// NVRTC compiles on the calling thread only (seen with 12 and 13), so this is all its work.
double ThreadCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

class Program {
 public:
  explicit Program(const NvrtcApi& api) : api_(api) {}

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  ~Program() {
    if (handle_ != nullptr)
      api_.destroy_program(&handle_);
  }

  int Create(const KernelSource& source) {
    const std::string name = source.entry + ".cu";
    return api_.create_program(&handle_, source.text.c_str(), name.c_str(), 0, nullptr, nullptr);
  }

  int Compile(const KernelSource& source) {
    const std::string arch = "--gpu-architecture=" + source.arch;
    std::vector<const char*> options = {arch.c_str()};
    for (const std::string& option : source.options)
      options.push_back(option.c_str());
    for (const char* option : kReportOptions) {
      if (std::find(source.options.begin(), source.options.end(), option) == source.options.end())
        options.push_back(option);
    }
    return api_.compile_program(handle_, static_cast<int>(options.size()), options.data());
  }

  // Empty where NVRTC has none.
  [[nodiscard]] std::string Log() const {
    std::size_t size = 0;
    if (api_.log_size(handle_, &size) != kNvrtcSuccess || size <= 1)
      return {};
    std::string text(size, '\0');
    if (api_.log(handle_, text.data()) != kNvrtcSuccess)
      return {};
    text.resize(size - 1);  // the terminating zero
    return text;
  }

  // Empty where there is none.
  [[nodiscard]] std::string Cubin() const {
    std::size_t size = 0;
    if (api_.cubin_size(handle_, &size) != kNvrtcSuccess || size == 0)
      return {};
    std::string bytes(size, '\0');
    if (api_.cubin(handle_, bytes.data()) != kNvrtcSuccess)
      return {};
    return bytes;
  }

  // Requires: `stop` outlives the compilation.
  void CancelOn(std::stop_token* stop) {
    if (api_.set_flow_callback == nullptr)
      return;
    const NvrtcFlowCallback callback = [](void* payload, NvrtcProgram) {
      return static_cast<std::stop_token*>(payload)->stop_requested() ? 1 : 0;
    };
    // Refused: the compilation cannot be interrupted, as with a library that lacks the call.
    static_cast<void>(api_.set_flow_callback(handle_, callback, stop));
  }

 private:
  const NvrtcApi& api_;
  NvrtcProgram handle_ = nullptr;
};

StatusCode CodeOf(int nvrtc) {
  switch (nvrtc) {
    case kNvrtcOutOfMemory:
      return StatusCode::kResourceExhausted;
    case kNvrtcInvalidInput:
    case kNvrtcInvalidOption:
    case kNvrtcCompilation:
      return StatusCode::kInvalidArgument;
    case kNvrtcCancelled:
      return StatusCode::kCancelled;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

NvrtcCompiler::NvrtcCompiler(NvrtcApi api) : api_(std::move(api)), version_(VersionOf(api_)) {}

Result<CompiledKernel> NvrtcCompiler::Compile(const KernelSource& source, std::stop_token stop) {
  if (stop.stop_requested())
    return Status(StatusCode::kCancelled, source.entry + ": compilation stopped");
  if (Status status = CheckTargets(api_, source.arch); !status.ok())
    return status;
  const double begin = ThreadCpuSeconds();
  Program program(api_);
  if (const int code = program.Create(source); code != kNvrtcSuccess) {
    return Status(CodeOf(code), source.entry + ": " + version_ + ": " + api_.error_string(code));
  }
  program.CancelOn(&stop);
  const int code = program.Compile(source);
  const std::string log = program.Log();
  if (code == kNvrtcCancelled)
    return Status(StatusCode::kCancelled, source.entry + ": compilation stopped");
  if (code != kNvrtcSuccess) {
    return Status(CodeOf(code), TrimLog(source.entry + " for " + source.arch + ": " + version_ +
                                            ": " + api_.error_string(code) + "\n" + log,
                                        kMaxLogBytes));
  }
  PtxasReport report = ParsePtxasLog(log);
  CompiledKernel kernel{.arch = source.arch,
                        .cubin = program.Cubin(),
                        .entries = std::move(report.entries),
                        .warnings = std::move(report.warnings),
                        .compiler = version_,
                        .compile_seconds = ThreadCpuSeconds() - begin};
  if (kernel.cubin.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  source.entry + ": no machine code for " + source.arch +
                      ": name a real architecture (sm_90a), not a virtual one");
  }
  return kernel;
}

int NvrtcCompiler::Parallelism() const {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace tw
