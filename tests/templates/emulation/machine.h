// Runs a kernel's device code on the host: one fiber a thread, switched at barriers and at the
// instructions that a warp executes together. The order of the threads is random, and so is the
// moment within its bounds at which an asynchronous copy lands, so that a missing barrier or wait
// shows as a wrong result. Not thread-safe: one machine a process.
//
// Included before any template file, which then finds the emulated instructions in this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

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

constexpr int kWarp = 32;
constexpr std::size_t kSharedBytes = std::size_t{227} * 1024;
// What the hardware keeps for itself at the bottom of the shared window.
constexpr std::uint32_t kSharedBase = 1024;

struct PendingCopy {
  std::uint32_t shared;
  const void* global;
  int bytes, valid;
};

// What one lane of a warp offers to a collective instruction; `run` completes it for all of them.
using Collective = std::function<void(const std::array<void*, kWarp>& operands)>;

class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  // Runs `kernel` once a thread for every block. Shared memory is full of NaN before each block.
  void Launch(unsigned blocks, unsigned threads, const std::function<void()>& kernel);

  // Called from device code.
  void SyncThreads();
  void SyncWarp();
  void Collect(void* operand, const Collective& run);
  void Copy(const PendingCopy& copy);
  void Commit();
  void Wait(int pending);
  std::byte* Shared(std::uint32_t address, int bytes);

  // First misuse by the kernel (an address out of bounds, say); empty where there was none.
  [[nodiscard]] const std::string& error() const { return error_; }

  void Fail(const std::string& error);

 private:
  struct Group {
    std::vector<PendingCopy> copies;
  };

  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<std::byte[]> stack;
    bool done = false;
    std::uint64_t waiting_for = 0;  // a generation of the block's or the warp's barrier
    bool at_block_barrier = false;
    bool at_warp_barrier = false;
    std::vector<PendingCopy> open;
    std::vector<Group> groups;
  };

  struct Warp {
    int arrived = 0;
    std::uint64_t generation = 0;
    std::array<void*, kWarp> operands{};
  };

  static void Enter();
  void RunBlock();
  [[nodiscard]] bool Runnable(const Fiber& fiber, const Warp& warp) const;
  void Yield();
  void Land(const PendingCopy& copy);

  std::mt19937_64 random_;
  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  ucontext_t scheduler_{};
  std::size_t current_ = 0;
  std::size_t arrived_ = 0;
  std::uint64_t generation_ = 0;
  const std::function<void()>* kernel_ = nullptr;
  std::string error_;
};

// The machine of the running test.
Machine& Current();
void SetCurrent(Machine* machine);

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

std::size_t __cvta_generic_to_shared(const void* shared);
unsigned __byte_perm(unsigned x, unsigned y, unsigned selector);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
