// SPDX-License-Identifier: Apache-2.0
#include "server/lookup_methods.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/convert.h"
#include "server/field_check.h"
#include "tuner/explain/explain.h"

namespace tw {
namespace {

Status Miss(const ResultKey& key) {
  return {StatusCode::kNotFound, "no result for " + Text(key)};
}

// The GPU that the result is of where this daemon has it, else what the key stands for: another GPU
// of its class or the reference device.
DeviceSpec DeviceOf(const TuneResult& result,
                    const DeviceSpec& of_key,
                    const DeviceInventory& devices) {
  if (result.device_uuid.empty())
    return of_key;
  auto device = devices.Resolve(result.device_uuid, "");
  return device.ok() ? *std::move(device) : of_key;
}

}  // namespace

Status LookupMethods::GetConfig(const v1::GetConfigRequest& request,
                                v1::GetConfigResponse* response) const {
  TW_ASSIGN_OR_RETURN(const TuneSpec spec, SpecFromProto(request.key(), deps_.devices));
  const ResultKey key = KeyOf(spec);
  if (IsEmpty(spec.problem)) {
    EmptyResultToProto(key, response->mutable_result());
    return OkStatus();
  }
  const auto stored = deps_.reader.Find(key);
  if (!stored)
    return Miss(key);
  if (request.require_measured() && stored->result.state != RowState::kMeasured)
    return {
        StatusCode::kNotFound,
        "only a result that is " + std::string(Name(stored->result.state)) + " for " + Text(key)};
  ToProto(stored->result, response->mutable_result());
  return OkStatus();
}

Status LookupMethods::GetSource(const v1::GetSourceRequest& request,
                                v1::GetSourceResponse* response) const {
  TW_ASSIGN_OR_RETURN(const TuneSpec spec, SpecFromProto(request.key(), deps_.devices));
  if (IsEmpty(spec.problem))
    return {StatusCode::kFailedPrecondition, "m, n or batch is 0: there is no kernel"};
  const ResultKey key = KeyOf(spec);
  const auto stored = deps_.reader.Find(key);
  if (!stored)
    return Miss(key);
  const Winner& winner = stored->result.winner;
  auto source = deps_.artifacts.Source(winner.source_digest);
  if (!source.ok() && source.status().code() == StatusCode::kNotFound)
    return {StatusCode::kNotFound, "the winner's source is no longer kept; tune again with RETUNE"};
  if (!source.ok())
    return source.status();
  response->set_source(*std::move(source));
  if (!winner.launch.launches.empty())
    response->set_entry(winner.launch.launches.front().entry);
  response->set_source_digest(winner.source_digest);
  return OkStatus();
}

Status LookupMethods::Explain(const v1::ExplainRequest& request,
                              v1::ExplainResponse* response) const {
  TW_ASSIGN_OR_RETURN(const TuneSpec spec, SpecFromProto(request.key(), deps_.devices));
  const std::string& id = request.candidate_id();
  TW_RETURN_IF_ERROR(CheckName("candidate_id", id));
  if (IsEmpty(spec.problem))
    return {StatusCode::kFailedPrecondition, "m, n or batch is 0: there is no kernel"};
  const ResultKey key = KeyOf(spec);
  const auto stored = deps_.reader.Find(key);
  if (!stored)
    return Miss(key);
  const TuneResult& result = stored->result;
  TW_ASSIGN_OR_RETURN(const std::vector<CandidateReport> reports,
                      deps_.store.Reports(result.run_id));
  const auto is_asked_for = [&](const CandidateReport& report) {
    return report.candidate_id == id;
  };
  if (!id.empty() && std::none_of(reports.begin(), reports.end(), is_asked_for))
    return {StatusCode::kNotFound,
            "candidate_id = " + id + ": the run that made the result has no report of it"};
  ToProto(tw::Explain(spec.problem, DeviceOf(result, spec.device, deps_.devices), result, reports),
          id, response);
  ToProto(result, response->mutable_result());
  return OkStatus();
}

}  // namespace tw
