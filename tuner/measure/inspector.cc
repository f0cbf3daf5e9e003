// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/inspector.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string_view>

namespace tw {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

// Buffers whose surroundings are checked, in the order of Findings::guards.
constexpr std::array<std::string_view, 8> kGuardNames{"A",          "B",          "C", "bias",
                                                      "scale of A", "scale of B", "D", "workspace"};
constexpr std::size_t kGuardOfD = kOperandParts.size();
constexpr std::size_t kGuardOfWorkspace = kGuardOfD + 1;

// A plain run of bytes as a matrix of one line.
MatrixView BytesView(DeviceAddress data, std::int64_t bytes) {
  return {DevicePointer<void>(data), 1, bytes, 1, bytes, bytes, 1};
}

std::string ElementName(const Position& at) {
  std::ostringstream text;
  text << "D[item " << at.item << ", row " << at.row << ", column " << at.col << "]";
  return text.str();
}

std::string OnOperands(const Trial& trial) {
  return std::string(Name(trial.pattern())) + " operands";
}

std::string_view RuleOf(const CompareResult& result) {
  if (result.unwritten > 0)
    return "unwritten";
  return result.nan > 0 ? "nan" : "wrong_element";
}

std::uint64_t CountOf(const CompareResult& result) {
  return result.wrong + result.nan + result.unwritten;
}

std::string OfElements(const CompareResult& result, std::int64_t elements) {
  return "; " + std::to_string(CountOf(result)) + " of " + std::to_string(elements) + " elements, ";
}

}  // namespace

// What the judging kernels write, in device memory; cleared before each use.
struct Inspector::Findings {
  CompareResult compare;
  std::array<BadSlots, kGuardNames.size()> guards;
};

Result<Inspector> Inspector::Make(Device& device,
                                  SupportKernels& support,
                                  const GemmProblem& problem) {
  Inspector inspector(device, support, problem);
  TW_ASSIGN_OR_RETURN(inspector.findings_,
                      DeviceBuffer::Allocate(device.Memory(), std::int64_t{sizeof(Findings)}));
  TW_ASSIGN_OR_RETURN(
      inspector.buckets_,
      DeviceBuffer::Allocate(device.Memory(), kHashBuckets * std::int64_t{sizeof(std::uint64_t)}));
  return inspector;
}

Result<Verdict> Inspector::CompareElements(const Trial& trial,
                                           const std::vector<Position>& tiles,
                                           DeviceAddress d) {
  CompareParams params = trial.Comparison(d);
  params.result = DevicePointer<CompareResult>(findings_.address() + offsetof(Findings, compare));
  TW_RETURN_IF_ERROR(Clear());
  TW_RETURN_IF_ERROR(support_->Compare(params));
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  const CompareResult first = found.compare;
  Verdict verdict;
  if (first.first_bad != kNone) {
    params.report = static_cast<std::int64_t>(first.first_bad);
    TW_RETURN_IF_ERROR(support_->Compare(params));
    TW_ASSIGN_OR_RETURN(found, Collect());
    const Position at =
        PositionOfSlot(params.d, {tiles.empty() ? nullptr : tiles.data(), 0}, params.report);
    std::ostringstream detail;
    detail << ElementName(at) << " = " << found.compare.got << ", want " << found.compare.want
           << " within " << found.compare.bound
           << OfElements(first, SlotsOf(params.d, params.coverage)) << OnOperands(trial);
    verdict = Wrong(RuleOf(first), detail.str(), CountOf(first));
    verdict.bound = found.compare.bound;
  }
  verdict.error_ratio = std::bit_cast<double>(first.worst_ratio_bits);
  return verdict;
}

Result<Verdict> Inspector::Scan(const Trial& trial, DeviceAddress d) {
  const MatrixView view = ViewOfD(d);
  TW_RETURN_IF_ERROR(Clear());
  TW_RETURN_IF_ERROR(support_->Scan(
      {view, DevicePointer<CompareResult>(findings_.address() + offsetof(Findings, compare)),
       PoisonOf(problem_.d.type)}));
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  if (found.compare.first_bad == kNone)
    return Verdict{};
  const Position at = PositionOf(view, static_cast<std::int64_t>(found.compare.first_bad));
  return Wrong(RuleOf(found.compare),
               ElementName(at) + OfElements(found.compare, view.Count()) + OnOperands(trial),
               CountOf(found.compare));
}

Result<Verdict> Inspector::CheckGuards(const RunBuffers& buffers) {
  TW_RETURN_IF_ERROR(Clear());
  const auto& operands = buffers.trial.operands();
  for (std::size_t i = 0; i < operands.size(); ++i)
    TW_RETURN_IF_ERROR(CheckEdges(operands[i], i));
  TW_RETURN_IF_ERROR(CheckEdges(buffers.d, kGuardOfD));
  TW_RETURN_IF_ERROR(CheckEdges(buffers.workspace, kGuardOfWorkspace));
  const MatrixView view = ViewOfD(buffers.d.data());
  const std::int64_t span = SpanOf(view);
  if (span != view.Count()) {  // gaps between lines or items
    TW_RETURN_IF_ERROR(support_->CheckGuard(
        {view, 0, span, BytesOf(problem_.d.type), GuardResult(kGuardOfD), buffers.d.poison()}));
  }
  TW_ASSIGN_OR_RETURN(Findings found, Collect());
  for (std::size_t i = 0; i < found.guards.size(); ++i) {
    const std::uint64_t count = found.guards[i].count;
    if (count > 0) {
      return Wrong("out_of_bounds_write",
                   std::to_string(count) + " bytes that belong to no element of " +
                       std::string(kGuardNames[i]) + " were written, " + OnOperands(buffers.trial),
                   count);
    }
  }
  return Verdict{};
}

Result<Verdict> Inspector::CheckRestored(const RunBuffers& buffers, std::int64_t zero_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(zero_bytes));
  TW_RETURN_IF_ERROR(device_->Memory().Read(bytes, buffers.workspace.data()));
  const auto is_set = [](std::byte byte) { return byte != std::byte{0}; };
  const auto first = std::find_if(bytes.begin(), bytes.end(), is_set);
  if (first == bytes.end())
    return Verdict{};
  const std::int64_t count = std::count_if(first, bytes.end(), is_set);
  return Wrong("workspace_not_restored",
               std::to_string(count) + " of the workspace's first " + std::to_string(zero_bytes) +
                   " bytes are not zero after a run, first byte " +
                   std::to_string(first - bytes.begin()) + ", " + OnOperands(buffers.trial),
               static_cast<std::uint64_t>(count));
}

Result<std::vector<std::uint64_t>> Inspector::HashLines(DeviceAddress d) {
  TW_RETURN_IF_ERROR(device_->Memory().Set(buckets_.address(), 0, buckets_.bytes()));
  TW_RETURN_IF_ERROR(support_->HashLines({ViewOfD(d), DevicePointer<uint64>(buckets_.address())}));
  TW_RETURN_IF_ERROR(device_->Synchronize());
  std::vector<std::uint64_t> buckets(kHashBuckets);
  TW_RETURN_IF_ERROR(
      device_->Memory().Read(std::as_writable_bytes(std::span(buckets)), buckets_.address()));
  return buckets;
}

Verdict Inspector::CompareHashes(const std::vector<std::uint64_t>& first,
                                 const std::vector<std::uint64_t>& second) const {
  const MatrixView view = ViewOfD(0);
  std::uint64_t different = 0;
  std::string where;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i])
      continue;
    if (different++ > 0)
      continue;
    const std::int64_t begin = static_cast<std::int64_t>(i) * LinesPerBucket(view);
    const std::int64_t end = std::min(begin + LinesPerBucket(view), view.Lines() * view.batch);
    where = (view.row_major != 0 ? "rows " : "columns ") + std::to_string(begin % view.Lines()) +
            " to " + std::to_string((end - 1) % view.Lines()) + " of item " +
            std::to_string(begin / view.Lines());
  }
  if (different == 0)
    return {};
  return Wrong("nondeterministic",
               "two runs differ in " + std::to_string(different) + " groups of " +
                   std::to_string(LinesPerBucket(view)) + " lines, first " + where,
               different);
}

Status Inspector::Clear() {
  Findings clear{};
  clear.compare.first_bad = kNone;
  for (BadSlots& guard : clear.guards)
    guard.first_bad = kNone;
  return device_->Memory().Write(findings_.address(), std::as_bytes(std::span(&clear, 1)));
}

Result<Inspector::Findings> Inspector::Collect() {
  TW_RETURN_IF_ERROR(device_->Synchronize());
  Findings found{};
  TW_RETURN_IF_ERROR(
      device_->Memory().Read(std::as_writable_bytes(std::span(&found, 1)), findings_.address()));
  return found;
}

Status Inspector::CheckEdges(const GuardedBuffer& buffer, std::size_t index) {
  if (buffer.data() == 0)  // a part that the problem lacks
    return OkStatus();
  GuardParams params{BytesView(buffer.data(), buffer.payload_bytes()),
                     -buffer.front_bytes(),
                     0,
                     1,
                     GuardResult(index),
                     buffer.poison()};
  TW_RETURN_IF_ERROR(support_->CheckGuard(params));
  params.begin = buffer.payload_bytes();
  params.end = buffer.payload_bytes() + buffer.back_bytes();
  return support_->CheckGuard(params);
}

BadSlots* Inspector::GuardResult(std::size_t index) const {
  return DevicePointer<BadSlots>(findings_.address() + offsetof(Findings, guards) +
                                 index * sizeof(BadSlots));
}

MatrixView Inspector::ViewOfD(DeviceAddress d) const {
  MatrixView view = ViewOf(problem_, Part::kD);
  view.data = DevicePointer<void>(d);
  return view;
}

}  // namespace tw
