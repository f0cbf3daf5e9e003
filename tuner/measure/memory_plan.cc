// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/memory_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/measure/inputs.h"

namespace tw {
namespace {

constexpr std::int64_t kMaxCopies = 4096;
constexpr double kUsableShare = 0.9;     // of free memory: the driver needs some itself
constexpr double kReferenceShare = 0.4;  // of free memory, for all references together
constexpr std::int64_t kReferenceBytes = 8;
constexpr std::int64_t kMagnitudeBytes = 4;
// Past this a reference takes a tenth of a second: two trials must do.
constexpr double kManyTrialsFlops = 5e11;
constexpr std::size_t kFewTrials = 2;

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

// Elements of D with a reference.
std::int64_t SlotCount(const GemmProblem& problem, bool sampled) {
  return sampled ? SampledTileCount(problem) * kTileSlots : ViewOf(problem, Part::kD).Count();
}

std::int64_t CopiesFor(const GemmProblem& problem, Objective objective, std::int64_t l2_bytes) {
  if (objective == Objective::kWarm)
    return 1;
  const double touched = std::max(MinimumBytes(problem), 1.0);
  const double copies = std::ceil(2 * static_cast<double>(l2_bytes) / touched);
  // Where operands lie in memory decides how they share its channels: several places are averaged,
  // as long as they cost little.
  constexpr double kFewCopies = 4;
  constexpr double kLittleBytes = 256e6;
  const double least = touched <= kLittleBytes ? kFewCopies : 1;
  return static_cast<std::int64_t>(std::clamp(copies, least, static_cast<double>(kMaxCopies)));
}

Status TooLarge(std::int64_t needed, std::int64_t usable) {
  return {StatusCode::kResourceExhausted,
          "measuring needs " + std::to_string(needed) + " bytes of device memory, " +
              std::to_string(usable) +
              " are usable: free memory on the device or tune a smaller "
              "problem"};
}

// One trial's operands and reference.
Bytes TrialBytes(const GemmProblem& problem, FillPattern pattern, std::int64_t slots) {
  Bytes bytes;
  for (Part part : kOperandParts) {
    if (HasBuffer(problem, part))
      AddGuarded(problem, part, bytes);
  }
  bytes.Add(slots, kReferenceBytes);
  if (!IsExact(problem, pattern))
    bytes.Add(slots, kMagnitudeBytes);
  return bytes;
}

// D, and what sampling adds: the tiles, and the vectors of one checksum at a time.
Bytes OutputBytes(const GemmProblem& problem, bool sampled) {
  Bytes bytes;
  AddGuarded(problem, Part::kD, bytes);
  if (sampled) {
    bytes.Add(SampledTileCount(problem), std::int64_t{sizeof(Position)});
    bytes.Add(problem.k + std::max(problem.m, problem.n),
              problem.batch * std::int64_t{2 * sizeof(double)});
  }
  return bytes;
}

Bytes CopyBytes(const GemmProblem& problem) {
  Bytes bytes;
  for (Part part : kAllParts) {
    if (IsUsed(problem, part))
      bytes.Add(PayloadBytes(problem, part)).Add(kBufferAlignment);
  }
  return bytes;
}

// Adds trials while they are cheap and fit.
void AddTrials(const GemmProblem& problem,
               const MemoryLimits& limits,
               std::int64_t room,
               MemoryPlan& plan) {
  const auto most_for_references =
      static_cast<std::int64_t>(kReferenceShare * static_cast<double>(limits.free_bytes));
  const std::int64_t slots = SlotCount(problem, plan.sampled);
  std::int64_t references = slots * (kReferenceBytes + kMagnitudeBytes);
  const bool few = plan.sampled || Flops(problem) > kManyTrialsFlops;
  for (FillPattern pattern : PatternsFor(problem)) {
    if (pattern == FillPattern::kNormal)
      continue;
    if (few && plan.trials.size() >= kFewTrials)
      return;
    references += slots * (kReferenceBytes + (IsExact(problem, pattern) ? 0 : kMagnitudeBytes));
    const std::int64_t bytes = TrialBytes(problem, pattern, slots).total();
    if (references > most_for_references || bytes > room)
      return;
    room -= bytes;
    plan.judged_bytes += bytes;
    plan.trials.push_back(pattern);
  }
}

}  // namespace

std::int64_t GuardedBytes(std::int64_t payload, std::int64_t align_bytes) {
  return payload + 2 * kGuardBytes + align_bytes + kBufferAlignment;
}

Result<MemoryPlan> PlanMemory(const GemmProblem& problem,
                              Objective objective,
                              const MemoryLimits& limits) {
  MemoryPlan plan;
  plan.sampled = IsSampled(problem, limits.full_flops);
  const Bytes trial = TrialBytes(problem, FillPattern::kNormal, SlotCount(problem, plan.sampled));
  const Bytes output = OutputBytes(problem, plan.sampled);
  const Bytes copy = CopyBytes(problem);
  Bytes smallest;
  smallest.Add(trial.total()).Add(output.total()).Add(copy.total());
  const auto usable =
      static_cast<std::int64_t>(kUsableShare * static_cast<double>(limits.free_bytes));
  if (trial.overflow() || output.overflow() || copy.overflow() || smallest.overflow())
    return TooLarge(std::numeric_limits<std::int64_t>::max(), usable);
  if (smallest.total() > usable)
    return TooLarge(smallest.total(), usable);

  plan.trials = {FillPattern::kNormal};
  plan.judged_bytes = trial.total() + output.total();
  plan.copy_bytes = copy.total();
  AddTrials(problem, limits, usable - smallest.total(), plan);
  plan.copies = std::min(CopiesFor(problem, objective, limits.l2_bytes),
                         (usable - plan.judged_bytes) / std::max<std::int64_t>(plan.copy_bytes, 1));
  return plan;
}

}  // namespace tw
