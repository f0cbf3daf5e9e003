// Device over the CUDA driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tuner/device/cublaslt_api.h"
#include "tuner/device/device.h"
#include "tuner/device/driver_api.h"
#include "tuner/device/nvml_api.h"

namespace tw {

// Makes the device's primary context current on the calling thread, which alone may use the
// result. `driver` and `nvml` outlive it; `nvml` may be null: conditions then read as 0. `library`
// says where the vendor's library may be, which is loaded when it is first asked for.
// Requires: the driver is initialised.
Result<std::unique_ptr<Device>> OpenCudaDevice(const DriverApi& driver,
                                               const NvmlApi* nvml,
                                               const std::string& uuid,
                                               CublasLtSearch library = {});

}  // namespace tw
