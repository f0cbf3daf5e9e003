// What a verifier says of a candidate. A wrong candidate is data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/core/outcome.h"

namespace tw {

struct Verdict {
  // kMeasured: right. kLaunchError: "launch_refused", "workspace_memory". kWrongResult:
  // "wrong_element", "nan", "unwritten", "out_of_bounds_write", "nondeterministic", "checksum",
  // "workspace_not_restored".
  OutcomeKind kind = OutcomeKind::kMeasured;
  std::string rule;
  std::string detail;             // where, by how much, on which operands; one line
  double error_ratio = 0;         // worst |d - ref| / bound over all trials
  double bound = 0;               // of the element that `detail` names
  std::uint64_t wrong_count = 0;  // elements, bytes or lines that the rule counts
  std::string coverage;           // how much of D was looked at

  [[nodiscard]] bool ok() const { return kind == OutcomeKind::kMeasured; }

  friend bool operator==(const Verdict&, const Verdict&) = default;
};

inline Verdict Wrong(std::string_view rule, std::string detail, std::uint64_t count) {
  Verdict verdict;
  verdict.kind = OutcomeKind::kWrongResult;
  verdict.rule = rule;
  verdict.detail = std::move(detail);
  verdict.wrong_count = count;
  return verdict;
}

}  // namespace tw
