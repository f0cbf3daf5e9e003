// Compiles candidates on threads of its own and hands them over as they are ready, best rank
// first, so that the GPU measures while the compilers work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/core/candidate.h"
#include "codegen/core/clock.h"

namespace tw {

struct CompiledCandidate {
  Candidate candidate;
  Result<KernelSource> source;
  Result<CompiledKernel> kernel;  // source's status where that failed
};

// Owned and read by one thread. The destructor cancels what is still being compiled.
class CompileQueue {
 public:
  using BuildSource = std::function<Result<KernelSource>(const Candidate&)>;

  // Starts at once, at most compiler.Parallelism() at a time, in the order of `candidates`.
  // `build` is called from several threads. `compiler` and `clock` outlive the queue.
  CompileQueue(Compiler& compiler,
               const Clock& clock,
               BuildSource build,
               std::vector<Candidate> candidates);
  ~CompileQueue();

  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // Waits for the best-ranked candidate that is compiled. nullopt: all were handed over, or
  // `give_up` (asked now and every 50 ms while waiting) said so.
  std::optional<CompiledCandidate> Next(const std::function<bool()>& give_up);

  // Neither compiles nor hands over any more of this family.
  void DropFamily(std::string_view family);

  // Successful compilations so far.
  [[nodiscard]] int compiled() const;

  // From construction to the last finished compilation.
  [[nodiscard]] std::chrono::nanoseconds WallTime() const;

 private:
  struct Pending {
    std::size_t rank = 0;
    Candidate candidate;
  };

  void Work(const std::stop_token& stop);
  std::optional<Pending> Take(const std::stop_token& stop);
  CompiledCandidate Compile(Candidate candidate, const std::stop_token& stop);
  void Deliver(std::size_t rank, CompiledCandidate item);

  Compiler& compiler_;
  const Clock& clock_;
  const BuildSource build_;
  const std::chrono::nanoseconds start_;
  std::size_t capacity_ = 0;  // finished and not yet taken: bounds the machine code in memory

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Pending> pending_;
  std::map<std::size_t, CompiledCandidate> ready_;  // by rank
  std::set<std::string> dropped_;                   // families
  int in_progress_ = 0;
  int compiled_ = 0;
  std::chrono::nanoseconds last_finish_;
  std::vector<std::jthread> threads_;  // last: they use what is above
};

}  // namespace tw
