// SPDX-License-Identifier: Apache-2.0
#include "counted_dram.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "codegen/families/registry.h"
#include "tuner/compiled_rules.h"
#include "tuner/search/execution.h"

namespace tw {

Result<CountedCandidate> ToCount(const GemmProblem& problem,
                                 const DeviceSpec& device,
                                 const KernelConfig& config) {
  const KernelFamily* family = FindFamily(config.family);
  if (family == nullptr)
    return Status(StatusCode::kInvalidArgument, "no such family: " + Text(config));
  PlanResult plan = family->plan(problem, device, config);
  if (!plan.resources)
    return Status(StatusCode::kInvalidArgument, Text(config) + ": " + plan.rejection.rule);
  CountedCandidate counted;
  counted.candidate.config = config;
  counted.candidate.resources = *plan.resources;
  counted.plan = family->launch(problem, device, config);
  if (counted.plan.launches.size() != 1)
    return Status(StatusCode::kInvalidArgument, Text(config) + ": more than one launch");
  return counted;
}

DramPrediction PredictDram(const GemmProblem& problem,
                           const DeviceSpec& device,
                           const CountedCandidate& counted,
                           const CompiledKernel& kernel) {
  Candidate candidate = counted.candidate;
  candidate.resources.regs_estimate = NeedsOf(kernel, counted.plan).registers;
  const int resident = std::max(1, OccupancyOf(device, candidate.resources).blocks_per_sm);
  const std::int64_t slots = std::int64_t{resident} * device.sm_count;
  const double bytes =
      DramBytes(TrafficShapeOf(problem), TileOrderOf(problem, candidate, slots), device.l2_bytes);
  const double written =
      static_cast<double>(problem.m * problem.n * problem.batch * BytesOf(problem.d.type));
  return {.read = bytes - written, .written = written};
}

}  // namespace tw
