// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/tma.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tests/templates/emulation/barriers.h"
#include "tests/templates/emulation/tensor_map.h"
#include "tw/swizzle.h"

namespace tw::emulation {

namespace {

// What a bulk store writes whole, in bytes along a line: the hardware (an H200) does not cut the
// last unit of a line at the tensor's extent. Loads do end at the element.
constexpr std::int64_t kStoreUnit = 16;

// One box: its place in the tensor and in shared memory.
struct Box {
  TensorMapShape map;
  BoxCorner at{};
  std::uint32_t window = 0;  // address within the window, for the swizzle
  std::size_t offset = 0;    // in dynamic shared memory

  [[nodiscard]] std::size_t LineBytes() const {
    return static_cast<std::size_t>(map.box[0] * map.element_bytes);
  }

  [[nodiscard]] std::size_t Bytes() const {
    return LineBytes() * static_cast<std::size_t>(map.box[1] * map.box[2]);
  }

  // Offset from the box's first byte.
  [[nodiscard]] std::size_t Swizzled(std::size_t byte) const {
    const int bits = map.swizzle_bytes == 128 ? 3 : (map.swizzle_bytes == 64 ? 2 : 1);
    if (map.swizzle_bytes == 0)
      return byte;
    return SwizzleAddress(window + static_cast<std::uint32_t>(byte), bits) - window;
  }
};

// Decodes and checks what both directions have in common; empty where nothing is wrong.
std::string Decode(const TensorMap& map, int rank, std::uint32_t shared, Box& box) {
  if (!DecodeTensorMap(map, box.map))
    return "a bulk copy by something that is no tensor map";
  if (box.map.rank != rank)
    return "a bulk copy of rank " + std::to_string(rank) + " by a map of rank " +
           std::to_string(box.map.rank);
  if (rank == 2)
    box.at[2] = 0;
  const std::uint32_t align = box.map.swizzle_bytes == 128 ? 1024 : 128;
  if (shared % align != 0)
    return "a bulk copy at shared address " + std::to_string(shared) + ", not a multiple of " +
           std::to_string(align);
  box.window = shared & ((1U << kRankShift) - 1);
  box.offset = Current().OffsetOf(shared);
  if (Current().block().shared.At(box.offset, box.Bytes(), 1) == nullptr)
    return "a bulk copy of " + std::to_string(box.Bytes()) + " bytes at shared address " +
           std::to_string(shared);
  const auto& barriers = Current().block().mbarriers;
  const auto next = barriers.lower_bound(box.offset);
  if (next != barriers.end() && next->first < box.offset + box.Bytes())
    return "a bulk copy over an mbarrier";
  return {};
}

// Calls `copy(global, byte of the box, bytes)` for each run of bytes inside of the tensor, where
// lines are whole units of `unit` bytes.
template <class Copy>
void VisitInside(const Box& box, std::int64_t unit, Copy copy) {
  const TensorMapShape& map = box.map;
  const std::int64_t at = box.at[0] * map.element_bytes;
  const std::int64_t extent = (map.dims[0] * map.element_bytes + unit - 1) / unit * unit;
  const std::int64_t first = std::max<std::int64_t>(at, 0);
  const std::int64_t end = std::min(at + static_cast<std::int64_t>(box.LineBytes()), extent);
  auto inside = [&](std::size_t dimension, std::int64_t i) {
    return i >= 0 && (static_cast<int>(dimension) < map.rank ? i < map.dims[dimension] : i == 0);
  };
  for (std::int64_t z = 0; z < map.box[2]; ++z) {
    for (std::int64_t y = 0; y < map.box[1]; ++y) {
      if (first >= end || !inside(1, box.at[1] + y) || !inside(2, box.at[2] + z))
        continue;
      const std::int64_t global =
          first + (box.at[1] + y) * map.strides[0] + (box.at[2] + z) * map.strides[1];
      const auto line = static_cast<std::size_t>(z * map.box[1] + y) * box.LineBytes();
      copy(static_cast<const std::byte*>(map.address) + global,
           line + static_cast<std::size_t>(first - at), static_cast<std::size_t>(end - first));
    }
  }
}

void Land(const Box& box, Block& block, std::size_t barrier) {
  if (block.live == 0)
    Current().Fail("a bulk load lands in a block that has ended");
  std::byte* to = block.shared.At(box.offset, box.Bytes(), 1);
  std::memset(to, 0, box.Bytes());
  VisitInside(box, box.map.element_bytes,
              [&](const std::byte* global, std::size_t byte, std::size_t bytes) {
                for (std::size_t i = 0; i < bytes; ++i)
                  to[box.Swizzled(byte + i)] = global[i];
              });
  block.shared.NoteCopy(box.offset, box.Bytes());
  --block.copies_in_flight;
  CompleteBytes(block, barrier, static_cast<std::int64_t>(box.Bytes()));
}

void Leave(const Box& box, const Block& block) {
  const std::byte* from = block.shared.begin() + box.offset;
  VisitInside(box, kStoreUnit, [&](const std::byte* global, std::size_t byte, std::size_t bytes) {
    auto* to = const_cast<std::byte*>(global);
    for (std::size_t i = 0; i < bytes; ++i)
      to[i] = from[box.Swizzled(byte + i)];
  });
}

std::string CheckVisible(Machine& machine, const Box& box) {
  const std::size_t self = machine.ThreadInBlock();
  auto fenced = [&](const Writer& w) { return machine.ThreadAt(w.thread).fences > w.fences; };
  auto published = [&](const Writer& w) {
    return w.thread == self || machine.ThreadAt(w.thread).published > w.fences;
  };
  const SharedMemory& shared = machine.block().shared;
  if (!shared.EveryWriter(box.offset, box.Bytes(), fenced))
    return "a bulk store of what a thread wrote without a proxy fence";
  if (!shared.EveryWriter(box.offset, box.Bytes(), published))
    return "a bulk store of what a thread wrote, without a barrier between";
  return {};
}

}  // namespace

void TmaPrefetch(const TensorMap& map) {
  TensorMapShape shape;
  if (!DecodeTensorMap(map, shape))
    Current().FailHere("a prefetch of something that is no tensor map");
}

void TmaLoadBox(const BulkLoad& load) {
  Machine& machine = Current();
  auto box = std::make_shared<Box>();
  box->at = load.at;
  const std::string error = Decode(*load.map, load.rank, load.shared, *box);
  if (!error.empty()) {
    machine.FailHere(error);
    return;
  }
  const std::size_t barrier = machine.OffsetOf(load.barrier);
  const std::uint32_t blocks = load.blocks == 0 ? 1U << machine.block().rank : load.blocks;
  for (unsigned rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1U) == 0)
      continue;
    Block* target = machine.BlockOfRank(rank);
    if (target == nullptr) {
      machine.FailHere("a bulk load for rank " + std::to_string(rank));
      return;
    }
    if (!UsableForCopies(*target, barrier))
      return;
    // What is there from now on is not defined.
    std::memset(target->shared.At(box->offset, box->Bytes(), 1), 0xff, box->Bytes());
    ++target->copies_in_flight;
    machine.fibers().Later([box, target, barrier] { Land(*box, *target, barrier); });
  }
}

void TmaStoreBox(const TensorMap& map, int rank, std::uint32_t shared, const BoxCorner& at) {
  Machine& machine = Current();
  auto box = std::make_shared<Box>();
  box->at = at;
  std::string error = Decode(map, rank, shared, *box);
  if (error.empty())
    error = CheckVisible(machine, *box);
  if (!error.empty()) {
    machine.FailHere(error);
    return;
  }
  Thread& thread = machine.thread();
  if (thread.open_stores == nullptr)
    thread.open_stores = std::make_shared<int>(0);
  ++*thread.open_stores;
  machine.fibers().Later(
      [box, &machine, &thread, block = &machine.block(), left = thread.open_stores] {
        Leave(*box, *block);
        --*left;
        machine.fibers().Wake(thread.stores_read);
      });
}

void TmaCommitStores() {
  Thread& thread = Current().thread();
  thread.store_groups.push_back(thread.open_stores == nullptr ? std::make_shared<int>(0)
                                                              : std::move(thread.open_stores));
  thread.open_stores = nullptr;
}

void TmaWaitStoresRead(int pending) {
  Machine& machine = Current();
  if (machine.Faulty(Instruction::kTmaStoreWaitRead))
    return;
  Thread& thread = machine.thread();
  auto& groups = thread.store_groups;
  const std::size_t left = static_cast<std::size_t>(pending);
  auto waits = [&] {
    return std::any_of(groups.begin(),
                       groups.end() - static_cast<std::ptrdiff_t>(std::min(left, groups.size())),
                       [](const std::shared_ptr<int>& group) { return *group > 0; });
  };
  while (waits())
    machine.fibers().Wait(thread.stores_read, {"wait for bulk stores but", left});
  while (groups.size() > left)
    groups.erase(groups.begin());
}

void ProxyFence() {
  Machine& machine = Current();
  if (!machine.Faulty(Instruction::kFenceProxyAsync))
    ++machine.thread().fences;
}

}  // namespace tw::emulation
