// Runs a kernel's device code on the host: one fiber a thread, the blocks of a cluster together,
// one cluster after the other or all at once. The order of the threads is random, and so is the
// moment within its bounds at which asynchronous work happens, so that a missing barrier or wait
// shows as a wrong result. Not thread-safe: one machine runs at a time in a process.
//
// Included before any template file, which then finds the emulated instructions in this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/templates/emulation/block.h"
#include "tests/templates/emulation/fibers.h"

// The device compiler's names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define TW_DEVICE inline
#define __shared__
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint2 {
  unsigned x, y;
};

struct uint4 {
  unsigned x, y, z, w;
};

struct Dim {
  unsigned x = 0;
};

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace tw::emulation {

struct LaunchShape {
  unsigned blocks = 1, threads = 32;
  unsigned cluster = 1;   // blocks
  bool together = false;  // all clusters run at the same time
  std::size_t shared_bytes = kSharedBytes;
  // From the window's reserved bytes to the dynamic shared memory: a multiple of 16.
  std::uint32_t shared_start = 0;
  // The kernel's array itself, where device code uses it by pointer too; for clusters of one block.
  char* array = nullptr;
  // A thread's at the start, where the kernel moves them.
  int registers = 0;
};

// What one lane of a warp offers to a collective instruction; `run` completes it for all of them.
using Collective = std::function<void(const std::array<void*, kWarp>& operands)>;

class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed), fibers_(random_) {}

  // Runs `kernel` once a thread for every block. Shared memory is full of NaN before each block.
  // Requires: blocks are whole clusters, threads whole warps.
  void Launch(const LaunchShape& shape, const std::function<void()>& kernel);

  // From the next launch on.
  void Inject(const Fault& fault) { fault_ = fault; }

  // First misuse by the kernel (an address out of bounds, say); empty where there was none.
  [[nodiscard]] const std::string& error() const { return error_; }

  // Called from device code.
  void SyncThreads();
  void SyncWarp();
  void SyncCluster();
  void SyncNamed(int id, int threads, bool wait);
  void Collect(void* operand, const Collective& run);
  void Copy(const PendingCopy& copy);
  void Commit();
  void Wait(int pending);
  std::byte* Shared(std::uint32_t address, int bytes);
  void WriteShared(std::uint32_t address, const void* from, int bytes);
  // The same address of block `rank` of the cluster.
  std::byte* ClusterShared(std::uint32_t address, unsigned rank, int bytes);
  // A counter that blocks share: a second look at the same value waits for the next write.
  unsigned Poll(const unsigned* counter);
  void WriteCounter(unsigned* counter, const std::function<unsigned(unsigned)>& next);

  // Called from instructions.
  void Fail(const std::string& error);
  // Of this thread, where `error` says something.
  void FailHere(const std::string& error);
  // Counts the instruction.
  bool Faulty(Instruction instruction);

  [[nodiscard]] std::uint64_t Random() { return random_(); }

  Fibers& fibers() { return fibers_; }

  Thread& thread() { return threads_[fibers_.current()]; }

  // Of this block.
  Thread& ThreadAt(std::size_t in_block) {
    return threads_[fibers_.current() - ThreadInBlock() + in_block];
  }

  [[nodiscard]] std::size_t ThreadInBlock() const { return fibers_.current() % shape_.threads; }

  Block& block() { return blocks_[fibers_.current() / shape_.threads]; }

  // Of this block's cluster; null where it has no such block.
  Block* BlockOfRank(unsigned rank);

  // Window address of dynamic shared memory, alike in all blocks.
  [[nodiscard]] std::uint32_t SharedBase() const {
    return kSharedWindow + kSharedReserved + shape_.shared_start;
  }

  // Offset in the dynamic shared memory of this block; `SharedMemory::At` checks it.
  std::size_t OffsetOf(std::uint32_t address);

  // Generic address of the kernel's array, or of a place in it, to shared address.
  std::uint32_t SharedAddress(const void* generic);

 private:
  void RunBlocks(unsigned first, unsigned count, const std::function<void()>& kernel);
  void ResetBlock(Block& block, unsigned index, unsigned rank);
  void EnterThread(std::size_t fiber);
  void EndThread();
  void Reached(Block& block, Reach reach);
  void ReportDeadlock();
  void Land(const PendingCopy& copy);

  std::mt19937_64 random_;
  Fibers fibers_;
  LaunchShape shape_;
  // Of the blocks that run, whole clusters, block by block.
  std::vector<Block> blocks_;
  std::vector<Thread> threads_;
  std::vector<Cluster> clusters_;
  WaitList pollers_;
  std::optional<Fault> fault_;
  std::string error_;
};

// The machine of the running test.
Machine& Current();

}  // namespace tw::emulation

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern Dim threadIdx, blockIdx, blockDim, gridDim;

inline int max(int a, int b) {
  return a > b ? a : b;
}

inline int min(int a, int b) {
  return a < b ? a : b;
}

inline void __syncthreads() {
  tw::emulation::Current().SyncThreads();
}

inline void __syncwarp() {
  tw::emulation::Current().SyncWarp();
}

inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}

int __shfl_sync(unsigned mask, int x, int lane);
std::size_t __cvta_generic_to_shared(const void* shared);
unsigned __byte_perm(unsigned x, unsigned y, unsigned selector);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
