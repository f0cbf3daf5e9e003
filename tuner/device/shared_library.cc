// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/shared_library.h"

#include <dlfcn.h>

namespace tw {

Result<void*> OpenSharedLibrary(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr)
    return handle;
  const char* reason = dlerror();
  return Status(StatusCode::kUnavailable,
                library + " cannot be loaded: " + (reason != nullptr ? reason : "unknown reason"));
}

void* FindSymbol(void* library, const char* symbol) {
  return dlsym(library, symbol);
}

}  // namespace tw
