// Small pieces that the families share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codegen/core/gemm_problem.h"
#include "codegen/families/family.h"

namespace tw {

// "nt": one letter for A and one for B; "n" is row-major.
std::string LayoutLetters(const GemmProblem& problem);

// "bf16"; "e4m3_e5m2" where B's type is another.
std::string TypeLetters(const GemmProblem& problem);

// Elements of the widest access that every row (column) start of an operand allows; a power of
// two of at most 16 bytes.
int AlignedElements(const Operand& op, std::int64_t batch);

// A plan's refusal; `detail` carries the numbers.
PlanResult Reject(std::string_view rule, std::string detail);

// "256 > 128" for details.
std::string Exceeds(std::int64_t value, std::int64_t limit);

// True where every knob of the family is present, in order, with a value of its domain.
bool InDomain(std::span<const KnobDomain> knobs, const KernelConfig& config);

// Lines of a plan in the generated source: "      .tile_m = 128,".
std::string PlanField(std::string_view name, int value);
std::string PlanFlag(std::string_view name, bool value);

// An assertion in the generated source that a constant of the kernel is what the host computed.
std::string HostAgrees(std::string_view constant, int value);

}  // namespace tw
