// What a block and its threads have besides their fibers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/templates/emulation/faults.h"
#include "tests/templates/emulation/mbarrier.h"
#include "tests/templates/emulation/named_barrier.h"
#include "tests/templates/emulation/register_pool.h"
#include "tests/templates/emulation/shared_memory.h"
#include "tests/templates/emulation/wgmma.h"

namespace tw::emulation {

constexpr std::size_t kWarp = 32;
constexpr std::size_t kNamedBarriers = 16;

// Of cp.async.
struct PendingCopy {
  std::uint32_t shared;
  const void* global;
  int bytes, valid;
};

struct Thread {
  // Of cp.async: since the last commit; committed.
  std::vector<PendingCopy> open;
  std::vector<std::vector<PendingCopy>> groups;
  // Of bulk stores: how many have not read shared memory yet. Events hold them too.
  std::shared_ptr<int> open_stores;
  std::vector<std::shared_ptr<int>> store_groups;
  WaitList stores_read;
  // Proxy fences executed, and how many of them before its last arrival at a barrier.
  std::uint32_t fences = 0, published = 0;
  InstructionCounts counts{};
  // What it last saw of a counter in global memory.
  const unsigned* polled = nullptr;
  unsigned seen = 0;
};

struct Warp {
  std::size_t arrived = 0;
  std::array<void*, kWarp> operands{};
  WaitList waiting;
};

struct Block {
  unsigned index = 0;  // blockIdx
  unsigned rank = 0;   // in the cluster
  std::size_t live = 0;
  int copies_in_flight = 0;
  SharedMemory shared;
  std::vector<Warp> warps;
  std::array<NamedBarrier, kNamedBarriers> barriers;
  std::map<std::size_t, Mbarrier> mbarriers;  // by offset
  std::unique_ptr<RegisterPool> registers;
  std::vector<WarpgroupProducts> products;
};

struct Cluster {
  std::size_t arrived = 0;
  WaitList waiting;
};

}  // namespace tw::emulation
