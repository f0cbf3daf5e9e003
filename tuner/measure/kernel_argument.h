// The one argument of a candidate's kernel, as KernelLaunch describes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/device/device.h"
#include "tw/params.h"

namespace tw {

// GemmParams, and where there are maps the padding and the maps of what params' pointers point to.
// An error names the map: its recipe breaks a rule for that address, or the driver is too old.
Result<std::vector<std::byte>> KernelArgument(Device& device,
                                              std::span<const TensorMapRecipe> maps,
                                              const GemmParams& params);

}  // namespace tw
