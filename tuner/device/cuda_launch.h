// What CudaDevice makes of a launch and of a tensor map: calls of the driver's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/device/cuda_memory.h"
#include "tuner/device/device.h"
#include "tuner/device/driver_api.h"

namespace tw {

// cuLaunchKernelEx where the call needs it, otherwise cuLaunchKernel. Unavailable: the driver lacks
// the former.
Status LaunchCudaKernel(const DriverApi& driver,
                        const CudaCheck& check,
                        CuStream stream,
                        const KernelCall& call);

// As Device::EncodeTensorMap.
Result<TensorMapBytes> EncodeCudaTensorMap(const DriverApi& driver,
                                           const CudaCheck& check,
                                           const TensorMapRecipe& recipe,
                                           DeviceAddress address);

}  // namespace tw
