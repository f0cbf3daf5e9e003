// The few types and constants of the CUDA driver API that this project uses, declared here so that
// building needs no toolkit. Values and layouts are part of the driver's stable ABI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tw {

using CuResult = int;
using CuDevice = int;
using CuDevicePtr = unsigned long long;
using CuContext = struct CuOpaqueContext*;
using CuModule = struct CuOpaqueModule*;
using CuFunction = struct CuOpaqueFunction*;
using CuStream = struct CuOpaqueStream*;
using CuEvent = struct CuOpaqueEvent*;
using CuGraph = struct CuOpaqueGraph*;
using CuGraphExec = struct CuOpaqueGraphExec*;

struct CuUuid {
  unsigned char bytes[16];
};

// CUresult codes that the code tells apart; cuda_error.h classifies the rest.
enum CuCode : CuResult {
  kCuSuccess = 0,
  kCuInvalidValue = 1,
  kCuOutOfMemory = 2,
  kCuStubLibrary = 34,
  kCuDeviceUnavailable = 46,
  kCuNoDevice = 100,
  kCuNoBinaryForGpu = 209,
  kCuEccUncorrectable = 214,
  kCuNvlinkUncorrectable = 220,
  kCuContained = 226,
  kCuNotFound = 500,
  kCuIllegalAddress = 700,
  kCuLaunchOutOfResources = 701,
  kCuLaunchTimeout = 702,
  kCuAssert = 710,
  kCuHardwareStackError = 714,
  kCuIllegalInstruction = 715,
  kCuMisalignedAddress = 716,
  kCuInvalidAddressSpace = 717,
  kCuInvalidPc = 718,
  kCuLaunchFailed = 719,
  kCuTensorMemoryLeak = 721,
  kCuMpsClientTerminated = 810,
  kCuExternalDevice = 911,
  kCuUnknown = 999,
};

// CUdevice_attribute.
enum CuAttribute : int {
  kCuMaxThreadsPerBlock = 1,
  kCuMaxRegistersPerBlock = 12,
  kCuClockRateKhz = 13,
  kCuMultiprocessorCount = 16,
  kCuMemoryClockRateKhz = 36,
  kCuMemoryBusWidthBits = 37,
  kCuL2CacheBytes = 38,
  kCuMaxThreadsPerMultiprocessor = 39,
  kCuComputeCapabilityMajor = 75,
  kCuComputeCapabilityMinor = 76,
  kCuMaxSharedMemoryPerMultiprocessor = 81,
  kCuMaxRegistersPerMultiprocessor = 82,
  kCuMaxSharedMemoryPerBlockOptin = 97,
  kCuMaxBlocksPerMultiprocessor = 106,
  kCuReservedSharedMemoryPerBlock = 111,
};

inline constexpr int kCuFuncMaxDynamicSharedBytes = 8;  // CUfunction_attribute
inline constexpr int kCuCaptureThreadLocal = 1;         // CUstreamCaptureMode

// CUlaunchAttributeID.
enum CuLaunchAttributeId : int {
  kCuLaunchCooperative = 2,
  kCuLaunchClusterDimension = 4,
  kCuLaunchProgrammaticStreamSerialization = 6,
};

// CUlaunchAttributeValue, a union of 64 bytes: those of its members that are used.
union CuLaunchAttributeValue {
  std::uint64_t all[8];
  int flag;  // cooperative, programmaticStreamSerializationAllowed

  struct {
    unsigned x, y, z;
  } cluster;
};

struct CuLaunchAttribute {
  CuLaunchAttributeId id;
  CuLaunchAttributeValue value;
};

struct CuLaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned dynamic_smem_bytes;
  CuStream stream;
  CuLaunchAttribute* attributes;
  unsigned attribute_count;
};

// CUtensorMapDataType.
enum CuTensorMapType : int {
  kCuTensorMapUint8 = 0,
  kCuTensorMapInt32 = 3,
  kCuTensorMapFloat16 = 6,
  kCuTensorMapFloat32 = 7,
  kCuTensorMapFloat64 = 8,
  kCuTensorMapBfloat16 = 9,
  kCuTensorMapTfloat32 = 11,
};

inline constexpr int kCuTensorMapInterleaveNone = 0;  // CUtensorMapInterleave
inline constexpr int kCuTensorMapFillZeros = 0;       // CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

// CUtensorMapSwizzle.
enum CuTensorMapSwizzle : int {
  kCuTensorMapSwizzleNone = 0,
  kCuTensorMapSwizzle32 = 1,
  kCuTensorMapSwizzle64 = 2,
  kCuTensorMapSwizzle128 = 3,
};

// CUtensorMapL2promotion.
enum CuTensorMapL2Promotion : int {
  kCuTensorMapL2PromotionNone = 0,
  kCuTensorMapL2Promotion64 = 1,
  kCuTensorMapL2Promotion128 = 2,
  kCuTensorMapL2Promotion256 = 3,
};

}  // namespace tw
