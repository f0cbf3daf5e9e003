// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/registry.h"

#include <array>

namespace tw {

namespace {

constexpr std::array<const KernelFamily*, 0> kFamilies{};

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
