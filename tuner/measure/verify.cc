// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/verify.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "tuner/measure/coverage.h"
#include "tuner/measure/memory_plan.h"
#include "tw/verify/pattern.cuh"

namespace tw {
namespace {

// With the same operands, all bits compared: one run shows a race that is lost half of the time,
// more of them one that is lost seldom. Where D is huge a run takes long, and has many tiles to be
// wrong in.
constexpr int kMoreRuns = 10;
constexpr int kMoreRunsOnHuge = 4;

// How much of the L2 is filled with something else before a run. All of it: every load comes late,
// and all about equally so. Little of it: most warps find their data at once, a few wait for it,
// and who does not wait for those reads what is not there yet.
constexpr double kEvictedShares[] = {1, 0.125, 0.5, 0.03125, 0.25};

// Whether a caller may pass one buffer as C and D.
bool MayBeInPlace(const GemmProblem& p) {
  return IsUsed(p, Part::kC) && p.c.type == p.d.type && p.c.major == p.d.major &&
         p.c.ld == p.d.ld && p.c.batch_stride == p.d.batch_stride &&
         p.c.align_bytes <= p.d.align_bytes;
}

Verdict Refused(std::string_view rule, std::string detail) {
  Verdict verdict;
  verdict.kind = OutcomeKind::kLaunchError;
  verdict.rule = rule;
  verdict.detail = std::move(detail);
  return verdict;
}

// What to fill the L2 with before a run; `scratch` more than fills all of it.
DeviceSpan PartOf(const DeviceSpan& scratch, std::int64_t l2_bytes, int times_before) {
  const double share =
      kEvictedShares[static_cast<std::size_t>(times_before) % std::size(kEvictedShares)];
  if (share >= 1)
    return scratch;
  return {scratch.address, static_cast<std::int64_t>(share * static_cast<double>(l2_bytes))};
}

// A right value could be the poison.
bool PoisonIsAValue(const GemmProblem& p) {
  return Info(p.d.type).integer && BytesOf(p.d.type) == 1;
}

}  // namespace

Result<std::unique_ptr<Verifier>> Verifier::Open(Device& device,
                                                 SupportKernels& support,
                                                 const GemmProblem& problem,
                                                 const VerifierOptions& options) {
  TW_ASSIGN_OR_RETURN(Inspector inspector, Inspector::Make(device, support, problem));
  std::unique_ptr<Verifier> verifier(new Verifier(device, support, problem, std::move(inspector)));
  TW_RETURN_IF_ERROR(verifier->Allocate(options));
  TW_RETURN_IF_ERROR(device.Synchronize());
  return verifier;
}

Status Verifier::Allocate(const VerifierOptions& options) {
  check_determinism_ = options.check_determinism;
  TW_ASSIGN_OR_RETURN(
      d_, GuardedBuffer::Make(device_.Memory(),
                              SpanOf(ViewOf(problem_, Part::kD)) * BytesOf(problem_.d.type),
                              problem_.d.align_bytes, PoisonOf(problem_.d.type)));
  if (options.sampled)
    TW_RETURN_IF_ERROR(AllocateSample(options.seed));
  const Coverage coverage{DevicePointer<const Position>(device_tiles_.address()),
                          static_cast<std::int64_t>(tiles_.size())};
  for (FillPattern pattern : options.trials) {
    TW_ASSIGN_OR_RETURN(
        Trial trial, Trial::Make(device_, support_, problem_, {pattern, options.seed, coverage}));
    std::optional<Checksums> checksums;
    if (scratch_ != nullptr) {
      TW_ASSIGN_OR_RETURN(checksums,
                          Checksums::Make(device_, support_, problem_, *scratch_, trial));
    }
    judged_.push_back({std::move(trial), std::move(checksums)});
  }
  return OkStatus();
}

Status Verifier::AllocateSample(std::uint64_t seed) {
  tiles_ = SampledTiles(problem_, seed);
  const auto bytes = std::as_bytes(std::span(tiles_));
  TW_ASSIGN_OR_RETURN(
      device_tiles_,
      DeviceBuffer::Allocate(device_.Memory(), static_cast<std::int64_t>(bytes.size())));
  TW_RETURN_IF_ERROR(device_.Memory().Write(device_tiles_.address(), bytes));
  if (Checksums::Apply(problem_)) {
    TW_ASSIGN_OR_RETURN(Checksums::Scratch scratch, Checksums::Scratch::Make(device_, problem_));
    scratch_ = std::make_unique<Checksums::Scratch>(std::move(scratch));
  }
  return OkStatus();
}

Result<Verdict> Verifier::Check(const Contestant& candidate, const CheckScope& scope) {
  TW_ASSIGN_OR_RETURN(Verdict verdict, CheckAll(candidate, scope));
  verdict.coverage = coverage();
  return verdict;
}

Result<Verdict> Verifier::CheckAll(const Contestant& candidate, const CheckScope& scope) {
  TW_ASSIGN_OR_RETURN(Verdict verdict, PrepareWorkspace(candidate));
  double worst = 0;
  Judged* last = nullptr;
  for (Judged& judged : judged_) {
    if (scope.exact_operands_only && !DrawsIntegers(judged.trial.pattern()))
      continue;
    if (!verdict.ok())
      return verdict;
    TW_ASSIGN_OR_RETURN(verdict, CheckOn(candidate, judged));
    worst = std::max(worst, verdict.error_ratio);
    last = &judged;
  }
  if (last == nullptr)
    return Refused("unjudged", "no operands of this size that " +
                                   std::string(Info(problem_.a.type).name) + " holds exactly fit");
  // The last trial again: the workspace now holds what the run before left in it.
  if (verdict.ok()) {
    TW_ASSIGN_OR_RETURN(verdict, CheckAgain(candidate, *last));
    worst = std::max(worst, verdict.error_ratio);
  }
  if (verdict.ok() && scope.in_place && MayBeInPlace(problem_)) {
    TW_ASSIGN_OR_RETURN(verdict, CheckInPlace(candidate, judged_.front()));
    worst = std::max(worst, verdict.error_ratio);
  }
  verdict.error_ratio = worst;
  return verdict;
}

Result<Verdict> Verifier::CheckOutput(DeviceAddress d) {
  return JudgeOutput(judged_.front(), d);
}

Status Verifier::Restore() {
  for (Judged& judged : judged_)
    TW_RETURN_IF_ERROR(judged.trial.Restore());
  return device_.Synchronize();
}

DeviceAddress Verifier::unread_c() const {
  return d_.data();  // then C has D's layout
}

std::string Verifier::coverage() const {
  return CoverageText(problem_, static_cast<std::int64_t>(tiles_.size())) +
         (scratch_ != nullptr ? " and checksums of every row and column" : "");
}

Result<Verdict> Verifier::PrepareWorkspace(const Contestant& candidate) {
  const std::int64_t bytes = candidate.workspace_bytes();
  if (workspace_.data() == 0 || workspace_.payload_bytes() != bytes) {
    workspace_ = GuardedBuffer();
    auto made =
        GuardedBuffer::Make(device_.Memory(), bytes, kBufferAlignment, PoisonOf(problem_.acc));
    if (!made.ok() && made.status().code() == StatusCode::kResourceExhausted)
      return Refused("workspace_memory", made.status().message());
    TW_ASSIGN_OR_RETURN(workspace_, std::move(made));
  } else {
    TW_RETURN_IF_ERROR(workspace_.Poison());
  }
  if (const std::int64_t zero_bytes = candidate.workspace_zero_bytes(); zero_bytes > 0)
    TW_RETURN_IF_ERROR(device_.Memory().Set(workspace_.data(), 0, zero_bytes));
  return Verdict{};
}

Result<Verdict> Verifier::CheckOn(const Contestant& candidate, Judged& judged) {
  TW_RETURN_IF_ERROR(d_.Poison());
  TW_ASSIGN_OR_RETURN(Verdict verdict, Run(candidate, judged.trial,
                                           judged.trial.Params(d_.data(), workspace_.data()), 0));
  return verdict.ok() ? JudgeOutput(judged, d_.data()) : verdict;
}

Result<Verdict> Verifier::CheckAgain(const Contestant& candidate, Judged& judged) {
  if (!check_determinism_)
    return CheckOn(candidate, judged);
  TW_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> first, inspector_.HashLines(d_.data()));
  Verdict verdict;
  const int runs = tiles_.empty() ? kMoreRuns : kMoreRunsOnHuge;
  for (int run = 0; run < runs && verdict.ok(); ++run) {
    TW_RETURN_IF_ERROR(PoisonAnew(run));
    const GemmParams params = judged.trial.Params(d_.data(), workspace_.data());
    TW_ASSIGN_OR_RETURN(verdict, Run(candidate, judged.trial, params, run + 1));
    if (!verdict.ok())
      return verdict;
    TW_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> again, inspector_.HashLines(d_.data()));
    verdict = inspector_.CompareHashes(first, again);
  }
  return verdict;
}

// Where a right value could be the poison an element that nobody writes may pass for right: it has
// another value in every other run, and so another hash.
Status Verifier::PoisonAnew(int run) {
  constexpr int kOther = 0x5a;
  TW_RETURN_IF_ERROR(d_.Poison());
  const MatrixView view = ViewOf(problem_, Part::kD);
  const bool gaps = SpanOf(view) != view.Count();  // which must stay the poison
  if (!PoisonIsAValue(problem_) || gaps || run % 2 != 0 || d_.payload_bytes() == 0)
    return OkStatus();
  return device_.Memory().Set(d_.data(), kOther, d_.payload_bytes());
}

Result<Verdict> Verifier::CheckInPlace(const Contestant& candidate, Judged& judged) {
  TW_RETURN_IF_ERROR(d_.Poison());
  TW_ASSIGN_OR_RETURN(GemmParams params, judged.trial.ParamsInPlace(d_.data(), workspace_.data()));
  TW_ASSIGN_OR_RETURN(Verdict verdict, Run(candidate, judged.trial, params, 0));
  if (verdict.ok()) {
    TW_ASSIGN_OR_RETURN(verdict, JudgeOutput(judged, d_.data()));
  }
  if (!verdict.ok())
    verdict.detail += ", C in place";
  return verdict;
}

Result<Verdict> Verifier::Run(const Contestant& candidate,
                              const Trial& trial,
                              const GemmParams& params,
                              int times_before) {
  // Shared memory holds what no product needs, and operands come from a busy memory, late and out
  // of step: a kernel that does not wait for its data is wrong here, not only on a bad day.
  TW_RETURN_IF_ERROR(support_.ScrubShared(PoisonOf(problem_.acc)));
  TW_ASSIGN_OR_RETURN(const DeviceSpan scratch, device_.Scratch());
  if (scratch.bytes > 0) {
    TW_RETURN_IF_ERROR(
        support_.EvictCaches(PartOf(scratch, device_.Spec().l2_bytes, times_before)));
    TW_RETURN_IF_ERROR(device_.Synchronize());
    TW_RETURN_IF_ERROR(support_.StartTraffic(scratch));
  }
  if (Status launched = candidate.Launch(params); !launched.ok())
    return device_.sticky_error() != 0 ? Result<Verdict>(launched)
                                       : Refused("launch_refused", launched.message());
  TW_RETURN_IF_ERROR(device_.Synchronize());
  // Before D is compared: a kernel that strays, or spoils the next run, is often wrong too, and the
  // graver fault is named.
  const RunBuffers buffers{trial, d_, workspace_};
  TW_ASSIGN_OR_RETURN(Verdict verdict, inspector_.CheckGuards(buffers));
  const std::int64_t zero_bytes = candidate.workspace_zero_bytes();
  return verdict.ok() && zero_bytes > 0 ? inspector_.CheckRestored(buffers, zero_bytes) : verdict;
}

Result<Verdict> Verifier::JudgeOutput(Judged& judged, DeviceAddress d) {
  if (!tiles_.empty() && !PoisonIsAValue(problem_)) {
    TW_ASSIGN_OR_RETURN(Verdict scanned, inspector_.Scan(judged.trial, d));
    if (!scanned.ok())
      return scanned;
  }
  TW_ASSIGN_OR_RETURN(Verdict verdict, inspector_.CompareElements(judged.trial, tiles_, d));
  if (!verdict.ok() || !judged.checksums)
    return verdict;
  TW_ASSIGN_OR_RETURN(Verdict summed, judged.checksums->Check(judged.trial, d));
  summed.error_ratio = std::max(summed.error_ratio, verdict.error_ratio);
  return summed;
}

}  // namespace tw
