// What the tuner must know of a device: from a table (no GPU needed) or from a live one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codegen/core/dtype.h"
#include "codegen/core/status.h"

namespace tw {

// Strings have initialisers so that designated ones may leave them out.
struct DeviceSpec {
  std::string name{};  // "NVIDIA H200"
  std::string uuid{};  // "GPU-…"; empty for a row of the table
  int cc_major = 0;    // compute capability
  int cc_minor = 0;
  std::string arch{};  // NVRTC spelling with the feature suffix: "sm_90a"
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::string mig_profile{};  // empty without MIG
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;
  int regs_per_sm = 65536;
  int regs_per_block = 65536;
  int max_regs_per_thread = 255;
  std::int64_t smem_per_sm = 0;              // bytes
  std::int64_t smem_per_block_optin = 0;     // bytes, the limit for one block
  std::int64_t smem_reserved_per_block = 0;  // bytes the driver takes per resident block
  std::int64_t l2_bytes = 0;
  double dram_bytes_per_s = 0;
  double sm_clock_hz = 0;  // sustained under a matrix load where known, else boost
  // What one SM gets of the L2 by plain loads while all SMs draw: 5500 of 132 SMs on an H200.
  double l2_bytes_per_clock_per_sm = 42;
  double launch_s = 2e-6;  // one kernel in a graph, first wave included
  // Multiply-adds per clock and SM.
  double fma_f32 = 0, fma_f64 = 0, fma_s8 = 0;  // CUDA cores (s8: dp4a or imad)
  double mma_f16 = 0, mma_tf32 = 0, mma_s8 = 0, mma_fp8 = 0, mma_f64 = 0;  // tensor cores; 0 = none
  int driver_version = 0;  // CUDA driver API version, 13000; 0 for a row of the table

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;

  [[nodiscard]] int cc() const { return cc_major * 10 + cc_minor; }
};

// Part of the result key: "sm_90a/132sm/144gb[/mig]". Devices of another SM count, memory class
// (GiB rounded up to a multiple of 8) or MIG profile never share results.
std::string DeviceClass(const DeviceSpec& device);

// Reference devices, sm_75 to sm_121, one row per arch at least.
std::span<const DeviceSpec> ReferenceDevices();

// The reference device of an arch. "sm_90" means "sm_90a", likewise 100 and
// later. NotFound lists what is known.
Result<DeviceSpec> ReferenceDevice(std::string_view arch);

// "sm_90" -> "sm_90a"; other names unchanged.
std::string CanonicalArch(std::string_view arch);

}  // namespace tw
