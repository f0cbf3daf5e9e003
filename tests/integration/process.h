// A child process of a test, with its output in files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tw::integration {

struct Finished {
  int exit_code = -1;  // 128 + signal where one ended it
  std::string out;
  std::string err;
};

class Process {
 public:
  // `words[0]` is the binary. Output goes to PREFIX.out and PREFIX.err.
  Process(const std::vector<std::string>& words, const std::string& prefix);
  ~Process();  // kills what still runs
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process& operator=(Process&&) = delete;

  void Signal(int signal) const;

  // Empty where it still ran after `limit`; it was killed then.
  std::optional<Finished> Wait(std::chrono::seconds limit);

 private:
  pid_t pid_ = -1;
  std::string prefix_;
};

// True once the process, a child or not, is gone; waits for it up to `limit`.
bool AwaitEnd(pid_t pid, std::chrono::milliseconds limit);

// Direct children of `parent` whose command line contains `word`.
std::vector<pid_t> ChildrenOf(pid_t parent, const std::string& word);

std::string ReadFile(const std::string& path);

}  // namespace tw::integration
