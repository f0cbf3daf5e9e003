// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/driver_api.h"

#include "tuner/device/shared_library.h"

namespace tw {

Result<DriverApi> BindDriverApi(const SymbolLookup& lookup) {
  DriverApi api;
  const char* missing = nullptr;
#define TW_DRIVER_FUNCTION(member, symbol, ...)                        \
  if (missing == nullptr && !BindFunction(api.member, lookup(symbol))) \
    missing = symbol;
#define TW_DRIVER_OPTIONAL(member, symbol, ...) \
  static_cast<void>(BindFunction(api.member, lookup(symbol)));
#include "tuner/device/driver_api.def"
#undef TW_DRIVER_FUNCTION
  if (missing != nullptr) {
    return Status(StatusCode::kUnavailable, std::string("the CUDA driver lacks ") + missing +
                                                ": it is too old, 12.0 or later is needed");
  }
  return api;
}

Result<DriverApi> LoadDriverApi(const std::string& library) {
  TW_ASSIGN_OR_RETURN(void* handle, OpenSharedLibrary(library));
  return BindDriverApi([handle](const char* symbol) { return FindSymbol(handle, symbol); });
}

}  // namespace tw
