// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/nvml_api.h"

#include <optional>

#include "tuner/device/shared_library.h"

namespace tw {
namespace {

constexpr int kNvmlSuccess = 0;
constexpr int kNvmlInsufficientSize = 7;
constexpr int kNvmlClockSm = 1;
constexpr int kNvmlTemperatureGpu = 0;

// 0 where the function is missing or fails.
template <class Value, class Function, class... Args>
Value Query(const Function& function, NvmlHandle device, Args... args) {
  Value value{};
  if (!function || function(device, args..., &value) != kNvmlSuccess)
    return {};
  return value;
}

}  // namespace

Result<NvmlApi> LoadNvmlApi(const std::string& library) {
  TW_ASSIGN_OR_RETURN(void* handle, OpenSharedLibrary(library));
  auto bind = [handle](auto& slot, const char* symbol) {
    return BindFunction(slot, FindSymbol(handle, symbol));
  };
  NvmlApi api;
  if (!bind(api.init, "nvmlInit_v2") || !bind(api.handle_by_uuid, "nvmlDeviceGetHandleByUUID"))
    return Status(StatusCode::kUnavailable, library + " is no NVML library");
  bind(api.clock_info, "nvmlDeviceGetClockInfo");
  bind(api.temperature, "nvmlDeviceGetTemperature");
  bind(api.power_usage, "nvmlDeviceGetPowerUsage");
  bind(api.enforced_power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  // The newer name came with driver 535.
  if (!bind(api.clock_events, "nvmlDeviceGetCurrentClocksEventReasons"))
    bind(api.clock_events, "nvmlDeviceGetCurrentClocksThrottleReasons");
  bind(api.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (int code = api.init(); code != kNvmlSuccess)
    return Status(StatusCode::kUnavailable, "nvmlInit_v2: NVML error " + std::to_string(code));
  return api;
}

NvmlHandle FindNvmlDevice(const NvmlApi& nvml, const std::string& uuid) {
  NvmlHandle device = nullptr;
  return nvml.handle_by_uuid(uuid.c_str(), &device) == kNvmlSuccess ? device : nullptr;
}

DeviceReading ReadNvml(const NvmlApi& nvml, NvmlHandle device) {
  constexpr double kMilli = 1e-3;
  DeviceReading reading;
  reading.conditions.sm_clock_mhz = Query<unsigned>(nvml.clock_info, device, kNvmlClockSm);
  reading.conditions.temperature_c = Query<unsigned>(nvml.temperature, device, kNvmlTemperatureGpu);
  reading.conditions.power_w = kMilli * Query<unsigned>(nvml.power_usage, device);
  reading.conditions.power_limit_w = kMilli * Query<unsigned>(nvml.enforced_power_limit, device);
  reading.conditions.throttle_reasons = Query<unsigned long long>(nvml.clock_events, device);
  unsigned processes = 0;
  if (nvml.compute_processes &&
      nvml.compute_processes(device, &processes, nullptr) == kNvmlInsufficientSize)
    reading.compute_processes = static_cast<int>(processes);
  return reading;
}

}  // namespace tw
