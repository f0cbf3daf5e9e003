// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "codegen/core/activation.h"

namespace tw::testing {

// None for half of all draws, else any row of the registry.
inline std::string AnyActivation(std::uint64_t draw) {
  const auto all = AllActivations();
  return std::string(draw % 2 == 0 ? all.front().name : all[draw / 2 % all.size()].name);
}

}  // namespace tw::testing
