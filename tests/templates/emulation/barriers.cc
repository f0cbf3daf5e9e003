// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/barriers.h"

#include <string>

namespace tw::emulation {

namespace {

// What a use needs: the barrier known to the block, or to the cluster.
Mbarrier* Find(Block& block, std::size_t offset, Reach needed) {
  Machine& machine = Current();
  const auto found = block.mbarriers.find(offset);
  if (found == block.mbarriers.end()) {
    machine.FailHere("no mbarrier was initialised at offset " + std::to_string(offset));
    return nullptr;
  }
  Mbarrier& barrier = found->second;
  const bool own = &block == &machine.block() && barrier.FencedBy(machine.ThreadInBlock());
  if (barrier.reach() < needed && !own) {
    machine.FailHere("the mbarrier at offset " + std::to_string(offset) +
                     " is used before its initialisation is known: a fence and then a barrier");
    return nullptr;
  }
  return &barrier;
}

void WakeIfEnded(Mbarrier& barrier) {
  if (barrier.TakeEnded())
    Current().fibers().Wake(barrier.waiting());
}

// Others may run between any two instructions.
void MaybeYield() {
  if (Current().Random() % 8 == 0)
    Current().fibers().Yield();
}

std::string Named(std::size_t offset, const std::string& error) {
  return error.empty() ? error : "mbarrier " + std::to_string(offset) + ": " + error;
}

}  // namespace

void InitBarrier(std::uint32_t barrier, int arrivals) {
  Machine& machine = Current();
  const std::size_t offset = machine.OffsetOf(barrier);
  if (machine.block().shared.At(offset, 8, 8) == nullptr || arrivals < 1 ||
      arrivals > Mbarrier::kMaxCount) {
    machine.FailHere("an mbarrier of " + std::to_string(arrivals) + " at shared address " +
                     std::to_string(barrier));
    return;
  }
  if (!machine.block().mbarriers.try_emplace(offset, arrivals, machine.ThreadInBlock()).second)
    machine.FailHere("an mbarrier is initialised twice");
}

void FenceBarrierInit() {
  Machine& machine = Current();
  if (machine.Faulty(Instruction::kMbarrierInitFence))
    return;
  for (auto& [offset, barrier] : machine.block().mbarriers) {
    if (barrier.initialiser() == machine.ThreadInBlock() && barrier.reach() == Reach::kThread)
      barrier.set_reach(Reach::kFenced);
  }
}

void ArriveAt(std::uint32_t barrier) {
  ArriveAtRemote(barrier, Current().block().rank);
}

void ArriveAtRemote(std::uint32_t barrier, unsigned rank) {
  Machine& machine = Current();
  if (machine.Faulty(Instruction::kMbarrierArrive))
    return;
  MaybeYield();
  Block* block = machine.BlockOfRank(rank);
  if (block == nullptr || block->live == 0) {
    machine.FailHere("an arrival at rank " + std::to_string(rank) +
                     (block == nullptr ? ", which is not there" : ", which has ended"));
    return;
  }
  const std::size_t offset = machine.OffsetOf(barrier);
  const bool remote = block != &machine.block();
  Mbarrier* found = Find(*block, offset, remote ? Reach::kCluster : Reach::kBlock);
  if (found == nullptr)
    return;
  machine.FailHere(Named(offset, found->Arrive()));
  WakeIfEnded(*found);
}

void ArriveExpecting(std::uint32_t barrier, std::int64_t bytes) {
  Machine& machine = Current();
  MaybeYield();
  const std::size_t offset = machine.OffsetOf(barrier);
  Mbarrier* found = Find(machine.block(), offset, Reach::kBlock);
  if (found == nullptr)
    return;
  constexpr std::int64_t kTooFew = 16;
  if (machine.Faulty(Instruction::kMbarrierExpect))
    bytes -= kTooFew;
  machine.FailHere(Named(offset, found->Expect(bytes)));
  machine.FailHere(Named(offset, found->Arrive()));
  WakeIfEnded(*found);
}

void WaitForParity(std::uint32_t barrier, unsigned parity) {
  Machine& machine = Current();
  const std::size_t offset = machine.OffsetOf(barrier);
  if (parity > 1)
    machine.FailHere("a wait for parity " + std::to_string(parity));
  if (machine.Faulty(Instruction::kMbarrierWait))
    parity ^= 1U;
  MaybeYield();
  Mbarrier* found = Find(machine.block(), offset, Reach::kBlock);
  if (found == nullptr)
    return;
  while (!found->Passed(parity))
    machine.fibers().Wait(found->waiting(), {"mbarrier", offset, "parity", parity});
}

bool UsableForCopies(Block& block, std::size_t offset) {
  const bool remote = &block != &Current().block();
  return Find(block, offset, remote ? Reach::kCluster : Reach::kFenced) != nullptr;
}

void CompleteBytes(Block& block, std::size_t offset, std::int64_t bytes) {
  Mbarrier& barrier = block.mbarriers.at(offset);
  const std::string error = Named(offset, barrier.Complete(bytes));
  if (!error.empty())
    Current().Fail(error);
  WakeIfEnded(barrier);
}

void ReleaseRegistersTo(int registers) {
  Machine& machine = Current();
  RegisterPool& pool = *machine.block().registers;
  machine.FailHere(pool.Release(machine.ThreadInBlock() / RegisterPool::kThreads, registers));
  machine.fibers().Wake(pool.waiting());
}

void ClaimRegistersTo(int registers) {
  Machine& machine = Current();
  RegisterPool& pool = *machine.block().registers;
  const std::size_t warpgroup = machine.ThreadInBlock() / RegisterPool::kThreads;
  machine.FailHere(pool.Claim(warpgroup, registers));
  // The last thread of a warpgroup to come, or to be woken, finds the others waiting.
  while (!pool.Granted(warpgroup, registers))
    machine.fibers().Wait(pool.waiting(),
                          {"claim of registers", static_cast<std::uint64_t>(registers)});
  machine.fibers().Wake(pool.waiting());
}

}  // namespace tw::emulation
