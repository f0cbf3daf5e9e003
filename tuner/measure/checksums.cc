// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/checksums.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <sstream>
#include <utility>

#include "tuner/measure/error_bound.h"

namespace tw {
namespace {

constexpr std::uint64_t kSignSeed = 0x517cc1b7;

// The view whose rows are the lines to sum: itself, or its transpose.
MatrixView Oriented(MatrixView view, bool transpose) {
  if (transpose) {
    std::swap(view.rows, view.cols);
    view.row_major = view.row_major != 0 ? 0 : 1;
  }
  return view;
}

// Every item of a batch, also where all share one.
MatrixView Broadcast(MatrixView view, const GemmProblem& problem, const void* data) {
  view.batch = problem.batch;
  view.data = const_cast<void*>(data);  // the sums only read
  return view;
}

// The bias as a matrix of D's shape.
MatrixView BiasOverD(const GemmProblem& p, const void* data) {
  MatrixView view{nullptr, p.m, p.n, p.batch, 0, 0, p.epilogue.bias == BiasKind::kCol ? 1 : 0};
  return Broadcast(view, p, data);
}

}  // namespace

Result<Checksums::Scratch> Checksums::Scratch::Make(Device& device, const GemmProblem& problem) {
  constexpr std::int64_t kBytes = 2 * sizeof(double);
  Scratch scratch;
  TW_ASSIGN_OR_RETURN(scratch.inner_,
                      DeviceBuffer::Allocate(device.Memory(), problem.k * problem.batch * kBytes));
  TW_ASSIGN_OR_RETURN(scratch.outer_,
                      DeviceBuffer::Allocate(device.Memory(), std::max(problem.m, problem.n) *
                                                                  problem.batch * kBytes));
  return scratch;
}

bool Checksums::Apply(const GemmProblem& problem) {
  const DType d = problem.d.type;
  // Sums of whole integers leave the range of 16-bit floats and saturate the 8-bit types: no sum of
  // what then is stored says anything.
  const bool may_overflow =
      (Saturates(d) && d != DType::kS32) || (Info(problem.acc).integer && d == DType::kF16);
  const bool same_types =
      BiasType(problem) == d && (!IsUsed(problem, Part::kC) || problem.c.type == d);
  const bool scaled = problem.epilogue.scale != ScaleKind::kNone;
  return problem.epilogue.activation == "none" && !scaled && !may_overflow && same_types;
}

Result<Checksums> Checksums::Make(Device& device,
                                  SupportKernels& support,
                                  const GemmProblem& problem,
                                  Scratch& scratch,
                                  const Trial& trial) {
  Checksums checksums(device, support, problem, scratch);
  checksums.bound_ = trial.bound();
  const GemmParams params = trial.Params(0, 0);
  for (Along along : {Along::kRows, Along::kCols}) {
    TW_ASSIGN_OR_RETURN(checksums.want_[static_cast<std::size_t>(along)],
                        checksums.Expected(params, along));
  }
  return checksums;
}

Result<Verdict> Checksums::Check(const Trial& trial, DeviceAddress d) {
  for (Along along : {Along::kRows, Along::kCols}) {
    TW_ASSIGN_OR_RETURN(Sums got, Actual(d, along));
    Verdict verdict = Compare(want_[static_cast<std::size_t>(along)], got, along);
    if (!verdict.ok()) {
      verdict.detail += ", " + std::string(Name(trial.pattern())) + " operands";
      return verdict;
    }
  }
  return Verdict{};
}

Result<Checksums::Sums> Checksums::Expected(const GemmParams& params, Along along) {
  const GemmProblem& p = problem_;
  TW_RETURN_IF_ERROR(
      device_->Memory().Set(scratch_->outer_.address(), 0, scratch_->outer_.bytes()));
  if (IsUsed(p, Part::kA))
    TW_RETURN_IF_ERROR(AddProduct(params, along));
  if (IsUsed(p, Part::kBias))
    TW_RETURN_IF_ERROR(AddTerm(BiasOverD(p, params.bias), 1, along));
  if (IsUsed(p, Part::kC))
    TW_RETURN_IF_ERROR(AddTerm(Broadcast(ViewOf(p, Part::kC), p, params.c), params.beta, along));
  return Take((along == Along::kRows ? p.m : p.n) * p.batch);
}

Status Checksums::AddProduct(const GemmParams& params, Along along) {
  const GemmProblem& p = problem_;
  const bool rows = along == Along::kRows;
  const MatrixView a = Oriented(Broadcast(ViewOf(p, Part::kA), p, params.a), !rows);
  const MatrixView b = Oriented(Broadcast(ViewOf(p, Part::kB), p, params.b), !rows);
  TW_RETURN_IF_ERROR(
      device_->Memory().Set(scratch_->inner_.address(), 0, scratch_->inner_.bytes()));
  const SumParams inner = Into(scratch_->inner_, rows ? b : a);
  TW_RETURN_IF_ERROR(support_->SumRows(rows ? Part::kB : Part::kA, inner));
  SumParams outer = Into(scratch_->outer_, rows ? a : b);
  outer.weights = inner.sum;
  outer.weight_sizes = inner.size;
  outer.scale = params.alpha;
  return support_->SumRows(rows ? Part::kA : Part::kB, outer);
}

Status Checksums::AddTerm(const MatrixView& view, double scale, Along along) {
  SumParams sum = Into(scratch_->outer_, Oriented(view, along == Along::kCols));
  sum.scale = scale;
  return support_->SumRows(Part::kD, sum);
}

Result<Checksums::Sums> Checksums::Actual(DeviceAddress d, Along along) {
  const GemmProblem& p = problem_;
  TW_RETURN_IF_ERROR(
      device_->Memory().Set(scratch_->outer_.address(), 0, scratch_->outer_.bytes()));
  const MatrixView view = Broadcast(ViewOf(p, Part::kD), p, DevicePointer<const void>(d));
  SumParams sum = Into(scratch_->outer_, Oriented(view, along == Along::kCols));
  sum.kind = SumSize::kRounding;
  TW_RETURN_IF_ERROR(support_->SumRows(Part::kD, sum));
  return Take((along == Along::kRows ? p.m : p.n) * p.batch);
}

SumParams Checksums::Into(const DeviceBuffer& vectors, const MatrixView& view) const {
  SumParams params{};
  params.matrix = view;
  params.seed = kSignSeed;
  params.scale = 1;
  params.kind = SumSize::kMagnitude;
  params.bound = bound_;
  params.sum = DevicePointer<double>(vectors.address());
  params.size =
      DevicePointer<double>(vectors.address() + static_cast<DeviceAddress>(vectors.bytes() / 2));
  return params;
}

Result<Checksums::Sums> Checksums::Take(std::int64_t lines) {
  TW_RETURN_IF_ERROR(device_->Synchronize());
  const DeviceBuffer& from = scratch_->outer_;
  Sums sums{std::vector<double>(static_cast<std::size_t>(lines)),
            std::vector<double>(static_cast<std::size_t>(lines))};
  TW_RETURN_IF_ERROR(
      device_->Memory().Read(std::as_writable_bytes(std::span(sums.sum)), from.address()));
  TW_RETURN_IF_ERROR(
      device_->Memory().Read(std::as_writable_bytes(std::span(sums.size)),
                             from.address() + static_cast<DeviceAddress>(from.bytes() / 2)));
  return sums;
}

Verdict Checksums::Compare(const Sums& want, const Sums& got, Along along) const {
  const bool rows = along == Along::kRows;
  const std::int64_t terms = rows ? problem_.n : problem_.m;
  std::uint64_t wrong = 0;
  Verdict first;
  for (std::size_t i = 0; i < want.sum.size(); ++i) {
    const double bound = ChecksumBound(bound_, want.size[i], got.size[i], terms);
    if (std::abs(got.sum[i] - want.sum[i]) <= bound || wrong++ > 0)  // a NaN is beyond
      continue;
    const auto lines = static_cast<std::size_t>(rows ? problem_.m : problem_.n);
    std::ostringstream detail;
    detail << (rows ? "row " : "column ") << i % lines << " of item " << i / lines
           << ": signed sum of D = " << got.sum[i] << ", want " << want.sum[i] << " within "
           << bound;
    first = Wrong("checksum", detail.str(), 0);
    first.bound = bound;
    first.error_ratio = std::abs(got.sum[i] - want.sum[i]) / bound;
  }
  if (wrong > 0) {
    first.detail += "; " + std::to_string(wrong) + " of " + std::to_string(want.sum.size()) +
                    (rows ? " rows" : " columns");
    first.wrong_count = wrong;
  }
  return first;
}

}  // namespace tw
