// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/timed_buffers.h"

#include "tuner/measure/memory_plan.h"

namespace tw {

Result<TimedBuffers> TimedBuffers::Make(Device& device,
                                        SupportKernels& support,
                                        const GemmProblem& problem,
                                        const Spec& spec) {
  TimedBuffers buffers(device, support, problem, spec);
  for (Part part : kAllParts) {
    if (!IsUsed(problem, part))
      continue;
    TW_ASSIGN_OR_RETURN(
        buffers.buffers_[static_cast<std::size_t>(part)],
        DeviceBuffer::Allocate(device.Memory(), spec.copies * buffers.CopyBytes(part)));
  }
  TW_RETURN_IF_ERROR(buffers.Fill());
  return buffers;
}

Status TimedBuffers::Fill() {
  for (Part part : kAllParts) {
    if (part == Part::kD || !IsUsed(problem_, part))
      continue;
    MatrixView view = ViewOf(problem_, part);
    view.data = DevicePointer<void>(AddressOf(part, 0));
    TW_RETURN_IF_ERROR(support_->Fill(part, {view, spec_.copies, CopyBytes(part),
                                             SeedOf(spec_.seed, part), FillPattern::kNormal}));
  }
  return device_->Synchronize();
}

Status TimedBuffers::PoisonFirstOutput() {
  return device_->Memory().Set(first_output(), PoisonOf(problem_.d.type), PayloadBytes(Part::kD));
}

GemmParams TimedBuffers::Params(std::int64_t copy, DeviceAddress workspace) const {
  GemmParams params = ParamsOf(problem_);
  params.a = DevicePointer<const void>(AddressOf(Part::kA, copy));
  params.b = DevicePointer<const void>(AddressOf(Part::kB, copy));
  params.c = DevicePointer<const void>(IsUsed(problem_, Part::kC) ? AddressOf(Part::kC, copy)
                                                                  : spec_.unread_c);
  params.bias = DevicePointer<const void>(AddressOf(Part::kBias, copy));
  params.scale_a = DevicePointer<const float>(AddressOf(Part::kScaleA, copy));
  params.scale_b = DevicePointer<const float>(AddressOf(Part::kScaleB, copy));
  params.d = DevicePointer<void>(AddressOf(Part::kD, copy));
  params.workspace = DevicePointer<void>(workspace);
  return params;
}

DeviceAddress TimedBuffers::AddressOf(Part part, std::int64_t copy) const {
  return buffers_[static_cast<std::size_t>(part)].address() +
         static_cast<DeviceAddress>(copy * CopyBytes(part));
}

std::int64_t TimedBuffers::PayloadBytes(Part part) const {
  return SpanOf(ViewOf(problem_, part)) * BytesOf(TypeOf(problem_, part));
}

std::int64_t TimedBuffers::CopyBytes(Part part) const {
  return RoundUp(PayloadBytes(part), kBufferAlignment);
}

}  // namespace tw
