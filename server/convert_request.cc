// Requests: wire -> core.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "codegen/families/registry.h"
#include "server/convert.h"

namespace tw {
namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kRequestIdBytes = 128;
constexpr double kMaxBudgetSeconds = 86'400;
constexpr int kMaxCandidates = 100'000;

template <class P, class C>
struct EnumRow {
  P proto;
  C core;
};

constexpr std::array<EnumRow<v1::DataType, DType>, 9> kDataTypes = {{
    {v1::DATA_TYPE_F64, DType::kF64},
    {v1::DATA_TYPE_F32, DType::kF32},
    {v1::DATA_TYPE_TF32, DType::kTf32},
    {v1::DATA_TYPE_F16, DType::kF16},
    {v1::DATA_TYPE_BF16, DType::kBf16},
    {v1::DATA_TYPE_E4M3, DType::kE4m3},
    {v1::DATA_TYPE_E5M2, DType::kE5m2},
    {v1::DATA_TYPE_S8, DType::kS8},
    {v1::DATA_TYPE_S32, DType::kS32},
}};

constexpr std::array<EnumRow<v1::MatrixMajor, Major>, 2> kMajors = {{
    {v1::MATRIX_MAJOR_ROW, Major::kRow},
    {v1::MATRIX_MAJOR_COLUMN, Major::kCol},
}};

constexpr std::array<EnumRow<v1::ScalarKind, ScalarKind>, 3> kScalarKinds = {{
    {v1::SCALAR_KIND_ZERO, ScalarKind::kZero},
    {v1::SCALAR_KIND_ONE, ScalarKind::kOne},
    {v1::SCALAR_KIND_OTHER, ScalarKind::kOther},
}};

constexpr std::array<EnumRow<v1::Bias, BiasKind>, 3> kBiases = {{
    {v1::BIAS_NONE, BiasKind::kNone},
    {v1::BIAS_COLUMN, BiasKind::kCol},
    {v1::BIAS_ROW, BiasKind::kRow},
}};

constexpr std::array<EnumRow<v1::Scale, ScaleKind>, 4> kScales = {{
    {v1::SCALE_NONE, ScaleKind::kNone},
    {v1::SCALE_TENSOR, ScaleKind::kTensor},
    {v1::SCALE_ROW_COLUMN, ScaleKind::kRowCol},
    {v1::SCALE_BLOCK128, ScaleKind::kBlock128},
}};

// The row of `value`; `unspecified` for 0, which is an error where there is no such default.
template <class P, class C, std::size_t N>
Result<C> FromEnum(std::string_view field,
                   P value,
                   const std::array<EnumRow<P, C>, N>& rows,
                   std::optional<C> unspecified) {
  if (static_cast<int>(value) == 0) {
    if (unspecified)
      return *unspecified;
    return InvalidField(field, "unset", "required");
  }
  for (const auto& row : rows) {
    if (row.proto == value)
      return row.core;
  }
  return InvalidField(field, std::to_string(static_cast<int>(value)), "unknown value");
}

struct UsualTypes {
  DType accumulate;
  DType output;
};

UsualTypes UsualTypesOf(DType a) {
  switch (a) {
    case DType::kF64:
      return {DType::kF64, DType::kF64};
    case DType::kF16:
      return {DType::kF32, DType::kF16};
    case DType::kBf16:
    case DType::kE4m3:
    case DType::kE5m2:
      return {DType::kF32, DType::kBf16};
    case DType::kS8:
    case DType::kS32:
      return {DType::kS32, DType::kS32};
    case DType::kF32:
    case DType::kTf32:
      break;
  }
  return {DType::kF32, DType::kF32};
}

Status CheckName(std::string_view field, const std::string& value, std::size_t limit) {
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (value.size() > limit)
    return InvalidField(field, value.substr(0, limit) + "...",
                        "must be at most " + std::to_string(limit) + " bytes");
  if (!std::all_of(value.begin(), value.end(), printable))
    return InvalidField(field, value, "must be printable ASCII");
  return OkStatus();
}

// What an operand's fields mean where they are not set.
struct OperandDefaults {
  std::string_view field;  // "problem.a"
  std::optional<DType> type;
  Major major = Major::kRow;
};

Result<Operand> OperandFromProto(const v1::Operand& proto, const OperandDefaults& defaults) {
  const std::string prefix = std::string(defaults.field) + ".";
  Operand op;
  TW_ASSIGN_OR_RETURN(op.type, FromEnum(prefix + "type", proto.type(), kDataTypes, defaults.type));
  TW_ASSIGN_OR_RETURN(
      op.major, FromEnum(prefix + "major", proto.major(), kMajors, std::optional(defaults.major)));
  // On the wire a number is a number: only an unset field means "packed".
  if (proto.has_leading_dimension()) {
    op.ld = proto.leading_dimension();
    if (op.ld < 1)
      return InvalidField(prefix + "leading_dimension", std::to_string(op.ld), "must be >= 1");
  }
  if (proto.has_batch_stride()) {
    op.batch_stride = proto.batch_stride();
    if (op.batch_stride < 0)
      return InvalidField(prefix + "batch_stride", std::to_string(op.batch_stride), "must be >= 0");
  }
  if (proto.has_align_bytes())
    op.align_bytes = proto.align_bytes();
  return op;
}

Status OperandsFromProto(const v1::GemmProblem& proto, GemmProblem& problem) {
  TW_ASSIGN_OR_RETURN(problem.a, OperandFromProto(proto.a(), {"problem.a", std::nullopt}));
  const DType a = problem.a.type;
  TW_ASSIGN_OR_RETURN(problem.b, OperandFromProto(proto.b(), {"problem.b", a}));
  TW_ASSIGN_OR_RETURN(problem.d,
                      OperandFromProto(proto.d(), {"problem.d", UsualTypesOf(a).output}));
  // C is what D is, unless it says otherwise.
  TW_ASSIGN_OR_RETURN(problem.c,
                      OperandFromProto(proto.c(), {"problem.c", problem.d.type, problem.d.major}));
  return OkStatus();
}

Status EpilogueFromProto(const v1::GemmProblem& proto, GemmProblem& problem) {
  TW_ASSIGN_OR_RETURN(problem.alpha, FromEnum("problem.alpha", proto.alpha(), kScalarKinds,
                                              std::optional(ScalarKind::kOne)));
  TW_ASSIGN_OR_RETURN(problem.beta, FromEnum("problem.beta", proto.beta(), kScalarKinds,
                                             std::optional(ScalarKind::kZero)));
  TW_ASSIGN_OR_RETURN(problem.epilogue.bias, FromEnum("problem.bias", proto.bias(), kBiases,
                                                      std::optional(BiasKind::kNone)));
  TW_ASSIGN_OR_RETURN(problem.epilogue.scale, FromEnum("problem.scale", proto.scale(), kScales,
                                                       std::optional(ScaleKind::kNone)));
  TW_RETURN_IF_ERROR(CheckName("problem.activation", proto.activation(), kNameBytes));
  if (!proto.activation().empty())
    problem.epilogue.activation = proto.activation();
  return OkStatus();
}

Result<Objective> ObjectiveFromProto(v1::Objective value) {
  switch (static_cast<int>(value)) {
    case v1::OBJECTIVE_UNSPECIFIED:
    case v1::OBJECTIVE_COLD:
      return Objective::kCold;
    case v1::OBJECTIVE_WARM:
      return Objective::kWarm;
    case v1::OBJECTIVE_GRAPH:
      return Status(StatusCode::kUnimplemented,
                    "objective = graph: not implemented yet; cold and warm are", "objective");
    default:
      return InvalidField("objective", std::to_string(static_cast<int>(value)), "unknown value");
  }
}

Result<DeviceSpec> DeviceFromProto(const v1::Key& proto, const DeviceInventory& devices) {
  TW_RETURN_IF_ERROR(CheckName("arch", proto.arch(), kNameBytes));
  TW_RETURN_IF_ERROR(CheckName("device_uuid", proto.device_uuid(), kNameBytes));
  auto device = devices.Resolve(proto.device_uuid(), proto.arch());
  if (!device.ok()) {
    // Not NotFound, which would read as a miss.
    const bool by_uuid = !proto.device_uuid().empty();
    return by_uuid ? InvalidField("device_uuid", proto.device_uuid(), "no such GPU here")
                   : Status(StatusCode::kInvalidArgument, device.status().message(), "arch");
  }
  if (!proto.arch().empty() && CanonicalArch(proto.arch()) != device->arch)
    return InvalidField("arch", proto.arch(),
                        "device_uuid = " + proto.device_uuid() + " is " + device->arch);
  return device;
}

Result<TuneOptions> OptionsFromProto(const v1::StartTuneRequest& proto) {
  TuneOptions options;
  const double budget = proto.budget_s();
  if (!std::isfinite(budget) || budget < 0 || budget > kMaxBudgetSeconds)
    return InvalidField("budget_s", std::to_string(budget), "must be from 0 to 86400");
  if (budget > 0)
    options.budget =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(budget));
  const int candidates = proto.max_candidates();
  if (candidates < 0 || candidates > kMaxCandidates)
    return InvalidField("max_candidates", std::to_string(candidates), "must be from 0 to 100000");
  if (candidates > 0)
    options.max_candidates = candidates;
  TW_RETURN_IF_ERROR(CheckName("family", proto.family(), kNameBytes));
  if (!proto.family().empty() && FindFamily(proto.family()) == nullptr) {
    std::string rule = "must be one of";
    for (const KernelFamily* family : AllFamilies())
      rule.append(" ").append(family->name);
    return InvalidField("family", proto.family(), rule);
  }
  options.family = proto.family();
  options.require_measured = proto.require_measured();
  if (proto.seed() != 0)
    options.seed = proto.seed();
  return options;
}

Result<bool> RetuneFromProto(v1::TunePolicy policy) {
  switch (static_cast<int>(policy)) {
    case v1::TUNE_POLICY_UNSPECIFIED:
    case v1::TUNE_POLICY_REUSE:
      return false;
    case v1::TUNE_POLICY_RETUNE:
      return true;
    default:
      return InvalidField("policy", std::to_string(static_cast<int>(policy)), "unknown value");
  }
}

constexpr std::string_view kOperationPrefix = "operations/";

}  // namespace

Result<GemmProblem> ProblemFromProto(const v1::GemmProblem& proto) {
  GemmProblem problem;
  problem.m = proto.m();
  problem.n = proto.n();
  problem.k = proto.k();
  problem.batch = proto.has_batch() ? proto.batch() : 1;
  TW_RETURN_IF_ERROR(OperandsFromProto(proto, problem));
  TW_ASSIGN_OR_RETURN(problem.acc,
                      FromEnum("problem.accumulate", proto.accumulate(), kDataTypes,
                               std::optional(UsualTypesOf(problem.a.type).accumulate)));
  TW_RETURN_IF_ERROR(EpilogueFromProto(proto, problem));
  problem.fp8_fast_accumulate = proto.fp8_fast_accumulate();
  return Normalize(std::move(problem));
}

Result<TuneSpec> SpecFromProto(const v1::Key& proto, const DeviceInventory& devices) {
  if (!proto.has_problem())
    return InvalidField("problem", "unset", "required");
  TuneSpec spec;
  TW_ASSIGN_OR_RETURN(spec.problem, ProblemFromProto(proto.problem()));
  if (proto.contract().has_deterministic())
    spec.contract.deterministic = proto.contract().deterministic();
  spec.contract.batch_invariant = proto.contract().batch_invariant();
  TW_ASSIGN_OR_RETURN(spec.objective, ObjectiveFromProto(proto.objective()));
  TW_ASSIGN_OR_RETURN(spec.device, DeviceFromProto(proto, devices));
  return spec;
}

Result<TuneRequest> TuneRequestFromProto(const v1::StartTuneRequest& proto,
                                         const DeviceInventory& devices) {
  if (!proto.has_key())
    return InvalidField("key", "unset", "required");
  TuneRequest request;
  TW_ASSIGN_OR_RETURN(request.spec, SpecFromProto(proto.key(), devices));
  TW_ASSIGN_OR_RETURN(request.spec.options, OptionsFromProto(proto));
  TW_ASSIGN_OR_RETURN(request.retune, RetuneFromProto(proto.policy()));
  TW_RETURN_IF_ERROR(CheckName("request_id", proto.request_id(), kRequestIdBytes));
  request.request_id = proto.request_id();
  request.body = proto.SerializeAsString();
  return request;
}

Result<TuneRequest> DecodeTuneRequest(const std::string& body, const DeviceInventory& devices) {
  v1::StartTuneRequest proto;
  if (!proto.ParseFromString(body))
    return Status(StatusCode::kDataLoss, "the stored request cannot be read");
  return TuneRequestFromProto(proto, devices);
}

std::string OperationName(std::string_view id) {
  return std::string(kOperationPrefix).append(id);
}

Result<std::string> OperationIdFromProto(const std::string& name) {
  TW_RETURN_IF_ERROR(CheckName("name", name, kNameBytes));
  if (!name.starts_with(kOperationPrefix) || name.size() == kOperationPrefix.size())
    return InvalidField("name", name, "must read operations/ID");
  return name.substr(kOperationPrefix.size());
}

}  // namespace tw
