// Clocks, power and throttle reasons through NVML, bound by dlopen. Everything is optional: what
// the library or the device does not answer reads as 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "codegen/core/status.h"
#include "tuner/device/device.h"

namespace tw {

using NvmlHandle = struct NvmlOpaqueDevice*;

// An empty function is one that the library lacks; only the first two are required.
struct NvmlApi {
  std::function<int()> init;
  std::function<int(const char*, NvmlHandle*)> handle_by_uuid;
  std::function<int(NvmlHandle, int, unsigned*)> clock_info;         // MHz of a clock domain
  std::function<int(NvmlHandle, int, unsigned*)> temperature;        // degrees Celsius
  std::function<int(NvmlHandle, unsigned*)> power_usage;             // mW
  std::function<int(NvmlHandle, unsigned*)> enforced_power_limit;    // mW
  std::function<int(NvmlHandle, unsigned long long*)> clock_events;  // throttle reasons
  // Sets the count; answers "insufficient size" where there is any process and no room.
  std::function<int(NvmlHandle, unsigned*, void*)> compute_processes;
};

// Unavailable: no library, or it does not start.
Result<NvmlApi> LoadNvmlApi(const std::string& library = "libnvidia-ml.so.1");

// nullptr where NVML does not know the device.
NvmlHandle FindNvmlDevice(const NvmlApi& nvml, const std::string& uuid);

// Requires: `device` is not nullptr.
DeviceReading ReadNvml(const NvmlApi& nvml, NvmlHandle device);

// Throttle reasons that make a timing worthless: hardware slowdown, thermal limits, power brake.
// Not among them: the power cap, under which a large product runs all the time.
inline constexpr unsigned long long kDisturbingThrottleReasons = 0x08 | 0x20 | 0x40 | 0x80;

}  // namespace tw
