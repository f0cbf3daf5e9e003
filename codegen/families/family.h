// KernelFamily: what the rest of the system knows of a kernel family. One constant each,
// listed in registry.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/kernel_config.h"
#include "codegen/core/status.h"

namespace tw {

struct KnobDomain {
  std::string_view name;
  std::span<const int> values;
};

// Why a configuration is not legal: `rule` is from a closed set ("smem", "threads", "alignment",
// "registers", "tile_exceeds_problem", …) and is counted; `detail` carries the numbers.
struct Rejection {
  std::string rule;
  std::string detail;
};

// Either the resources of a legal configuration or the first rule that it breaks.
struct PlanResult {
  std::optional<Resources> resources;
  Rejection rejection;
};

// The pieces of the generated entry file that depend on the candidate (entry.cu.in).
struct EntryParts {
  std::string entry;  // name of the first kernel: "tw_mma_sync_f16_nt_128x128x32_s3_…"
  std::vector<std::string> includes;  // "tw/families/mma_sync.cuh", epilogue pieces
  std::string candidate_struct;  // body of `struct Candidate { … }`: constexpr plan and aliases
  std::string static_asserts;    // the host's predicted resources equal the kernel's own
  std::string kernels;           // the extern "C" __global__ functions
};

struct KernelFamily {
  std::string_view name;
  std::string_view summary;  // one line for `explain` and the docs
  int min_cc;                // 80 for sm_80
  int max_cc;
  std::span<const KnobDomain> knobs;
  // Why the family cannot carry the problem on this device at all; empty if it can.
  std::optional<std::string> (*unsupported)(const GemmProblem&, const DeviceSpec&);
  // Legality and resources by the family's plan header. Hard limits of the device included.
  PlanResult (*plan)(const GemmProblem&, const DeviceSpec&, const KernelConfig&);
  // Requires: plan() gave resources.
  EntryParts (*emit)(const GemmProblem&, const DeviceSpec&, const KernelConfig&);
  // Requires: plan() gave resources. Entry names equal those of emit().
  LaunchPlan (*launch)(const GemmProblem&, const DeviceSpec&, const KernelConfig&);
  // Calls `visit` with every combination worth considering in a fixed order, legal or not;
  // stops when it returns false. Empty function pointer: the plain product of the knobs.
  void (*enumerate)(const GemmProblem&,
                    const DeviceSpec&,
                    const std::function<bool(const KernelConfig&)>& visit);
  // The first kernel of a launch plan may be launched programmatically (KernelLaunch).
  bool waits_for_dependencies = false;
};

}  // namespace tw
