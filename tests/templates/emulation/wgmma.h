// The products of one warpgroup (wgmma): a queue that runs some time after the threads have issued
// them. Until a thread has waited for them, its sums are NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/templates/emulation/fibers.h"
#include "tests/templates/emulation/shared_memory.h"

namespace tw::emulation {

// One instruction; all threads of the warpgroup issue the same.
struct Product {
  std::uint64_t a, b;  // matrix descriptors
  int n;
  bool mn_major_a, mn_major_b;
  bool accumulate;
  bool integers;      // sums are int, else float
  int element_bytes;  // of the operands
  double (*widen_a)(const std::byte*);
  double (*widen_b)(const std::byte*);

  // Elements of k.
  [[nodiscard]] std::size_t Depth() const {
    return std::size_t{32} / static_cast<std::size_t>(element_bytes);
  }

  bool operator==(const Product&) const = default;
};

class WarpgroupProducts {
 public:
  static constexpr std::size_t kThreads = 128;
  static constexpr std::size_t kRows = 64;

  // Each is one thread's, 0 to 127. Those that return a string say what is wrong.
  void Fence(std::size_t thread) { threads_.at(thread).fenced = true; }

  [[nodiscard]] std::string Issue(std::size_t thread, const Product& product, void* sums);
  void Commit(std::size_t thread);

  // How many products have ended, from the start, once at most `pending` of the thread's groups
  // are left.
  [[nodiscard]] std::size_t Target(std::size_t thread, int pending) const;
  // The thread's sums of the first `target` products go to its registers.
  void Return(std::size_t thread, std::size_t target);

  // Products that all threads have issued.
  [[nodiscard]] std::size_t issued() const { return issued_; }

  [[nodiscard]] std::size_t ended() const { return ended_; }

  [[nodiscard]] bool idle() const { return ended_ == first_ + queue_.size(); }

  // Runs the next issued product on shared memory, which starts at `base` of the window.
  [[nodiscard]] std::string RunNext(SharedMemory& shared, std::uint32_t base);

  WaitList& waiting() { return waiting_; }

 private:
  // The sums of one accumulator while products of it are in flight.
  struct Sums {
    int n = 0;
    bool integers = false;
    std::vector<double> values;                // kRows x n
    std::array<void*, kThreads> registers{};   // null: not in flight for the thread
    std::array<std::size_t, kThreads> last{};  // products up to the thread's last one
  };

  struct Issued {
    Product product{};
    std::shared_ptr<Sums> sums;
    std::size_t threads = 0;
  };

  struct ThreadState {
    bool fenced = false;
    std::size_t issued = 0;
    std::vector<std::size_t> groups;  // products up to each one's end
  };

  std::shared_ptr<Sums> FindSums(std::size_t thread, const void* registers, int n) const;
  [[nodiscard]] std::string Join(std::size_t thread, Issued& issued, void* registers);

  std::deque<Issued> queue_;
  std::size_t first_ = 0;  // the number of queue_'s first
  std::size_t issued_ = 0, ended_ = 0;
  std::array<ThreadState, kThreads> threads_{};
  std::vector<std::shared_ptr<Sums>> open_;
  WaitList waiting_;
};

}  // namespace tw::emulation
