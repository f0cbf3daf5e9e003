// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/common.h"

#include <algorithm>
#include <utility>

namespace tw {

std::string LayoutLetters(const GemmProblem& problem) {
  std::string letters;
  for (const Operand* op : {&problem.a, &problem.b})
    letters += op->major == Major::kRow ? 'n' : 't';
  return letters;
}

std::string TypeLetters(const GemmProblem& problem) {
  std::string letters(Name(problem.a.type));
  if (problem.b.type != problem.a.type)
    letters.append("_").append(Name(problem.b.type));
  return letters;
}

int AlignedElements(const Operand& op, std::int64_t batch) {
  return std::max(1, RowAlignment(op, batch) / BytesOf(op.type));
}

PlanResult Reject(std::string_view rule, std::string detail) {
  PlanResult result;
  result.rejection = {std::string(rule), std::move(detail)};
  return result;
}

std::string Exceeds(std::int64_t value, std::int64_t limit) {
  return std::to_string(value) + " > " + std::to_string(limit);
}

std::string PlanField(std::string_view name, int value) {
  return "      ." + std::string(name) + " = " + std::to_string(value) + ",\n";
}

std::string PlanFlag(std::string_view name, bool value) {
  return "      ." + std::string(name) + " = " + (value ? "true" : "false") + ",\n";
}

std::string HostAgrees(std::string_view constant, int value) {
  return "static_assert(Kernel::" + std::string(constant) + " == " + std::to_string(value) +
         ", \"as the host planned\");\n";
}

bool InDomain(std::span<const KnobDomain> knobs, const KernelConfig& config) {
  auto fits = [](const KnobDomain& domain, const std::pair<std::string, int>& knob) {
    return domain.name == knob.first && std::find(domain.values.begin(), domain.values.end(),
                                                  knob.second) != domain.values.end();
  };
  return std::equal(knobs.begin(), knobs.end(), config.knobs.begin(), config.knobs.end(), fits);
}

}  // namespace tw
