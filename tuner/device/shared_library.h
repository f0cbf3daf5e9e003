// dlopen and typed symbols.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "codegen/core/status.h"

namespace tw {

// A handle for dlsym, never closed. Unavailable carries the loader's message.
Result<void*> OpenSharedLibrary(const std::string& library);

void* FindSymbol(void* library, const char* symbol);

// Points `slot` at the function at `address`; false for nullptr.
template <class... Args>
bool BindFunction(std::function<int(Args...)>& slot, void* address) {
  if (address == nullptr)
    return false;
  slot = reinterpret_cast<int (*)(Args...)>(address);
  return true;
}

}  // namespace tw
