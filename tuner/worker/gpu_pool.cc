#include "tuner/worker/gpu_pool.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "tuner/worker/convert.h"
#include "tuner/worker/gpu_session.h"

namespace tw {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kProbeLimit{60'000};  // cuInit wakes sleeping GPUs
constexpr std::chrono::seconds kProbeAgain{30};           // after one that found nothing

struct Inventory {
  std::vector<DeviceSpec> devices;
  std::string note;  // why there are none
};

bool IsWanted(const std::vector<std::string>& uuids, const std::string& uuid) {
  return uuids.empty() || std::find(uuids.begin(), uuids.end(), uuid) != uuids.end();
}

Result<wire::Reply> AskForDevices(GpuPoolCore& core) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<Subprocess> process,
                      core.spawner.Start({.file = core.options.worker_path,
                                          .args = GpuWorkerArgs(core.options),
                                          .environment = {}}));
  WorkerClient worker(std::move(process));
  wire::Request request;
  request.mutable_describe_devices();
  TW_ASSIGN_OR_RETURN(wire::Reply reply, worker.Call(std::move(request), kProbeLimit, {}));
  TW_RETURN_IF_ERROR(StatusOf(reply));
  return reply;
}

// By a child of its own: what a driver leaves behind in a process goes with it.
Inventory Probe(GpuPoolCore& core) {
  if (!core.options.enabled)
    return {.devices = {}, .note = "GPUs are switched off"};
  const Result<wire::Reply> reply = AskForDevices(core);
  if (!reply.ok())
    return {.devices = {}, .note = reply.status().message()};
  Inventory found;
  for (const wire::DeviceSpec& device : reply->describe_devices().devices()) {
    if (IsWanted(core.options.uuids, device.uuid()))
      found.devices.push_back(FromProto(device));
  }
  if (!found.devices.empty())
    return found;
  found.note = reply->describe_devices().note();
  if (found.note.empty())
    found.note = core.options.uuids.empty() ? "no GPU" : "none of the GPUs that were asked for";
  return found;
}

}  // namespace

class GpuPool::Impl {
 public:
  explicit Impl(GpuPoolOptions options)
      : core_(std::make_shared<GpuPoolCore>(std::move(options))) {}

  // Devices stay as they were found; without any it looks again now and then.
  Inventory Devices() {
    const std::lock_guard lock(mutex_);
    const bool stale = inventory_ && inventory_->devices.empty() && core_->options.enabled &&
                       Steady::now() - probed_ > kProbeAgain;
    if (!inventory_ || stale) {
      inventory_ = Probe(*core_);
      probed_ = Steady::now();
    }
    return *inventory_;
  }

  Result<std::unique_ptr<BenchmarkSession>> Open(const BenchmarkJob& job,
                                                 const std::stop_token& stop) {
    TW_ASSIGN_OR_RETURN(std::unique_ptr<DeviceLock> lock, Hold(job.device_uuid, stop));
    auto session = std::make_unique<GpuSession>(core_, std::move(lock), job);
    TW_RETURN_IF_ERROR(session->EnsureOpen(stop));
    return std::unique_ptr<BenchmarkSession>(std::move(session));
  }

  Result<Calibration> Calibrate(const std::string& uuid,
                                const CompiledKernel& kernels,
                                const std::stop_token& stop) {
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<DeviceLock> lock, Hold(uuid, stop));
    TW_ASSIGN_OR_RETURN(std::unique_ptr<Subprocess> process,
                        core_->spawner.Start({.file = core_->options.worker_path,
                                              .args = GpuWorkerArgs(core_->options),
                                              .environment = EnvironmentFor(uuid)}));
    WorkerClient worker(std::move(process));
    wire::Request request;
    request.mutable_calibrate()->set_device_uuid(uuid);
    *request.mutable_calibrate()->mutable_kernels() = ToProto(kernels);
    TW_ASSIGN_OR_RETURN(const wire::Reply reply,
                        worker.Call(std::move(request), core_->options.calibrate_limit, stop));
    TW_RETURN_IF_ERROR(StatusOf(reply));
    if (!reply.has_calibrate())
      return Status(StatusCode::kDataLoss, "worker: not a reply to calibrate");
    return FromProto(reply.calibrate().calibration());
  }

 private:
  // Waits for the device, which must be one of ours.
  Result<std::unique_ptr<DeviceLock>> Hold(const std::string& uuid, const std::stop_token& stop) {
    const Inventory inventory = Devices();
    const bool known = std::any_of(inventory.devices.begin(), inventory.devices.end(),
                                   [&](const auto& device) { return device.uuid == uuid; });
    if (!known) {
      const std::string why = inventory.note.empty() ? "" : " (" + inventory.note + ")";
      return Status(StatusCode::kUnavailable, "GPU " + uuid + ": not here" + why);
    }
    return DeviceLock::Acquire(core_->options.lock_dir, uuid, stop);
  }

  std::shared_ptr<GpuPoolCore> core_;  // shared with the sessions, which may live longer
  std::mutex mutex_;
  std::optional<Inventory> inventory_;
  Steady::time_point probed_;
};

GpuPool::GpuPool(GpuPoolOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}

GpuPool::~GpuPool() = default;

std::vector<DeviceSpec> GpuPool::Devices() {
  return impl_->Devices().devices;
}

Result<std::unique_ptr<BenchmarkSession>> GpuPool::Open(const BenchmarkJob& job,
                                                        std::stop_token stop) {
  return impl_->Open(job, stop);
}

Result<Calibration> GpuPool::Calibrate(const std::string& device_uuid,
                                       const CompiledKernel& kernels,
                                       std::stop_token stop) {
  return impl_->Calibrate(device_uuid, kernels, stop);
}

std::string GpuPool::Note() {
  return impl_->Devices().note;
}

}  // namespace tw
