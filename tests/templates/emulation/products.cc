// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/products.h"

#include "tests/templates/emulation/machine.h"

namespace tw::emulation {

namespace {

constexpr std::size_t kThreads = WarpgroupProducts::kThreads;

WarpgroupProducts& Mine() {
  Machine& machine = Current();
  return machine.block().products.at(machine.ThreadInBlock() / kThreads);
}

std::size_t Self() {
  return Current().ThreadInBlock() % kThreads;
}

}  // namespace

void FenceProducts() {
  if (!Current().Faulty(Instruction::kWgmmaFence))
    Mine().Fence(Self());
}

void CommitProducts() {
  Mine().Commit(Self());
}

void IssueProduct(const Product& product, void* sums) {
  Machine& machine = Current();
  WarpgroupProducts& mine = Mine();
  const std::size_t before = mine.issued();
  machine.FailHere(mine.Issue(Self(), product, sums));
  if (mine.issued() == before)
    return;
  machine.fibers().Later([&machine, &mine, block = &machine.block()] {
    const std::string error = mine.RunNext(block->shared, machine.SharedBase() & 0x3ffffU);
    if (!error.empty())
      machine.Fail(error);
    machine.fibers().Wake(mine.waiting());
  });
}

void WaitForProducts(int pending) {
  Machine& machine = Current();
  if (machine.Faulty(Instruction::kWgmmaWait))
    return;
  WarpgroupProducts& mine = Mine();
  const std::size_t target = mine.Target(Self(), pending);
  while (mine.ended() < target)
    machine.fibers().Wait(mine.waiting(), {"wait for product", target});
  mine.Return(Self(), target);
}

}  // namespace tw::emulation
