// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/trial.h"

#include "tuner/measure/error_bound.h"

namespace tw {
namespace {

constexpr std::array<Part, 4> kOperands{Part::kA, Part::kB, Part::kC, Part::kBias};

}  // namespace

Trial::Trial(SupportKernels& support, const GemmProblem& problem, const TrialSpec& spec)
    : support_(&support),
      problem_(problem),
      spec_(spec),
      bound_(spec.pattern == FillPattern::kNormal ? BoundForNormal(problem)
                                                  : BoundForIntegers(problem)) {}

Result<Trial> Trial::Make(Device& device,
                          SupportKernels& support,
                          const GemmProblem& problem,
                          const TrialSpec& spec) {
  DeviceMemory& memory = device.Memory();
  Trial trial(support, problem, spec);
  for (Part part : kOperands) {
    const DType type = TypeOf(problem, part);
    const std::int64_t bytes = SpanOf(ViewOf(problem, part)) * BytesOf(type);
    TW_ASSIGN_OR_RETURN(
        trial.operands_[static_cast<std::size_t>(part)],
        GuardedBuffer::Make(memory, bytes, AlignmentOf(problem, part), PoisonOf(type)));
  }
  const std::int64_t elements = ViewOf(problem, Part::kD).Count();
  constexpr auto kReferenceBytes = static_cast<std::int64_t>(sizeof(double));
  constexpr auto kMagnitudeBytes = static_cast<std::int64_t>(sizeof(float));
  TW_ASSIGN_OR_RETURN(trial.reference_, DeviceBuffer::Allocate(memory, elements * kReferenceBytes));
  if (trial.bound_.accumulate > 0) {
    TW_ASSIGN_OR_RETURN(trial.magnitude_,
                        DeviceBuffer::Allocate(memory, elements * kMagnitudeBytes));
  }
  TW_RETURN_IF_ERROR(trial.Restore());
  return trial;
}

Status Trial::Restore() {
  for (Part part : kOperands) {
    GuardedBuffer& buffer = operands_[static_cast<std::size_t>(part)];
    TW_RETURN_IF_ERROR(buffer.Poison());
    if (!IsUsed(problem_, part))
      continue;
    MatrixView view = ViewOf(problem_, part);
    view.data = DevicePointer<void>(buffer.data());
    TW_RETURN_IF_ERROR(support_->Fill(
        part, {view, /*copies=*/1, /*copy_bytes=*/0, SeedOf(spec_.seed, part), spec_.pattern}));
  }
  return support_->ComputeReference({Params(0, 0), DevicePointer<double>(reference_.address()),
                                     DevicePointer<float>(magnitude_.address())});
}

GemmParams Trial::Params(DeviceAddress d, DeviceAddress workspace) const {
  auto operand = [this](Part part) {
    return DevicePointer<const void>(operands_[static_cast<std::size_t>(part)].data());
  };
  GemmParams params = ParamsOf(problem_);
  params.a = operand(Part::kA);
  params.b = operand(Part::kB);
  params.c = operand(Part::kC);
  params.bias = operand(Part::kBias);
  params.d = DevicePointer<void>(d);
  params.workspace = DevicePointer<void>(workspace);
  return params;
}

CompareParams Trial::Comparison(DeviceAddress d) const {
  CompareParams params{};
  params.d = ViewOf(problem_, Part::kD);
  params.d.data = DevicePointer<void>(d);
  params.reference = DevicePointer<const double>(reference_.address());
  params.magnitude = DevicePointer<const float>(magnitude_.address());
  params.bound = bound_;
  params.report = -1;
  params.poison = PoisonOf(problem_.d.type);
  return params;
}

}  // namespace tw
