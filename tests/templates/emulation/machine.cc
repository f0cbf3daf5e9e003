// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/machine.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

Dim threadIdx, blockIdx, blockDim, gridDim;

namespace tw::emulation {

namespace {

constexpr std::size_t kWarpgroup = WarpgroupProducts::kThreads;

Machine* current_machine = nullptr;

std::string NameOf(const Block& block) {
  return "block " + std::to_string(block.index);
}

}  // namespace

Machine& Current() {
  return *current_machine;
}

void Machine::Fail(const std::string& error) {
  if (error_.empty())
    error_ = error;
}

void Machine::FailHere(const std::string& error) {
  if (!error.empty())
    Fail(NameOf(block()) + " thread " + std::to_string(ThreadInBlock()) + ": " + error);
}

bool Machine::Faulty(Instruction instruction) {
  const int count = thread().counts.at(static_cast<std::size_t>(instruction))++;
  return fault_ && fault_->instruction == instruction &&
         (count == fault_->nth || (fault_->and_later && count > fault_->nth));
}

void Machine::Launch(const LaunchShape& shape, const std::function<void()>& kernel) {
  current_machine = this;
  shape_ = shape;
  gridDim.x = shape.blocks;
  blockDim.x = shape.threads;
  const unsigned count = shape.together ? shape.blocks : shape.cluster;
  for (unsigned first = 0; first < shape.blocks && error_.empty(); first += count)
    RunBlocks(first, count, kernel);
}

void Machine::RunBlocks(unsigned first, unsigned count, const std::function<void()>& kernel) {
  blocks_.resize(count);
  for (unsigned i = 0; i < count; ++i)
    ResetBlock(blocks_[i], first + i, (first + i) % shape_.cluster);
  threads_.assign(std::size_t{count} * shape_.threads, Thread{});
  clusters_.assign(count / shape_.cluster, Cluster{});
  pollers_.clear();
  const bool ended = fibers_.Run(
      threads_.size(),
      [&] {
        kernel();
        EndThread();
      },
      [this](std::size_t fiber) { EnterThread(fiber); });
  if (!ended)
    ReportDeadlock();
}

void Machine::ResetBlock(Block& block, unsigned index, unsigned rank) {
  SharedMemory shared = std::move(block.shared);
  block = Block{};
  block.shared = std::move(shared);
  block.shared.Reset(shape_.shared_bytes, reinterpret_cast<std::byte*>(shape_.array));
  block.index = index;
  block.rank = rank;
  block.live = shape_.threads;
  block.warps.resize(shape_.threads / kWarp);
  block.products.resize(shape_.threads / kWarpgroup);
  block.registers = std::make_unique<RegisterPool>(shape_.threads / kWarpgroup, shape_.registers);
}

void Machine::EnterThread(std::size_t fiber) {
  threadIdx.x = static_cast<unsigned>(fiber % shape_.threads);
  blockIdx.x = blocks_[fiber / shape_.threads].index;
}

void Machine::EndThread() {
  const Thread& self = thread();
  if (!self.open.empty() || !self.groups.empty())
    FailHere("ended with copies in flight");
  auto reads = [](const std::shared_ptr<int>& group) { return group != nullptr && *group > 0; };
  if (reads(self.open_stores) ||
      std::any_of(self.store_groups.begin(), self.store_groups.end(), reads))
    FailHere("ended with bulk stores that still read shared memory");
  Block& mine = block();
  if (--mine.live > 0)
    return;
  if (mine.copies_in_flight > 0)
    FailHere("the block ended with bulk loads in flight");
  for (const WarpgroupProducts& products : mine.products) {
    if (!products.idle())
      FailHere("the block ended with products in flight");
  }
}

void Machine::ReportDeadlock() {
  std::map<std::string, std::pair<std::size_t, int>> places;  // first thread, how many
  fibers_.VisitWaiting([&](std::size_t fiber, const WaitReason& reason) {
    if (fiber >= threads_.size())
      return;
    auto [place, first] = places.try_emplace(
        NameOf(blocks_[fiber / shape_.threads]) + ", at " + reason.Text(), fiber, 0);
    ++place->second.second;
  });
  std::string text = "deadlock";
  for (const auto& [place, threads] : places)
    text += "; " + place + ": " + std::to_string(threads.second) + " threads from " +
            std::to_string(threads.first % shape_.threads) + " on";
  for (Block& block : blocks_) {
    for (auto& [offset, barrier] : block.mbarriers) {
      if (!barrier.waiting().empty())
        text +=
            "; mbarrier " + std::to_string(offset) + " of " + NameOf(block) + ": " + barrier.Text();
    }
  }
  Fail(text);
}

std::size_t Machine::OffsetOf(std::uint32_t address) {
  const std::uint32_t start = (block().rank << kRankShift) + SharedBase();
  return std::size_t{address} - start;  // huge where below
}

std::byte* Machine::Shared(std::uint32_t address, int bytes) {
  static std::array<std::byte, 16> nowhere;
  const auto size = static_cast<std::size_t>(bytes);
  std::byte* at = block().shared.At(OffsetOf(address), size, 1);
  if (at == nullptr || address % size != 0) {
    FailHere("shared address " + std::to_string(address) + " for " + std::to_string(bytes) +
             " bytes");
    return nowhere.data();
  }
  return at;
}

std::byte* Machine::ClusterShared(std::uint32_t address, unsigned rank, int bytes) {
  std::byte* mine = Shared(address, bytes);
  Block* other = BlockOfRank(rank);
  if (other == nullptr || other->live == 0) {
    FailHere("shared memory of rank " + std::to_string(rank) +
             (other == nullptr ? ", which is not there" : ", which has ended"));
    return mine;
  }
  std::byte* at = other->shared.At(OffsetOf(address), static_cast<std::size_t>(bytes), 1);
  return at == nullptr ? mine : at;
}

unsigned Machine::Poll(const unsigned* counter) {
  Thread& self = thread();
  fibers_.Yield();
  while (self.polled == counter && self.seen == *counter)
    fibers_.Wait(pollers_, {"a counter with value", *counter});
  self.polled = counter;
  self.seen = *counter;
  return self.seen;
}

void Machine::WriteCounter(unsigned* counter, const std::function<unsigned(unsigned)>& next) {
  fibers_.Yield();
  *counter = next(*counter);
  thread().polled = nullptr;
  fibers_.Wake(pollers_);
}

void Machine::WriteShared(std::uint32_t address, const void* from, int bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  std::memcpy(Shared(address, bytes), from, size);
  const std::size_t offset = OffsetOf(address);
  if (block().shared.At(offset, size, 1) == nullptr)
    return;
  const auto barrier = block().mbarriers.lower_bound(offset / 8 * 8);
  if (barrier != block().mbarriers.end() && barrier->first < offset + size)
    FailHere("writes on an mbarrier");
  block().shared.NoteWrite(offset, size,
                           {static_cast<std::uint32_t>(ThreadInBlock()), thread().fences});
}

std::uint32_t Machine::SharedAddress(const void* generic) {
  std::uint32_t offset = 0;
  if (shape_.array != nullptr)
    offset = static_cast<std::uint32_t>(static_cast<const char*>(generic) - shape_.array);
  return (block().rank << kRankShift) + SharedBase() + offset;
}

// Barriers that a fence and then a barrier of the block or the cluster made known.
void Machine::Reached(Block& block, Reach reach) {
  for (auto& [offset, barrier] : block.mbarriers) {
    if (barrier.reach() != Reach::kThread)
      barrier.set_reach(std::max(barrier.reach(), reach));
  }
}

void Machine::SyncThreads() {
  SyncNamed(0, static_cast<int>(shape_.threads), true);
}

void Machine::SyncNamed(int id, int threads, bool wait) {
  if (id < 0 || static_cast<std::size_t>(id) >= kNamedBarriers) {
    FailHere("barrier " + std::to_string(id));
    return;
  }
  NamedBarrier& barrier = block().barriers.at(static_cast<std::size_t>(id));
  thread().published = thread().fences;
  const std::string error = barrier.Arrive(ThreadInBlock() / kWarp, threads);
  if (!error.empty())
    FailHere("barrier " + std::to_string(id) + ": " + error);
  if (barrier.TakeComplete()) {
    if (threads == static_cast<int>(shape_.threads))
      Reached(block(), Reach::kBlock);
    fibers_.Wake(barrier.waiting());
    if (wait)
      fibers_.Yield();
  } else if (wait) {
    fibers_.Wait(barrier.waiting(), {"barrier", static_cast<std::uint64_t>(id), "of threads",
                                     static_cast<std::uint64_t>(threads)});
  }
}

void Machine::SyncCluster() {
  thread().published = thread().fences;
  const std::size_t index = fibers_.current() / shape_.threads / shape_.cluster;
  Cluster& cluster = clusters_[index];
  if (++cluster.arrived == std::size_t{shape_.cluster} * shape_.threads) {
    cluster.arrived = 0;
    for (unsigned rank = 0; rank < shape_.cluster; ++rank)
      Reached(*BlockOfRank(rank), Reach::kCluster);
    fibers_.Wake(cluster.waiting);
    fibers_.Yield();
  } else {
    fibers_.Wait(cluster.waiting, {"barrier of cluster", index});
  }
}

Block* Machine::BlockOfRank(unsigned rank) {
  return rank < shape_.cluster ? &block() - block().rank + rank : nullptr;
}

void Machine::SyncWarp() {
  Collect(nullptr, [](const std::array<void*, kWarp>&) {});
}

void Machine::Collect(void* operand, const Collective& run) {
  const std::size_t self = ThreadInBlock();
  Warp& warp = block().warps[self / kWarp];
  warp.operands.at(self % kWarp) = operand;
  if (++warp.arrived == kWarp) {
    run(warp.operands);
    warp.arrived = 0;
    fibers_.Wake(warp.waiting);
    fibers_.Yield();
  } else {
    fibers_.Wait(warp.waiting, {"instruction of warp", self / kWarp});
  }
}

void Machine::Land(const PendingCopy& copy) {
  std::byte* to = Shared(copy.shared, copy.bytes);
  if (copy.valid > 0)
    std::memcpy(to, copy.global, static_cast<std::size_t>(copy.valid));
  std::memset(to + copy.valid, 0, static_cast<std::size_t>(copy.bytes - copy.valid));
}

void Machine::Copy(const PendingCopy& copy) {
  if (copy.valid < 0 || copy.valid > copy.bytes ||
      (copy.valid > 0 &&
       reinterpret_cast<std::uintptr_t>(copy.global) % static_cast<std::uintptr_t>(copy.bytes) !=
           0)) {
    FailHere("cp.async of " + std::to_string(copy.valid) + " of " + std::to_string(copy.bytes) +
             " bytes, or misaligned");
    return;
  }
  // At once or as late as the program allows.
  if (random_() % 2 == 0) {
    Land(copy);
  } else {
    thread().open.push_back(copy);
  }
}

void Machine::Commit() {
  thread().groups.push_back(std::move(thread().open));
  thread().open.clear();
}

void Machine::Wait(int pending) {
  auto& groups = thread().groups;
  while (groups.size() > static_cast<std::size_t>(pending)) {
    for (const PendingCopy& copy : groups.front())
      Land(copy);
    groups.erase(groups.begin());
  }
}

}  // namespace tw::emulation

std::size_t __cvta_generic_to_shared(const void* shared) {
  return tw::emulation::Current().SharedAddress(shared);
}

int __shfl_sync(unsigned mask, int x, int lane) {
  using tw::emulation::kWarp;
  if (mask != 0xffffffffU)
    tw::emulation::Current().FailHere("__shfl_sync of some lanes, which is not emulated");

  struct Lane {
    int offered, received;
  } self{x, 0};

  tw::emulation::Current().Collect(&self, [lane](const std::array<void*, kWarp>& operands) {
    const int value =
        static_cast<const Lane*>(operands.at(static_cast<std::size_t>(lane)))->offered;
    for (void* operand : operands)
      static_cast<Lane*>(operand)->received = value;
  });
  return self.received;
}

unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(y) << 32U | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned index = selector >> (4 * i) & 7U;
    result |= static_cast<unsigned>(bytes >> (8 * index) & 0xffU) << (8 * i);
  }
  return result;
}
