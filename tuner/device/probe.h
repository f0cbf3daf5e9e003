// DeviceSpec of the GPUs at hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "codegen/core/device_spec.h"
#include "codegen/core/status.h"
#include "tuner/device/driver_api.h"

namespace tw {

// "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it.
std::string UuidText(const CuUuid& uuid);

// Sizes and limits from the driver; rates per clock and SM, and the clock under load, from the
// reference device of the same arch (of the nearest older one where the table lacks it).
// Requires: the driver is initialised.
Result<DeviceSpec> ProbeDevice(const DriverApi& driver, CuDevice device);

// Initialises the driver; no context is made. An error says why no device can be used.
Result<std::vector<DeviceSpec>> ProbeDevices(const DriverApi& driver);

// The device with this UUID. NotFound lists those there are. Requires: the driver is initialised.
Result<CuDevice> FindCudaDevice(const DriverApi& driver, const std::string& uuid);

}  // namespace tw
