// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/gpu_role.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/device/cuda_device.h"
#include "tuner/device/fake_device.h"
#include "tuner/device/probe.h"
#include "tuner/measure/calibrate.h"
#include "tuner/measure/session.h"
#include "tuner/worker/convert.h"
#include "tuner/worker/frame.h"

namespace tw {
namespace {

// Where this process gets its device from.
class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  // An error says why there is none.
  virtual Result<std::vector<DeviceSpec>> Describe() = 0;

  // The device with this UUID. Made once; a process has one device.
  virtual Result<Device*> Open(const std::string& uuid) = 0;

  // The same, ready to judge the problem.
  virtual Result<Device*> OpenFor(const std::string& uuid, const GemmProblem& problem) = 0;
};

class CudaSource final : public DeviceSource {
 public:
  explicit CudaSource(CublasLtSearch library) : library_(std::move(library)) {}

  Result<std::vector<DeviceSpec>> Describe() override {
    TW_RETURN_IF_ERROR(LoadDriver());
    return ProbeDevices(*driver_);
  }

  Result<Device*> OpenFor(const std::string& uuid, const GemmProblem& /*problem*/) override {
    return Open(uuid);
  }

  Result<Device*> Open(const std::string& uuid) override {
    if (device_ == nullptr) {
      TW_RETURN_IF_ERROR(Describe().status());  // initialises the driver
      TW_ASSIGN_OR_RETURN(device_, OpenCudaDevice(*driver_, Nvml(), uuid, library_));
    }
    if (device_->Spec().uuid != uuid) {
      return Status(StatusCode::kFailedPrecondition,
                    "this worker holds " + device_->Spec().uuid + ", not " + uuid);
    }
    return device_.get();
  }

 private:
  Status LoadDriver() {
    if (driver_)
      return OkStatus();
    TW_ASSIGN_OR_RETURN(driver_, LoadDriverApi());
    return OkStatus();
  }

  // Null without NVML: conditions are then unknown, which no judgement needs.
  const NvmlApi* Nvml() {
    if (auto nvml = LoadNvmlApi(); nvml.ok())
      nvml_ = *std::move(nvml);
    return nvml_ ? &*nvml_ : nullptr;
  }

  CublasLtSearch library_;
  std::optional<DriverApi> driver_;
  std::optional<NvmlApi> nvml_;
  std::unique_ptr<Device> device_;
};

class FakeSource final : public DeviceSource {
 public:
  explicit FakeSource(FakeScript script) : device_(std::move(script)) {}

  Result<std::vector<DeviceSpec>> Describe() override {
    return std::vector<DeviceSpec>{device_.Spec()};
  }

  Result<Device*> Open(const std::string& uuid) override {
    if (uuid != device_.Spec().uuid)
      return Status(StatusCode::kNotFound, "no device " + uuid);
    return &device_;
  }

  Result<Device*> OpenFor(const std::string& uuid, const GemmProblem& problem) override {
    TW_RETURN_IF_ERROR(Open(uuid).status());
    device_.SetProblem(problem);
    return &device_;
  }

 private:
  FakeDevice device_;
};

Result<std::unique_ptr<DeviceSource>> MakeSource(const GpuRoleOptions& options) {
  if (!options.fake)
    return std::unique_ptr<DeviceSource>(std::make_unique<CudaSource>(options.cublaslt));
  TW_ASSIGN_OR_RETURN(FakeScript script, ParseFakeScript(options.fake_script));
  return std::unique_ptr<DeviceSource>(std::make_unique<FakeSource>(std::move(script)));
}

class GpuRole {
 public:
  explicit GpuRole(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {}

  Status Answer(const wire::Request& request, wire::Reply& reply) {
    if (request.has_describe_devices())
      return Describe(*reply.mutable_describe_devices());
    if (request.has_open_job())
      return Open(request.open_job(), *reply.mutable_open_job());
    if (request.has_run_candidate())
      return Run(request.run_candidate(), *reply.mutable_run_candidate());
    if (request.has_run_interleaved())
      return RunInterleaved(request.run_interleaved(), *reply.mutable_run_interleaved());
    if (request.has_compare_with_library())
      return Compare(request.compare_with_library(), *reply.mutable_compare_with_library());
    if (request.has_calibrate())
      return Calibrate(request.calibrate(), *reply.mutable_calibrate());
    if (request.has_close_job()) {
      session_.reset();
      reply.mutable_close_job();
      return OkStatus();
    }
    return {StatusCode::kUnimplemented, "not a request to the gpu role"};
  }

  // After a sticky CUDA error.
  [[nodiscard]] bool must_exit() const {
    return device_ != nullptr && device_->sticky_error() != 0;
  }

 private:
  Status Describe(wire::DescribeDevicesReply& reply) {
    auto devices = source_->Describe();
    if (!devices.ok()) {
      reply.set_note(devices.status().message());
      return OkStatus();
    }
    for (const DeviceSpec& device : *devices)
      *reply.add_devices() = ToProto(device);
    if (devices->empty())
      reply.set_note("the driver sees no device");
    return OkStatus();
  }

  Status Open(const wire::OpenJobRequest& request, wire::OpenJobReply& reply) {
    session_.reset();  // its memory is the new job's
    TW_ASSIGN_OR_RETURN(BenchmarkJob job, FromProto(request));
    TW_ASSIGN_OR_RETURN(device_, source_->OpenFor(job.device_uuid, job.problem));
    TW_ASSIGN_OR_RETURN(session_, JudgeSession::Open(*device_, clock_, job));
    reply.set_reference_seconds(session_->reference_seconds());
    return OkStatus();
  }

  Status Run(const wire::RunCandidateRequest& request, wire::RunCandidateReply& reply) {
    TW_RETURN_IF_ERROR(RequireJob());
    TW_ASSIGN_OR_RETURN(CandidateRun run, FromProto(request.candidate()));
    TW_ASSIGN_OR_RETURN(BenchmarkOutcome outcome, session_->Run(run));
    *reply.mutable_outcome() = ToProto(outcome);
    reply.set_worker_must_exit(must_exit());
    return OkStatus();
  }

  Status RunInterleaved(const wire::RunInterleavedRequest& request,
                        wire::RunInterleavedReply& reply) {
    TW_RETURN_IF_ERROR(RequireJob());
    std::vector<CandidateRun> runs;
    for (const wire::Candidate& candidate : request.candidates()) {
      TW_ASSIGN_OR_RETURN(CandidateRun run, FromProto(candidate));
      runs.push_back(std::move(run));
    }
    TW_ASSIGN_OR_RETURN(std::vector<BenchmarkOutcome> outcomes,
                        session_->RunInterleaved(runs, request.rounds()));
    for (const BenchmarkOutcome& outcome : outcomes)
      *reply.add_outcomes() = ToProto(outcome);
    reply.set_worker_must_exit(must_exit());
    return OkStatus();
  }

  Status Compare(const wire::CompareWithLibraryRequest& request,
                 wire::CompareWithLibraryReply& reply) {
    TW_RETURN_IF_ERROR(RequireJob());
    TW_ASSIGN_OR_RETURN(CandidateRun ours, FromProto(request.ours()));
    TW_ASSIGN_OR_RETURN(BaselineOptions options, FromProto(request.options()));
    TW_ASSIGN_OR_RETURN(BaselineReport report, session_->CompareWithLibrary(ours, options));
    *reply.mutable_report() = ToProto(report);
    return OkStatus();
  }

  // Ends the job: its memory is needed, and a busy device measures nothing.
  Status Calibrate(const wire::CalibrateRequest& request, wire::CalibrateReply& reply) {
    session_.reset();
    TW_ASSIGN_OR_RETURN(device_, source_->Open(request.device_uuid()));
    TW_ASSIGN_OR_RETURN(const Calibration calibration,
                        MeasureCalibration(*device_, FromProto(request.kernels())));
    *reply.mutable_calibration() = ToProto(calibration);
    return OkStatus();
  }

  Status RequireJob() const {
    if (session_ != nullptr)
      return OkStatus();
    return {StatusCode::kFailedPrecondition, "no job is open"};
  }

  SteadyClock clock_;
  std::unique_ptr<DeviceSource> source_;
  Device* device_ = nullptr;  // of source_
  std::unique_ptr<JudgeSession> session_;
};

}  // namespace

Status RunGpuRole(int fd, const GpuRoleOptions& options) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<DeviceSource> source, MakeSource(options));
  GpuRole role(std::move(source));
  while (!role.must_exit()) {
    wire::Request request;
    const Status read = ReadFrame(fd, &request);
    if (read.code() == StatusCode::kUnavailable)
      return OkStatus();
    TW_RETURN_IF_ERROR(read);
    wire::Reply reply;
    SetStatus(role.Answer(request, reply), &reply);
    reply.set_seq(request.seq());
    TW_RETURN_IF_ERROR(WriteFrame(fd, reply));
  }
  return OkStatus();
}

}  // namespace tw
