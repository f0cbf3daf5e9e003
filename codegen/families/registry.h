// The explicit list of kernel families.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "codegen/families/family.h"

namespace tw {

std::span<const KernelFamily* const> AllFamilies();

// nullptr where unknown.
const KernelFamily* FindFamily(std::string_view name);

}  // namespace tw
