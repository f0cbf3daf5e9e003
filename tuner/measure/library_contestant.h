// An algorithm of the vendor's library, to be judged like a candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner/device/gemm_library.h"
#include "tuner/measure/contestant.h"

namespace tw {

// Outlived by the library.
class LibraryContestant final : public Contestant {
 public:
  LibraryContestant(GemmLibrary& library, LibraryAlgorithm algorithm)
      : library_(&library), algorithm_(std::move(algorithm)) {}

  // An error names the algorithm.
  [[nodiscard]] Status Launch(const GemmParams& params) const override;

  [[nodiscard]] std::int64_t workspace_bytes() const override { return algorithm_.workspace_bytes; }

  // "library algorithm 3 (id 66 tile 20 …)".
  [[nodiscard]] std::string Name() const;

 private:
  GemmLibrary* library_;
  LibraryAlgorithm algorithm_;
};

}  // namespace tw
