// Reference devices. Limits: CUDA C++ Programming Guide 13.0, "Technical specifications per
// compute capability". Memory is what the driver reports, which is less than what is sold.
// Bandwidth is the achievable share (about 90 %) of the data sheet's figure. Multiply-adds per
// clock are dense data-sheet rates divided by SMs and boost clock, rounded to the power of two
// that the architecture papers give; those marked ~ are estimates.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "codegen/core/device_spec.h"

namespace tw {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

// Residency limits of one SM, shared by the devices of an architecture.
struct SmLimits {
  int threads, blocks;
  std::int64_t smem, smem_reserved;
};

// Since sm_80 the driver keeps 1 KiB per resident block; a block may take the rest.
constexpr SmLimits kSm75{1024, 16, 64 * kKiB, 0};
constexpr SmLimits kSm80{2048, 32, 164 * kKiB, kKiB};
constexpr SmLimits kSm86{1536, 16, 100 * kKiB, kKiB};
constexpr SmLimits kSm89{1536, 24, 100 * kKiB, kKiB};
constexpr SmLimits kSm90{2048, 32, 228 * kKiB, kKiB};  // also 10.0 and 10.3
constexpr SmLimits kSm110{1536, 24, 228 * kKiB, kKiB};
constexpr SmLimits kSm120{1536, 24, 100 * kKiB, kKiB};  // also 12.1

DeviceSpec WithLimits(DeviceSpec device, const SmLimits& sm) {
  device.max_threads_per_sm = sm.threads;
  device.max_blocks_per_sm = sm.blocks;
  device.smem_per_sm = sm.smem;
  device.smem_per_block_optin = sm.smem - sm.smem_reserved;
  device.smem_reserved_per_block = sm.smem_reserved;
  return device;
}

std::vector<DeviceSpec> TuringToAda() {
  return {
      WithLimits({.name = "NVIDIA T4",
                  .cc_major = 7,
                  .cc_minor = 5,
                  .arch = "sm_75",
                  .sm_count = 40,
                  .memory_bytes = 14930 * kMiB,
                  .l2_bytes = 4 * kMiB,
                  .dram_bytes_per_s = 0.28e12,
                  .sm_clock_hz = 1.59e9,
                  .fma_f32 = 64,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 512,
                  .mma_s8 = 1024},
                 kSm75),
      WithLimits({.name = "NVIDIA A100-SXM4-80GB",
                  .cc_major = 8,
                  .cc_minor = 0,
                  .arch = "sm_80",
                  .sm_count = 108,
                  .memory_bytes = 81050 * kMiB,
                  .l2_bytes = 40 * kMiB,
                  .dram_bytes_per_s = 1.83e12,
                  .sm_clock_hz = 1.41e9,
                  .fma_f32 = 64,
                  .fma_f64 = 32,
                  .fma_s8 = 256,
                  .mma_f16 = 1024,
                  .mma_tf32 = 512,
                  .mma_s8 = 2048,
                  .mma_f64 = 64},
                 kSm80),
      WithLimits({.name = "NVIDIA A10",
                  .cc_major = 8,
                  .cc_minor = 6,
                  .arch = "sm_86",
                  .sm_count = 72,
                  .memory_bytes = 22500 * kMiB,
                  .l2_bytes = 6 * kMiB,
                  .dram_bytes_per_s = 0.54e12,
                  .sm_clock_hz = 1.695e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 512,
                  .mma_tf32 = 256,
                  .mma_s8 = 1024},
                 kSm86),
      WithLimits({.name = "NVIDIA L40S",
                  .cc_major = 8,
                  .cc_minor = 9,
                  .arch = "sm_89",
                  .sm_count = 142,
                  .memory_bytes = 45500 * kMiB,
                  .l2_bytes = 96 * kMiB,
                  .dram_bytes_per_s = 0.78e12,
                  .sm_clock_hz = 2.52e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 512,
                  .mma_tf32 = 256,
                  .mma_s8 = 1024,
                  .mma_fp8 = 1024},
                 kSm89),
  };
}

std::vector<DeviceSpec> HopperAndDatacenterBlackwell() {
  return {
      WithLimits({.name = "NVIDIA H200",
                  .cc_major = 9,
                  .cc_minor = 0,
                  .arch = "sm_90a",
                  .sm_count = 132,
                  .memory_bytes = 143155 * kMiB,
                  .l2_bytes = 60 * kMiB,
                  .dram_bytes_per_s = 4.3e12,
                  .sm_clock_hz = 1.755e9,  // sustained
                  .fma_f32 = 128,
                  .fma_f64 = 64,
                  .fma_s8 = 256,
                  .mma_f16 = 2048,
                  .mma_tf32 = 1024,
                  .mma_s8 = 4096,
                  .mma_fp8 = 4096,
                  .mma_f64 = 128},
                 kSm90),
      // ~ L2, clock, mma_f64.
      WithLimits({.name = "NVIDIA B200",
                  .cc_major = 10,
                  .cc_minor = 0,
                  .arch = "sm_100a",
                  .sm_count = 148,
                  .memory_bytes = 182600 * kMiB,
                  .l2_bytes = 126 * kMiB,
                  .dram_bytes_per_s = 7.0e12,
                  .sm_clock_hz = 1.85e9,
                  .fma_f32 = 128,
                  .fma_f64 = 64,
                  .fma_s8 = 256,
                  .mma_f16 = 4096,
                  .mma_tf32 = 2048,
                  .mma_s8 = 8192,
                  .mma_fp8 = 8192,
                  .mma_f64 = 64},
                 kSm90),
      // ~ memory, L2, clock, mma_s8; its f64 and s8 rates are far below B200's.
      WithLimits({.name = "NVIDIA B300",
                  .cc_major = 10,
                  .cc_minor = 3,
                  .arch = "sm_103a",
                  .sm_count = 148,
                  .memory_bytes = 274000 * kMiB,
                  .l2_bytes = 126 * kMiB,
                  .dram_bytes_per_s = 7.0e12,
                  .sm_clock_hz = 1.9e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 4096,
                  .mma_tf32 = 2048,
                  .mma_s8 = 512,
                  .mma_fp8 = 8192,
                  .mma_f64 = 2},
                 kSm90),
  };
}

std::vector<DeviceSpec> EmbeddedAndConsumerBlackwell() {
  return {
      // ~ L2, every rate. Memory is shared with the CPU.
      WithLimits({.name = "NVIDIA Thor",
                  .cc_major = 11,
                  .cc_minor = 0,
                  .arch = "sm_110a",
                  .sm_count = 20,
                  .memory_bytes = 125700 * kMiB,
                  .l2_bytes = 32 * kMiB,
                  .dram_bytes_per_s = 0.245e12,
                  .sm_clock_hz = 1.575e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 4096,
                  .mma_tf32 = 2048,
                  .mma_s8 = 8192,
                  .mma_fp8 = 8192},
                 kSm110),
      // mma rates with f32 accumulation: half of those with f16.
      WithLimits({.name = "NVIDIA GeForce RTX 5090",
                  .cc_major = 12,
                  .cc_minor = 0,
                  .arch = "sm_120a",
                  .sm_count = 170,
                  .memory_bytes = 32100 * kMiB,
                  .l2_bytes = 96 * kMiB,
                  .dram_bytes_per_s = 1.61e12,
                  .sm_clock_hz = 2.407e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 256,
                  .mma_tf32 = 128,
                  .mma_s8 = 1024,
                  .mma_fp8 = 512},
                 kSm120),
      // ~ L2, clock, every mma rate. Memory is shared with the CPU.
      WithLimits({.name = "NVIDIA GB10",
                  .cc_major = 12,
                  .cc_minor = 1,
                  .arch = "sm_121a",
                  .sm_count = 48,
                  .memory_bytes = 122500 * kMiB,
                  .l2_bytes = 24 * kMiB,
                  .dram_bytes_per_s = 0.245e12,
                  .sm_clock_hz = 2.42e9,
                  .fma_f32 = 128,
                  .fma_f64 = 2,
                  .fma_s8 = 256,
                  .mma_f16 = 512,
                  .mma_tf32 = 256,
                  .mma_s8 = 1024,
                  .mma_fp8 = 1024},
                 kSm120),
  };
}

std::vector<DeviceSpec> AllDevices() {
  std::vector<DeviceSpec> devices = TuringToAda();
  for (auto part : {HopperAndDatacenterBlackwell(), EmbeddedAndConsumerBlackwell()})
    devices.insert(devices.end(), part.begin(), part.end());
  return devices;
}

}  // namespace

std::span<const DeviceSpec> ReferenceDevices() {
  static const std::vector<DeviceSpec> devices = AllDevices();
  return devices;
}

}  // namespace tw
