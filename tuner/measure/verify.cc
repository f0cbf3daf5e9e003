// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/verify.h"

#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <sstream>
#include <utility>

#include "tuner/measure/memory_plan.h"

namespace tw {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

// Buffers whose surroundings are checked, in the order of Findings::guards.
constexpr std::array<std::string_view, 6> kGuardNames{"A", "B", "C", "bias", "D", "workspace"};
constexpr std::size_t kGuardOfD = 4;

// A plain run of bytes as a matrix of one line.
MatrixView BytesView(DeviceAddress data, std::int64_t bytes) {
  return {DevicePointer<void>(data), 1, bytes, 1, bytes, bytes, 1};
}

Verdict Wrong(std::string_view rule, std::string detail) {
  return {OutcomeKind::kWrongResult, std::string(rule), std::move(detail), 0};
}

std::string_view RuleOf(const CompareResult& result) {
  if (result.unwritten > 0)
    return "unwritten";
  return result.nan > 0 ? "nan" : "wrong_element";
}

}  // namespace

// What the judging kernels write, in device memory; cleared before each use.
struct Verifier::Findings {
  CompareResult compare;
  std::array<BadSlots, kGuardNames.size()> guards;
  BadSlots bits;
};

Result<std::unique_ptr<Verifier>> Verifier::Open(Device& device,
                                                 SupportKernels& support,
                                                 const GemmProblem& problem,
                                                 const VerifierOptions& options) {
  std::unique_ptr<Verifier> verifier(new Verifier(device, support, problem));
  TW_RETURN_IF_ERROR(verifier->Allocate(options));
  TW_RETURN_IF_ERROR(device.Synchronize());
  return verifier;
}

Status Verifier::Allocate(const VerifierOptions& options) {
  check_determinism_ = options.check_determinism;
  const MatrixView view = ViewOf(problem_, Part::kD);
  const std::int64_t bytes = SpanOf(view) * BytesOf(problem_.d.type);
  for (GuardedBuffer& d : d_) {
    TW_ASSIGN_OR_RETURN(d, GuardedBuffer::Make(device_.Memory(), bytes, problem_.d.align_bytes,
                                               PoisonOf(problem_.d.type)));
  }
  TW_ASSIGN_OR_RETURN(findings_,
                      DeviceBuffer::Allocate(device_.Memory(), std::int64_t{sizeof(Findings)}));
  std::vector<FillPattern> patterns{FillPattern::kNormal};
  if (options.integer_trial)
    patterns.push_back(FillPattern::kIntegers);
  for (FillPattern pattern : patterns) {
    TW_ASSIGN_OR_RETURN(Trial trial,
                        Trial::Make(device_, support_, problem_, {pattern, options.seed}));
    trials_.push_back(std::move(trial));
  }
  return OkStatus();
}

Result<Verdict> Verifier::Check(const Contestant& candidate) {
  TW_ASSIGN_OR_RETURN(Verdict verdict, PrepareWorkspace(candidate.workspace_bytes()));
  if (!verdict.ok())
    return verdict;
  double worst = 0;
  for (const Trial& trial : trials_) {
    TW_ASSIGN_OR_RETURN(verdict, RunOnce(candidate, trial, kFirst));
    if (verdict.ok()) {
      TW_ASSIGN_OR_RETURN(verdict, Compare(trial, d_[kFirst].data()));
    }
    if (!verdict.ok())
      return verdict;
    worst = std::max(worst, verdict.error_ratio);
  }
  // The last trial again: the workspace now holds what the run before left in it.
  TW_ASSIGN_OR_RETURN(verdict, RunOnce(candidate, trials_.back(), kSecond));
  if (verdict.ok()) {
    TW_ASSIGN_OR_RETURN(
        verdict, check_determinism_ ? CompareRuns() : Compare(trials_.back(), d_[kSecond].data()));
  }
  verdict.error_ratio = std::max(worst, verdict.error_ratio);
  return verdict;
}

Result<Verdict> Verifier::CheckOutput(DeviceAddress d) {
  TW_RETURN_IF_ERROR(Clear());
  return Compare(trials_.front(), d);
}

Status Verifier::Restore() {
  for (Trial& trial : trials_)
    TW_RETURN_IF_ERROR(trial.Restore());
  return device_.Synchronize();
}

DeviceAddress Verifier::unread_c() const {
  return trials_.front().operands()[static_cast<std::size_t>(Part::kC)].data();
}

Result<Verdict> Verifier::PrepareWorkspace(std::int64_t bytes) {
  if (workspace_.data() == 0 || workspace_.payload_bytes() != bytes) {
    workspace_ = GuardedBuffer();
    auto made =
        GuardedBuffer::Make(device_.Memory(), bytes, kBufferAlignment, PoisonOf(problem_.acc));
    if (!made.ok() && made.status().code() == StatusCode::kResourceExhausted)
      return Verdict{OutcomeKind::kLaunchError, "workspace_memory", made.status().message(), 0};
    TW_ASSIGN_OR_RETURN(workspace_, std::move(made));
    return Verdict{};
  }
  TW_RETURN_IF_ERROR(workspace_.Poison());
  return Verdict{};
}

Result<Verdict> Verifier::RunOnce(const Contestant& candidate,
                                  const Trial& trial,
                                  Output output) {
  GuardedBuffer& d = d_[output];
  TW_RETURN_IF_ERROR(d.Poison());
  TW_RETURN_IF_ERROR(Clear());
  if (Status launched = candidate.Launch(trial.Params(d.data(), workspace_.data()));
      !launched.ok()) {
    if (device_.sticky_error() != 0)
      return launched;
    return Verdict{OutcomeKind::kLaunchError, "launch_refused", launched.message(), 0};
  }
  TW_RETURN_IF_ERROR(device_.Synchronize());
  // Before D is compared: a kernel that strays is often wrong too, and the graver fault is named.
  return CheckGuards(trial, output);
}

Result<Verdict> Verifier::Compare(const Trial& trial, DeviceAddress d) {
  CompareParams params = trial.Comparison(d);
  params.result = DevicePointer<CompareResult>(findings_.address() + offsetof(Findings, compare));
  TW_RETURN_IF_ERROR(support_.Compare(params));
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  const CompareResult first = found.compare;
  Verdict verdict;
  verdict.error_ratio = std::bit_cast<double>(first.worst_ratio_bits);
  if (first.first_bad == kNone)
    return verdict;
  params.report = static_cast<std::int64_t>(first.first_bad);
  TW_RETURN_IF_ERROR(support_.Compare(params));
  TW_ASSIGN_OR_RETURN(found, Collect());
  std::ostringstream detail;
  detail << DescribeElement(first.first_bad) << " = " << found.compare.got << ", want "
         << found.compare.want << " within " << found.compare.bound << "; "
         << first.wrong + first.nan + first.unwritten << " of " << params.d.Count() << " elements, "
         << (trial.pattern() == FillPattern::kNormal ? "normal" : "integer") << " operands";
  verdict.kind = OutcomeKind::kWrongResult;
  verdict.rule = RuleOf(first);
  verdict.detail = detail.str();
  return verdict;
}

Result<Verdict> Verifier::CheckGuards(const Trial& trial, Output output) {
  auto result = [this](std::size_t index) {
    return DevicePointer<BadSlots>(findings_.address() + offsetof(Findings, guards) +
                                   index * sizeof(BadSlots));
  };
  auto edges = [&](const GuardedBuffer& buffer, std::size_t index) -> Status {
    GuardParams params{
        BytesView(buffer.data(), buffer.payload_bytes()), 0, 0, 1, result(index), buffer.poison()};
    params.begin = -buffer.front_bytes();
    TW_RETURN_IF_ERROR(support_.CheckGuard(params));
    params.begin = buffer.payload_bytes();
    params.end = buffer.payload_bytes() + buffer.back_bytes();
    return support_.CheckGuard(params);
  };
  for (std::size_t i = 0; i < trial.operands().size(); ++i)
    TW_RETURN_IF_ERROR(edges(trial.operands()[i], i));
  const GuardedBuffer& d = d_[output];
  TW_RETURN_IF_ERROR(edges(d, kGuardOfD));
  TW_RETURN_IF_ERROR(edges(workspace_, kGuardOfD + 1));
  MatrixView view = ViewOf(problem_, Part::kD);
  const std::int64_t span = SpanOf(view);
  if (span != view.Count()) {  // gaps between lines or items
    view.data = DevicePointer<void>(d.data());
    TW_RETURN_IF_ERROR(support_.CheckGuard(
        {view, 0, span, BytesOf(problem_.d.type), result(kGuardOfD), d.poison()}));
  }
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  for (std::size_t i = 0; i < found.guards.size(); ++i) {
    if (found.guards[i].count > 0) {
      return Wrong("out_of_bounds_write",
                   std::to_string(found.guards[i].count) + " bytes that belong to no element of " +
                       std::string(kGuardNames[i]) + " were written, " +
                       std::string(trial.pattern() == FillPattern::kNormal ? "normal" : "integer") +
                       " operands");
    }
  }
  return Verdict{};
}

Result<Verdict> Verifier::CompareRuns() {
  MatrixView view = ViewOf(problem_, Part::kD);
  view.data = DevicePointer<void>(d_[kFirst].data());
  TW_RETURN_IF_ERROR(Clear());
  TW_RETURN_IF_ERROR(support_.CompareBits(
      {view, DevicePointer<const void>(d_[kSecond].data()),
       DevicePointer<BadSlots>(findings_.address() + offsetof(Findings, bits))}));
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  if (found.bits.count == 0)
    return Verdict{};
  return Wrong("nondeterministic", "two runs differ in " + std::to_string(found.bits.count) +
                                       " elements, first " + DescribeElement(found.bits.first_bad));
}

Status Verifier::Clear() {
  Findings clear{};
  clear.compare.first_bad = kNone;
  clear.bits.first_bad = kNone;
  for (BadSlots& guard : clear.guards)
    guard.first_bad = kNone;
  return device_.Memory().Write(findings_.address(), std::as_bytes(std::span(&clear, 1)));
}

Result<Verifier::Findings> Verifier::Collect() {
  TW_RETURN_IF_ERROR(device_.Synchronize());
  Findings found{};
  TW_RETURN_IF_ERROR(
      device_.Memory().Read(std::as_writable_bytes(std::span(&found, 1)), findings_.address()));
  return found;
}

std::string Verifier::DescribeElement(std::uint64_t index) const {
  const MatrixView view = ViewOf(problem_, Part::kD);
  const auto at = static_cast<std::int64_t>(index);
  const std::int64_t line = at / view.LineLength();
  const std::int64_t in_line = at % view.LineLength();
  const std::int64_t in_item = line % view.Lines();
  const bool rows = problem_.d.major == Major::kRow;
  std::ostringstream text;
  text << "D[item " << line / view.Lines() << ", row " << (rows ? in_item : in_line) << ", column "
       << (rows ? in_line : in_item) << "]";
  return text.str();
}

}  // namespace tw
