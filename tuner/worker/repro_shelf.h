// The repro folders of a daemon: what its offending candidates leave, the newest of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <utility>

#include "tuner/benchmarker.h"
#include "tuner/measure/repro.h"

namespace tw {

// Worth a folder: wrong, crashed or hung. What the driver refuses speaks for itself.
bool IsOffence(OutcomeKind kind);

// Requires: `candidate` came to `outcome` in `job`.
Repro ReproOf(const BenchmarkJob& job,
              const CandidateRun& candidate,
              const BenchmarkOutcome& outcome);

// Thread-safe; other processes may use the directory, too.
class ReproShelf {
 public:
  static constexpr std::size_t kMost = 64;

  // `directory` is created with the first folder.
  explicit ReproShelf(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // Puts CANDIDATE-HASH (of the problem) there whole, over an older one of that name; beyond kMost
  // the oldest go. Returns the folder. Any error of the file system names the file.
  Result<std::filesystem::path> Keep(const Repro& repro);

 private:
  std::filesystem::path directory_;
  std::mutex mutex_;
};

}  // namespace tw
