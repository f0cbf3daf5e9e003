// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/machine.h"

#include <algorithm>
#include <cstring>

Dim threadIdx, blockIdx, blockDim, gridDim;

// The kernel's dynamic shared memory: the extern array of tw::mma_sync::Gemm.
namespace tw::mma_sync {
alignas(1024) char shared[tw::emulation::kSharedBytes];
}  // namespace tw::mma_sync

namespace tw::emulation {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

Machine* current_machine = nullptr;

}  // namespace

Machine& Current() {
  return *current_machine;
}

void SetCurrent(Machine* machine) {
  current_machine = machine;
}

void Machine::Fail(const std::string& error) {
  if (error_.empty())
    error_ = error;
}

std::byte* Machine::Shared(std::uint32_t address, int bytes) {
  static std::array<std::byte, 16> nowhere;
  if (address < kSharedBase || address % static_cast<unsigned>(bytes) != 0 ||
      address - kSharedBase + static_cast<unsigned>(bytes) > kSharedBytes) {
    Fail("shared address " + std::to_string(address) + " for " + std::to_string(bytes) + " bytes");
    return nowhere.data();
  }
  return reinterpret_cast<std::byte*>(mma_sync::shared) + (address - kSharedBase);
}

void Machine::Launch(unsigned blocks, unsigned threads, const std::function<void()>& kernel) {
  SetCurrent(this);
  kernel_ = &kernel;
  gridDim.x = blocks;
  blockDim.x = threads;
  fibers_.resize(threads);
  for (Fiber& fiber : fibers_) {
    if (fiber.stack == nullptr)
      fiber.stack = std::make_unique<std::byte[]>(kStackBytes);
  }
  for (unsigned block = 0; block < blocks; ++block) {
    blockIdx.x = block;
    RunBlock();
  }
}

void Machine::RunBlock() {
  std::memset(mma_sync::shared, 0xff, sizeof(mma_sync::shared));
  warps_.assign((fibers_.size() + kWarp - 1) / kWarp, Warp{});
  arrived_ = 0;
  generation_ = 0;
  for (Fiber& fiber : fibers_) {
    fiber.done = false;
    fiber.at_block_barrier = fiber.at_warp_barrier = false;
    fiber.open.clear();
    fiber.groups.clear();
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = &scheduler_;
    makecontext(&fiber.context, &Machine::Enter, 0);
  }
  std::vector<std::size_t> order(fibers_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::uint64_t hurried = random_();
  for (bool progress = true; progress;) {
    progress = false;
    std::shuffle(order.begin(), order.end(), random_);
    // Half of the warps run far ahead, until they meet a barrier; which half changes at times.
    constexpr unsigned kChange = 64;
    constexpr unsigned kLag = 24;
    if (random_() % kChange == 0)
      hurried = random_();
    for (std::size_t i : order) {
      const std::size_t warp = i / kWarp;
      if (!Runnable(fibers_[i], warps_[warp]))
        continue;
      progress = true;
      if (warps_.size() > 1 && (hurried >> warp % 64 & 1U) == 0 && random_() % kLag != 0)
        continue;
      current_ = i;
      threadIdx.x = static_cast<unsigned>(i);
      swapcontext(&scheduler_, &fibers_[i].context);
    }
  }
  if (!std::all_of(fibers_.begin(), fibers_.end(), [](const Fiber& f) { return f.done; }))
    Fail("deadlock: some threads wait at a barrier that others never reach");
}

bool Machine::Runnable(const Fiber& fiber, const Warp& warp) const {
  if (fiber.done)
    return false;
  if (fiber.at_block_barrier)
    return fiber.waiting_for != generation_;
  if (fiber.at_warp_barrier)
    return fiber.waiting_for != warp.generation;
  return true;
}

void Machine::Enter() {
  Machine& machine = Current();
  (*machine.kernel_)();
  Fiber& fiber = machine.fibers_[machine.current_];
  if (!fiber.open.empty() || !fiber.groups.empty())
    machine.Fail("a thread ended with copies in flight");
  fiber.done = true;
}

void Machine::Yield() {
  const std::size_t self = current_;
  swapcontext(&fibers_[self].context, &scheduler_);
  current_ = self;
  threadIdx.x = static_cast<unsigned>(self);
}

void Machine::SyncThreads() {
  Fiber& fiber = fibers_[current_];
  fiber.waiting_for = generation_;
  if (++arrived_ == fibers_.size()) {
    arrived_ = 0;
    ++generation_;
  }
  fiber.at_block_barrier = true;
  Yield();
  fiber.at_block_barrier = false;
}

void Machine::SyncWarp() {
  Collect(nullptr, [](const std::array<void*, kWarp>&) {});
}

void Machine::Collect(void* operand, const Collective& run) {
  Fiber& fiber = fibers_[current_];
  Warp& warp = warps_[current_ / kWarp];
  warp.operands.at(current_ % kWarp) = operand;
  fiber.waiting_for = warp.generation;
  if (++warp.arrived == kWarp) {
    run(warp.operands);
    warp.arrived = 0;
    ++warp.generation;
  }
  fiber.at_warp_barrier = true;
  Yield();
  fiber.at_warp_barrier = false;
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
    Fail("cp.async of " + std::to_string(copy.valid) + " of " + std::to_string(copy.bytes) +
         " bytes, or misaligned");
    return;
  }
  // At once or as late as the program allows.
  if (random_() % 2 == 0) {
    Land(copy);
  } else {
    fibers_[current_].open.push_back(copy);
  }
}

void Machine::Commit() {
  Fiber& fiber = fibers_[current_];
  fiber.groups.push_back({std::move(fiber.open)});
  fiber.open.clear();
}

void Machine::Wait(int pending) {
  Fiber& fiber = fibers_[current_];
  while (fiber.groups.size() > static_cast<std::size_t>(pending)) {
    for (const PendingCopy& copy : fiber.groups.front().copies)
      Land(copy);
    fiber.groups.erase(fiber.groups.begin());
  }
}

}  // namespace tw::emulation

std::size_t __cvta_generic_to_shared(const void* shared) {
  return static_cast<std::size_t>(static_cast<const char*>(shared) - tw::mma_sync::shared) +
         tw::emulation::kSharedBase;
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
