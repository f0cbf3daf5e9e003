// Bulk tensor copies of the running thread: they happen some time after it has issued them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tests/templates/emulation/machine.h"
#include "tw/tensor_map.h"

namespace tw::emulation {

using BoxCorner = std::array<std::int64_t, 3>;

// Into the blocks of the cluster whose bits are set; 0: into this one.
struct BulkLoad {
  std::uint32_t shared, barrier;
  const TensorMap* map;
  int rank;  // of the map, says the instruction
  BoxCorner at;
  std::uint32_t blocks;
};

void TmaPrefetch(const TensorMap& map);
void TmaLoadBox(const BulkLoad& load);
void TmaStoreBox(const TensorMap& map, int rank, std::uint32_t shared, const BoxCorner& at);
void TmaCommitStores();
void TmaWaitStoresRead(int pending);
void ProxyFence();

}  // namespace tw::emulation
