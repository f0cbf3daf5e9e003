// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/registry.h"

#include <array>

#include "codegen/families/mma_sync.h"
#include "codegen/families/simt.h"
#include "codegen/families/wgmma_tma.h"

namespace tw {

namespace {

constexpr std::array kFamilies{&kWgmmaTmaFamily, &kMmaSyncFamily, &kSimtFamily};

}  // namespace

std::span<const KernelFamily* const> AllFamilies() {
  return kFamilies;
}

const KernelFamily* FindFamily(std::string_view name) {
  for (const KernelFamily* family : AllFamilies()) {
    if (family->name == name)
      return family;
  }
  return nullptr;
}

}  // namespace tw
