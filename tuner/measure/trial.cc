// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/trial.h"

#include "tuner/measure/error_bound.h"

namespace tw {

Trial::Trial(SupportKernels& support, const GemmProblem& problem, const TrialSpec& spec)
    : support_(&support),
      problem_(problem),
      spec_(spec),
      bound_(IsExact(problem, spec.pattern) ? BoundForIntegers(problem) : BoundForNormal(problem)) {
}

Result<Trial> Trial::Make(Device& device,
                          SupportKernels& support,
                          const GemmProblem& problem,
                          const TrialSpec& spec) {
  DeviceMemory& memory = device.Memory();
  Trial trial(support, problem, spec);
  for (Part part : kOperandParts) {
    if (!HasBuffer(problem, part))
      continue;
    const DType type = TypeOf(problem, part);
    const std::int64_t bytes = SpanOf(ViewOf(problem, part)) * BytesOf(type);
    TW_ASSIGN_OR_RETURN(
        trial.operands_[static_cast<std::size_t>(part)],
        GuardedBuffer::Make(memory, bytes, AlignmentOf(problem, part), PoisonOf(type)));
  }
  const std::int64_t slots = SlotsOf(ViewOf(problem, Part::kD), spec.coverage);
  constexpr auto kReferenceBytes = static_cast<std::int64_t>(sizeof(double));
  constexpr auto kMagnitudeBytes = static_cast<std::int64_t>(sizeof(float));
  TW_ASSIGN_OR_RETURN(trial.reference_, DeviceBuffer::Allocate(memory, slots * kReferenceBytes));
  if (trial.bound_.accumulate > 0) {
    TW_ASSIGN_OR_RETURN(trial.magnitude_, DeviceBuffer::Allocate(memory, slots * kMagnitudeBytes));
  }
  TW_RETURN_IF_ERROR(trial.Restore());
  return trial;
}

Status Trial::Restore() {
  for (Part part : kOperandParts) {
    GuardedBuffer& buffer = operands_[static_cast<std::size_t>(part)];
    if (buffer.data() != 0)
      TW_RETURN_IF_ERROR(buffer.Poison());
    if (!IsUsed(problem_, part))
      continue;
    TW_RETURN_IF_ERROR(Fill(part, ViewOf(problem_, part), buffer.data()));
  }
  return support_->ComputeReference({Params(0, 0), spec_.coverage,
                                     DevicePointer<double>(reference_.address()),
                                     DevicePointer<float>(magnitude_.address())});
}

Status Trial::Fill(Part part, MatrixView view, DeviceAddress data) const {
  view.data = DevicePointer<void>(data);
  return support_->Fill(
      part, {view, /*copies=*/1, /*copy_bytes=*/0, SeedOf(spec_.seed, part), spec_.pattern});
}

GemmParams Trial::Params(DeviceAddress d, DeviceAddress workspace) const {
  auto operand = [this](Part part) {
    return DevicePointer<const void>(operands_[static_cast<std::size_t>(part)].data());
  };
  GemmParams params = ParamsOf(problem_);
  params.a = operand(Part::kA);
  params.b = operand(Part::kB);
  // A C that must not be read is D's poison: no memory, and a NaN for whoever reads it
  // nevertheless.
  params.c = IsUsed(problem_, Part::kC) ? operand(Part::kC) : DevicePointer<const void>(d);
  params.bias = operand(Part::kBias);
  params.scale_a = static_cast<const float*>(operand(Part::kScaleA));
  params.scale_b = static_cast<const float*>(operand(Part::kScaleB));
  params.d = DevicePointer<void>(d);
  params.workspace = DevicePointer<void>(workspace);
  return params;
}

Result<GemmParams> Trial::ParamsInPlace(DeviceAddress d, DeviceAddress workspace) const {
  TW_RETURN_IF_ERROR(Fill(Part::kC, ViewOf(problem_, Part::kC), d));
  GemmParams params = Params(d, workspace);
  params.c = params.d;
  return params;
}

CompareParams Trial::Comparison(DeviceAddress d) const {
  CompareParams params{};
  params.d = ViewOf(problem_, Part::kD);
  params.d.data = DevicePointer<void>(d);
  params.coverage = spec_.coverage;
  params.reference = DevicePointer<const double>(reference_.address());
  params.magnitude = DevicePointer<const float>(magnitude_.address());
  params.bound = bound_;
  params.report = -1;
  params.poison = PoisonOf(problem_.d.type);
  return params;
}

}  // namespace tw
