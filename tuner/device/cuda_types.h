// The few types and constants of the CUDA driver API that this project uses, declared here so that
// building needs no toolkit. Values and layouts are part of the driver's stable ABI.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace tw
