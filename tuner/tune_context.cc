// SPDX-License-Identifier: Apache-2.0
#include "tuner/tune_context.h"

#include <algorithm>

#include "codegen/core/check.h"

namespace tw {

const KernelFamily& TuneContext::FamilyOf(const KernelConfig& config) const {
  const auto at = std::find_if(families.begin(), families.end(), [&](const KernelFamily* family) {
    return family->name == config.family;
  });
  TW_CHECK(at != families.end());
  return **at;
}

Result<KernelSource> TuneContext::Source(const KernelConfig& config) const {
  const SourceInput input{
      .family = FamilyOf(config), .problem = spec.problem, .device = spec.device, .config = config};
  return BuildSource(input, deps.templates);
}

LaunchPlan TuneContext::Launch(const KernelConfig& config) const {
  const KernelFamily& family = FamilyOf(config);
  LaunchPlan plan = family.launch(spec.problem, spec.device, config);
  // Blocks that wait for each other leave the next launch no room to start in.
  if (spec.objective == Objective::kPdl && family.waits_for_dependencies &&
      !plan.launches.empty() && !plan.launches.front().cooperative) {
    plan.launches.front().programmatic = true;
  }
  return plan;
}

Result<CompiledKernel> TuneContext::Compile(const KernelConfig& config) const {
  TW_ASSIGN_OR_RETURN(const KernelSource source, Source(config));
  return deps.compiler.Compile(source, stop);
}

}  // namespace tw
