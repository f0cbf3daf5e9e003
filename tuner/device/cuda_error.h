// What a CUresult means for the process that got it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/status.h"
#include "tuner/device/driver_api.h"

namespace tw {

// The context is lost: every later call fails, and only a new process helps (cuda.h says so of
// these codes; 710 loses the context only, which comes to the same for one process per GPU).
bool IsStickyCudaError(CuResult code);

// Sticky, and the device itself may be at fault rather than the kernel.
bool IsDeviceSuspect(CuResult code);

// "CUDA error 700 CUDA_ERROR_ILLEGAL_ADDRESS".
std::string CudaErrorText(const DriverApi& driver, CuResult code);

// Ok for kCuSuccess; otherwise "WHAT: CUDA error …" under the nearest StatusCode: ResourceExhausted
// for 2, NotFound for 100 and 500, Unavailable for 34, DataLoss for sticky codes, else Internal.
Status CudaStatus(const DriverApi& driver, std::string_view what, CuResult code);

}  // namespace tw
