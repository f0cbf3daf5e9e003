// The judging kernels and a right candidate, on the CPU, with the device kernels' meaning
// (templates/tw/verify). Slow and simple.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/core/gemm_problem.h"
#include "tw/verify/params.h"

namespace tw {

// Sum and magnitude of the products, before the epilogue: m*n*batch each, row by row.
struct FakeProduct {
  const void* a = nullptr;
  const void* b = nullptr;
  std::vector<double> sum;
  std::vector<double> magnitude;
};

// Not thread-safe. Pointers in the parameters are host addresses.
class FakeKernels {
 public:
  explicit FakeKernels(GemmProblem problem) : problem_(std::move(problem)) {}

  // Copy 0 only: the other copies are timed, and a fake has no caches.
  void Fill(const FillParams& params, DType type, KAxis axis);
  void FillScales(const FillParams& params);
  void Reference(const ReferenceParams& params);
  void Compare(const CompareParams& params) const;
  void Guard(const GuardParams& params) const;
  void Scan(const ScanParams& params) const;
  void HashLines(const HashParams& params) const;
  static void SumRows(const SumParams& params, DType type);

  // Computes D as a right kernel would.
  void Candidate(const GemmParams& params);

  // Address of D's last element.
  [[nodiscard]] std::byte* LastElement(const GemmParams& params) const;

  [[nodiscard]] const GemmProblem& problem() const { return problem_; }

 private:
  struct Element {
    double value = 0;
    double magnitude = 0;
  };

  // Kept until A or B is filled anew: every candidate multiplies the same operands.
  const FakeProduct& ProductOf(const GemmParams& params);
  void Multiply(const GemmParams& params, std::int64_t item, FakeProduct& product) const;

  // The epilogue in double precision.
  [[nodiscard]] Element Finish(const GemmParams& params,
                               const FakeProduct& product,
                               const Position& at) const;

  GemmProblem problem_;
  std::vector<FakeProduct> products_;
};

}  // namespace tw
