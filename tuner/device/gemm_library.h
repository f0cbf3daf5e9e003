// Seam to the vendor's library: one problem on one device and its stream.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/core/status.h"
#include "tw/params.h"

namespace tw {

// One of the ways in which the library would compute the problem.
struct LibraryAlgorithm {
  int index = 0;            // in the order of the library's preference, from 0
  std::string description;  // as the library tells it
  std::int64_t workspace_bytes = 0;
  std::array<std::uint64_t, 8> opaque{};  // the library's own
};

// Outlived by its device. Not thread-safe.
class GemmLibrary {
 public:
  virtual ~GemmLibrary() = default;

  // "cublaslt 13.1.0".
  [[nodiscard]] virtual const std::string& Version() const = 0;

  // What the library's heuristics suggest with that much workspace at most, first choice first.
  // Unimplemented: the library does not compute this problem.
  virtual Result<std::vector<LibraryAlgorithm>> Algorithms(std::int64_t workspace_limit_bytes) = 0;

  // Enqueues one product, without waiting; may be captured. Pointers in `params` are device
  // addresses; params.workspace has the algorithm's workspace_bytes.
  virtual Status Enqueue(const LibraryAlgorithm& algorithm, const GemmParams& params) = 0;
};

}  // namespace tw
