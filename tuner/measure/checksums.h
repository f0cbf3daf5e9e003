// All of a large D against vectors: D w = alpha A (B w) + bias + beta C w for random signs w, row
// by row, and u^T D likewise, column by column (Freivalds' check, with signs so that swapped tiles
// show). Only where D is a linear function of the products, and C and the bias have D's type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tuner/measure/support_kernels.h"
#include "tuner/measure/trial.h"
#include "tuner/measure/verdict.h"

namespace tw {

// Of one trial. Outlived by the device, the support kernels and the scratch.
class Checksums {
 public:
  // What the kernels add up, before the host has it. Shared by the trials of one problem.
  class Scratch {
   public:
    static Result<Scratch> Make(Device& device, const GemmProblem& problem);

   private:
    friend class Checksums;

    DeviceBuffer inner_;  // sum and size of K values an item: B w or u^T A
    DeviceBuffer outer_;  // sum and size of max(M, N) values an item
  };

  // Whether D is a linear function of the products.
  static bool Apply(const GemmProblem& problem);

  // Adds up what D should give. The trial must have its operands.
  static Result<Checksums> Make(Device& device,
                                SupportKernels& support,
                                const GemmProblem& problem,
                                Scratch& scratch,
                                const Trial& trial);

  // Rule "checksum": the first line whose sum is off by more than ChecksumBound.
  Result<Verdict> Check(const Trial& trial, DeviceAddress d);

 private:
  enum class Along : std::uint8_t { kRows, kCols };

  // Signed sum and size of every row (or column) of every item.
  struct Sums {
    std::vector<double> sum, size;
  };

  Checksums(Device& device, SupportKernels& support, const GemmProblem& problem, Scratch& scratch)
      : device_(&device), support_(&support), problem_(problem), scratch_(&scratch) {}

  Result<Sums> Expected(const GemmParams& params, Along along);
  Result<Sums> Actual(DeviceAddress d, Along along);
  Status AddProduct(const GemmParams& params, Along along);
  // A term of D, as D's view over `data`, whose rows or columns are summed into the outer vectors.
  Status AddTerm(const MatrixView& view, double scale, Along along);
  [[nodiscard]] SumParams Into(const DeviceBuffer& vectors, const MatrixView& view) const;
  Result<Sums> Take(std::int64_t lines);
  [[nodiscard]] Verdict Compare(const Sums& want, const Sums& got, Along along) const;

  Device* device_;
  SupportKernels* support_;
  GemmProblem problem_;
  Scratch* scratch_;
  ErrorBound bound_{};
  std::array<Sums, 2> want_;  // by Along
};

}  // namespace tw
