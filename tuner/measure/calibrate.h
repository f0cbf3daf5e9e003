// Measures what the cost model wants to know of a device: memory rates, the clock under load, the
// cost of a launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "codegen/core/calibration.h"
#include "codegen/core/candidate.h"
#include "codegen/core/status.h"
#include "tuner/device/device.h"
#include "tw/calibrate/params.h"

namespace tw {

// Takes about half a second of the device. `kernels`: compiled BuildCalibrationSource(). The result
// names the device and its driver; created_micros is left 0.
// ResourceExhausted  the device has no room for a buffer that the L2 does not hold
// Aborted            repeats scatter: something else uses the device, try again
// Otherwise as the device says.
Result<Calibration> MeasureCalibration(Device& device, const CompiledKernel& kernels);

// Median over the blocks of clocks per second; 0 where no block has a time. Pure.
double ClockHz(std::span<const BlockTicks> ticks);

// Bytes to read from DRAM, of a device with `free_bytes` left: 16 times the L2, so that little of
// it is still there from the read before; 4 times at least. ResourceExhausted: no room for that.
// Pure.
Result<std::int64_t> DramBufferBytes(std::int64_t l2_bytes, std::int64_t free_bytes);

}  // namespace tw
