// Between the project's types and worker.proto, for both ends of the socket. FromProto of what a
// broken peer could have spoilt is a Result: DataLoss names the field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/calibration.h"
#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "tilewright/worker/v1/worker.pb.h"
#include "tuner/benchmarker.h"

namespace tw {

namespace wire = tilewright::worker::v1;

wire::DeviceSpec ToProto(const DeviceSpec& device);
DeviceSpec FromProto(const wire::DeviceSpec& device);

wire::KernelSource ToProto(const KernelSource& source);
KernelSource FromProto(const wire::KernelSource& source);

wire::CompiledKernel ToProto(const CompiledKernel& kernel);
CompiledKernel FromProto(const wire::CompiledKernel& kernel);

wire::LaunchPlan ToProto(const LaunchPlan& plan);
Result<LaunchPlan> FromProto(const wire::LaunchPlan& plan);

wire::Candidate ToProto(const CandidateRun& candidate);
Result<CandidateRun> FromProto(const wire::Candidate& candidate);

wire::MeasureOptions ToProto(const MeasureOptions& options);
Result<MeasureOptions> FromProto(const wire::MeasureOptions& options);

wire::Conditions ToProto(const Conditions& conditions);
Conditions FromProto(const wire::Conditions& conditions);

wire::Measurement ToProto(const Measurement& measurement);
Measurement FromProto(const wire::Measurement& measurement);

wire::Outcome ToProto(const BenchmarkOutcome& outcome);
Result<BenchmarkOutcome> FromProto(const wire::Outcome& outcome);

// Without created_micros: the worker's caller knows the time.
wire::Calibration ToProto(const Calibration& calibration);
Calibration FromProto(const wire::Calibration& calibration);

// The problem travels as its canonical text.
wire::OpenJobRequest ToProto(const BenchmarkJob& job);
Result<BenchmarkJob> FromProto(const wire::OpenJobRequest& job);

wire::BaselineOptions ToProto(const BaselineOptions& options);
Result<BaselineOptions> FromProto(const wire::BaselineOptions& options);

wire::RatioEstimate ToProto(const RatioEstimate& estimate);
RatioEstimate FromProto(const wire::RatioEstimate& estimate);

wire::BaselineAlgorithm ToProto(const BaselineAlgorithm& algorithm);
Result<BaselineAlgorithm> FromProto(const wire::BaselineAlgorithm& algorithm);

wire::BaselineReport ToProto(const BaselineReport& report);
Result<BaselineReport> FromProto(const wire::BaselineReport& report);

// The status of a reply.
void SetStatus(const Status& status, wire::Reply* reply);
Status StatusOf(const wire::Reply& reply);

}  // namespace tw
