// Looks at what a candidate left in memory: elements against the reference, bytes that belong to
// none, lines of two runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/measure/guarded_buffer.h"
#include "tuner/measure/support_kernels.h"
#include "tuner/measure/trial.h"
#include "tuner/measure/verdict.h"

namespace tw {

// The buffers of one run.
struct RunBuffers {
  const Trial& trial;
  const GuardedBuffer& d;
  const GuardedBuffer& workspace;
};

// Of one problem. Outlived by the device and the support kernels. A Status: the device failed.
class Inspector {
 public:
  static Result<Inspector> Make(Device& device,
                                SupportKernels& support,
                                const GemmProblem& problem);

  // D's covered elements. `tiles`: those of the trial's coverage; empty where that is all of D.
  Result<Verdict> CompareElements(const Trial& trial,
                                  const std::vector<Position>& tiles,
                                  DeviceAddress d);

  // All of D, for what shows without a reference: unwritten elements and NaNs. Requires: no right
  // element is the poison, which holds for every type but 8-bit integers.
  Result<Verdict> Scan(const Trial& trial, DeviceAddress d);

  // Guards around all buffers, and the gaps inside D.
  Result<Verdict> CheckGuards(const RunBuffers& buffers);

  // The workspace's first bytes, which a run must leave zero for the next.
  Result<Verdict> CheckRestored(const RunBuffers& buffers, std::int64_t zero_bytes);

  // kHashBuckets sums over runs of D's lines.
  Result<std::vector<std::uint64_t>> HashLines(DeviceAddress d);

  // Of two runs on the same operands.
  [[nodiscard]] Verdict CompareHashes(const std::vector<std::uint64_t>& first,
                                      const std::vector<std::uint64_t>& second) const;

 private:
  struct Findings;

  Inspector(Device& device, SupportKernels& support, const GemmProblem& problem)
      : device_(&device), support_(&support), problem_(problem) {}

  Status Clear();
  Result<Findings> Collect();
  Status CheckEdges(const GuardedBuffer& buffer, std::size_t index);
  [[nodiscard]] BadSlots* GuardResult(std::size_t index) const;
  [[nodiscard]] MatrixView ViewOfD(DeviceAddress d) const;

  Device* device_;
  SupportKernels* support_;
  GemmProblem problem_;
  DeviceBuffer findings_;
  DeviceBuffer buckets_;
};

}  // namespace tw
