// A configuration in the width of a table's cell. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tw::cli {

// "mma_sync:tile_m=128,tile_n=64,tile_k=32,warp_m=64,warp_n=32,stages=4,group_m=8,split_k=1" ->
// "mma_sync 128x64x32 warp 64x32 s4 g8". Sizes that belong together are joined, counts of 1 and
// switches that are off are left out; a knob that this build does not know is written in full.
std::string ShortConfig(std::string_view config);

}  // namespace tw::cli
