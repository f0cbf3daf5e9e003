// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cublaslt_api.h"

#include <array>

#include "tuner/device/shared_library.h"

namespace tw {
namespace {

// Newest first. Versions before 12 lack algorithms for the architectures in question.
constexpr std::array<const char*, 2> kLibraryNames = {"libcublasLt.so.13", "libcublasLt.so.12"};

std::string_view NameOf(int code) {
  switch (code) {
    case kCublasNotInitialized:
      return "not initialized";
    case kCublasAllocFailed:
      return "allocation failed";
    case kCublasInvalidValue:
      return "invalid value";
    case kCublasArchMismatch:
      return "architecture mismatch";
    case kCublasMappingError:
      return "mapping error";
    case kCublasExecutionFailed:
      return "execution failed";
    case kCublasInternalError:
      return "internal error";
    case kCublasNotSupported:
      return "not supported";
    default:
      return "unknown";
  }
}

StatusCode CodeOf(int code) {
  switch (code) {
    case kCublasAllocFailed:
      return StatusCode::kResourceExhausted;
    case kCublasNotSupported:
      return StatusCode::kUnimplemented;
    case kCublasNotInitialized:
    case kCublasArchMismatch:
      return StatusCode::kUnavailable;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

Result<CublasLtApi> BindCublasLt(const SymbolLookup& lookup) {
  CublasLtApi api;
  const char* missing = nullptr;
#define TW_CUBLASLT_FUNCTION(member, symbol, ...)                      \
  if (missing == nullptr && !BindFunction(api.member, lookup(symbol))) \
    missing = symbol;
#include "tuner/device/cublaslt_api.def"
#undef TW_CUBLASLT_FUNCTION
  if (missing != nullptr) {
    return Status(StatusCode::kUnavailable,
                  std::string("cuBLASLt lacks ") + missing + ": 12.0 or later is needed");
  }
  return api;
}

Result<CublasLtApi> LoadCublasLt(const CublasLtSearch& search) {
  std::string tried;
  for (const std::string& file : FilesToTry(search, kLibraryNames)) {
    const auto library = OpenSharedLibrary(file);
    if (!library.ok()) {
      tried.append(tried.empty() ? "" : ", ").append(file);
      continue;
    }
    void* handle = *library;
    return BindCublasLt([handle](const char* symbol) { return FindSymbol(handle, symbol); });
  }
  return Status(StatusCode::kUnavailable, "cuBLASLt cannot be loaded; tried " + tried);
}

Status CublasStatus(std::string_view what, int code) {
  if (code == kCublasSuccess)
    return OkStatus();
  return {CodeOf(code), std::string(what) + ": cuBLAS status " + std::to_string(code) + " (" +
                            std::string(NameOf(code)) + ")"};
}

Result<std::string> CublasLtVersion(const CublasLtApi& api) {
  std::string version = "cublaslt ";
  for (const int part : {0, 1, 2}) {  // libraryPropertyType: major, minor, patch level
    int value = 0;
    TW_RETURN_IF_ERROR(CublasStatus("cublasLtGetProperty", api.property(part, &value)));
    version.append(part == 0 ? "" : ".").append(std::to_string(value));
  }
  return version;
}

}  // namespace tw
