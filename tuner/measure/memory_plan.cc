// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/memory_plan.h"

#include <algorithm>
#include <cmath>

#include "tuner/measure/inputs.h"

namespace tw {
namespace {

constexpr std::int64_t kMaxCopies = 4096;
constexpr double kUsableShare = 0.9;     // of free memory: the driver needs some itself
constexpr double kReferenceShare = 0.4;  // of free memory, for all references together
constexpr std::int64_t kReferenceBytes = 8;
constexpr std::int64_t kMagnitudeBytes = 4;

// A sum of sizes that remembers an overflow.
class Bytes {
 public:
  Bytes& Add(std::int64_t count, std::int64_t size = 1) {
    std::int64_t product = 0;
    overflow_ |= __builtin_mul_overflow(count, size, &product) ||
                 __builtin_add_overflow(total_, product, &total_);
    return *this;
  }

  [[nodiscard]] bool overflow() const { return overflow_; }

  [[nodiscard]] std::int64_t total() const { return total_; }

 private:
  std::int64_t total_ = 0;
  bool overflow_ = false;
};

std::int64_t PayloadBytes(const GemmProblem& problem, Part part) {
  return SpanOf(ViewOf(problem, part)) * BytesOf(TypeOf(problem, part));
}

void AddGuarded(const GemmProblem& problem, Part part, Bytes& bytes) {
  bytes.Add(PayloadBytes(problem, part))
      .Add(2 * kGuardBytes + AlignmentOf(problem, part) + kBufferAlignment);
}

std::int64_t CopiesFor(const GemmProblem& problem, Objective objective, std::int64_t l2_bytes) {
  if (objective == Objective::kWarm)
    return 1;
  const double touched = std::max(MinimumBytes(problem), 1.0);
  const double copies = std::ceil(2 * static_cast<double>(l2_bytes) / touched);
  return static_cast<std::int64_t>(std::clamp(copies, 1.0, static_cast<double>(kMaxCopies)));
}

Status TooLarge(std::int64_t needed, std::int64_t usable) {
  return {StatusCode::kResourceExhausted,
          "measuring needs " + std::to_string(needed) + " bytes of device memory, " +
              std::to_string(usable) +
              " are usable: free memory on the device or tune a smaller "
              "problem"};
}

}  // namespace

std::int64_t GuardedBytes(std::int64_t payload, std::int64_t align_bytes) {
  return payload + 2 * kGuardBytes + align_bytes + kBufferAlignment;
}

Result<MemoryPlan> PlanMemory(const GemmProblem& problem,
                              Objective objective,
                              const MemoryLimits& limits) {
  Bytes operands;
  for (Part part : {Part::kA, Part::kB, Part::kC, Part::kBias})
    AddGuarded(problem, part, operands);
  Bytes outputs;
  AddGuarded(problem, Part::kD, outputs);
  AddGuarded(problem, Part::kD, outputs);
  Bytes copy;
  for (Part part : kAllParts) {
    if (IsUsed(problem, part))
      copy.Add(PayloadBytes(problem, part)).Add(kBufferAlignment);
  }
  const std::int64_t elements = ViewOf(problem, Part::kD).Count();
  Bytes judged;
  judged.Add(operands.total())
      .Add(outputs.total())
      .Add(elements, kReferenceBytes + kMagnitudeBytes);
  Bytes smallest;
  smallest.Add(judged.total()).Add(copy.total());
  const auto usable =
      static_cast<std::int64_t>(kUsableShare * static_cast<double>(limits.free_bytes));
  const bool overflow = operands.overflow() || outputs.overflow() || copy.overflow() ||
                        judged.overflow() || smallest.overflow();
  if (overflow)
    return TooLarge(std::numeric_limits<std::int64_t>::max(), usable);
  if (smallest.total() > usable)
    return TooLarge(smallest.total(), usable);

  MemoryPlan plan;
  plan.judged_bytes = judged.total();
  plan.copy_bytes = copy.total();
  const std::int64_t second = operands.total() + elements * kReferenceBytes;
  const double references = static_cast<double>(elements) * (2 * kReferenceBytes + kMagnitudeBytes);
  if (HasIntegerTrial(problem) &&
      references <= kReferenceShare * static_cast<double>(limits.free_bytes) &&
      second <= usable - smallest.total()) {
    plan.integer_trial = true;
    plan.judged_bytes += second;
  }
  plan.copies = std::min(CopiesFor(problem, objective, limits.l2_bytes),
                         (usable - plan.judged_bytes) / std::max<std::int64_t>(plan.copy_bytes, 1));
  return plan;
}

}  // namespace tw
