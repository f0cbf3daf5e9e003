// What a tensor map of the TMA may be. Pure, so that a bad recipe has a name before the driver, or
// where there is none, refuses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codegen/core/candidate.h"
#include "codegen/core/status.h"

namespace tw {

// CUtensorMap: opaque, 128 bytes.
using TensorMapBytes = std::array<std::byte, 128>;

// "a", "b", "d".
std::string_view Name(MapOperand operand);
std::optional<MapOperand> ParseMapOperand(std::string_view name);

// Rank, swizzle and L2 promotion are values that exist. InvalidArgument: "FIELD = VALUE: RULE".
Status CheckTensorMapForm(const TensorMapRecipe& recipe);

// All rules of cuTensorMapEncodeTiled (cuda.h of CUDA 13.0) for a map of what lies at `address`;
// the form first. InvalidArgument: "tensor map of OPERAND: FIELD = VALUE: RULE".
Status CheckTensorMap(const TensorMapRecipe& recipe, std::uint64_t address);

}  // namespace tw
