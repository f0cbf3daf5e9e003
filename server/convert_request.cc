// Keys, options and names of a request: wire -> core.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

#include "codegen/families/registry.h"
#include "server/convert.h"
#include "server/field_check.h"

namespace tw {
namespace {

constexpr std::size_t kRequestIdBytes = 128;
constexpr double kMaxBudgetSeconds = 86'400;
constexpr int kMaxCandidates = 100'000;

Result<Objective> ObjectiveFromProto(v1::Objective value) {
  switch (static_cast<int>(value)) {
    case v1::OBJECTIVE_UNSPECIFIED:
    case v1::OBJECTIVE_COLD:
      return Objective::kCold;
    case v1::OBJECTIVE_WARM:
      return Objective::kWarm;
    case v1::OBJECTIVE_PDL:
      return Objective::kPdl;
    case v1::OBJECTIVE_GRAPH:
      return Status(StatusCode::kUnimplemented,
                    "objective = graph: not implemented yet; cold, warm and pdl are", "objective");
    default:
      return InvalidField("objective", std::to_string(static_cast<int>(value)), "unknown value");
  }
}

Result<DeviceSpec> DeviceFromProto(const v1::Key& proto, const DeviceInventory& devices) {
  TW_RETURN_IF_ERROR(CheckName("arch", proto.arch()));
  TW_RETURN_IF_ERROR(CheckName("device_uuid", proto.device_uuid()));
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

Result<bool> BaselineFromProto(v1::Baseline value) {
  switch (static_cast<int>(value)) {
    case v1::BASELINE_UNSPECIFIED:
    case v1::BASELINE_NONE:
      return false;
    case v1::BASELINE_CUBLASLT:
      return true;
    default:
      return InvalidField("baseline", std::to_string(static_cast<int>(value)), "unknown value");
  }
}

Result<Regime> RegimeFromProto(v1::Regime value) {
  switch (static_cast<int>(value)) {
    case v1::REGIME_UNSPECIFIED:
    case v1::REGIME_HOT:
      return Regime::kHot;
    case v1::REGIME_COOL:
      return Regime::kCool;
    case v1::REGIME_ALONE:
      return Regime::kAlone;
    default:
      return InvalidField("regime", std::to_string(static_cast<int>(value)), "unknown value");
  }
}

Result<Strategy> StrategyFromProto(v1::SearchStrategy value) {
  switch (static_cast<int>(value)) {
    case v1::SEARCH_STRATEGY_UNSPECIFIED:
    case v1::SEARCH_STRATEGY_ADAPTIVE:
      return Strategy::kAdaptive;
    case v1::SEARCH_STRATEGY_EXHAUSTIVE:
      return Strategy::kExhaustive;
    default:
      return InvalidField("strategy", std::to_string(static_cast<int>(value)), "unknown value");
  }
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
  TW_RETURN_IF_ERROR(CheckName("family", proto.family()));
  if (!proto.family().empty() && FindFamily(proto.family()) == nullptr) {
    std::string rule = "must be one of";
    for (const KernelFamily* family : AllFamilies())
      rule.append(" ").append(family->name);
    return InvalidField("family", proto.family(), rule);
  }
  options.family = proto.family();
  options.require_measured = proto.require_measured();
  TW_ASSIGN_OR_RETURN(options.baseline, BaselineFromProto(proto.baseline()));
  TW_ASSIGN_OR_RETURN(options.regime, RegimeFromProto(proto.regime()));
  TW_ASSIGN_OR_RETURN(options.strategy, StrategyFromProto(proto.strategy()));
  options.keep_winner = proto.policy() == v1::TUNE_POLICY_COMPARE;
  if (options.keep_winner && !options.baseline)
    return InvalidField("policy", "COMPARE", "needs a baseline to compare with");
  if (proto.seed() != 0)
    options.seed = proto.seed();
  return options;
}

Result<bool> RetuneFromProto(v1::TunePolicy policy) {
  switch (static_cast<int>(policy)) {
    case v1::TUNE_POLICY_UNSPECIFIED:
    case v1::TUNE_POLICY_REUSE:
    case v1::TUNE_POLICY_COMPARE:
      return false;
    case v1::TUNE_POLICY_RETUNE:
      return true;
    default:
      return InvalidField("policy", std::to_string(static_cast<int>(policy)), "unknown value");
  }
}

constexpr std::string_view kOperationPrefix = "operations/";

}  // namespace

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
  TW_RETURN_IF_ERROR(CheckName("name", name));
  if (!name.starts_with(kOperationPrefix) || name.size() == kOperationPrefix.size())
    return InvalidField("name", name, "must read operations/ID");
  return name.substr(kOperationPrefix.size());
}

}  // namespace tw
