// Between the wire and the core: the only place that knows both. Messages of bad fields name the
// field by its path ("problem.a.type = 99: unknown value").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/outcome.h"
#include "codegen/core/status.h"
#include "server/admission.h"
#include "server/device_inventory.h"
#include "server/operation.h"
#include "tilewright/v1/lookup.pb.h"
#include "tilewright/v1/tuning.pb.h"
#include "tilewright/v1/types.pb.h"
#include "tuner/calibrator.h"
#include "tuner/explain/explanation.h"

namespace tw {

namespace v1 = ::tilewright::v1;

// Defaults filled in, validated, normalised. InvalidArgument, or Unimplemented for what the
// contract knows and nothing carries yet.
Result<GemmProblem> ProblemFromProto(const v1::GemmProblem& proto);

// The spec of a key with default options, against the devices of today.
Result<TuneSpec> SpecFromProto(const v1::Key& proto, const DeviceInventory& devices);

// TuneRequest::body is the request, serialised.
Result<TuneRequest> TuneRequestFromProto(const v1::StartTuneRequest& proto,
                                         const DeviceInventory& devices);

// From TuneRequest::body. DataLoss where it is not one.
Result<TuneRequest> DecodeTuneRequest(const std::string& body, const DeviceInventory& devices);

// "operations/ID" <-> ID. InvalidArgument for any other form.
std::string OperationName(std::string_view id);
Result<std::string> OperationIdFromProto(const std::string& name);

v1::DataType DataTypeToProto(DType type);
void ToProto(const Conditions& conditions, v1::Conditions* proto);
void ToProto(const BaselineReport& report, v1::BaselineReport* proto);
void ToProto(const TuneResult& result, v1::TuneResult* proto);
// What is left to say of a problem with nothing to launch.
void EmptyResultToProto(const ResultKey& key, v1::TuneResult* proto);
void ToProto(const Operation& operation, v1::Operation* proto);
void ToProto(const LiveDevice& device, v1::Device* proto);
void ToProto(const CalibratedDevice& device, v1::CalibrateDeviceResponse* proto);
// All candidates without their samples, or one with them.
void ToProto(const Explanation& explanation,
             std::string_view candidate_id,
             v1::ExplainResponse* proto);

}  // namespace tw
