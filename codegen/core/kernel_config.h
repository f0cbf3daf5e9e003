// KernelConfig: a family's name and its ordered knob values. Generic, so that store, proto and
// search never change when a family gains a knob.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/core/status.h"

namespace tw {

struct KernelConfig {
  std::string family;
  std::vector<std::pair<std::string, int>> knobs;  // in the family's order

  friend bool operator==(const KernelConfig&, const KernelConfig&) = default;

  // Requires: the knob exists.
  [[nodiscard]] int Get(std::string_view knob) const;
};

// "mma_sync:tile_m=128,tile_n=128".
std::string Text(const KernelConfig& config);
Result<KernelConfig> ParseKernelConfig(std::string_view text);

// 16 hex digits: the candidate's id, a hash of Text(config).
std::string CandidateId(const KernelConfig& config);

}  // namespace tw
