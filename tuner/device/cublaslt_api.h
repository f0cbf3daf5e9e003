// cuBLASLt as a table of functions, bound by dlopen: building needs no toolkit, and a machine
// without the library only goes without the comparison. A test fills the table with its own
// lambdas. Types, values and layouts are those of the library's stable ABI (cublasLt.h,
// cublas_api.h, library_types.h of CUDA 12 and 13).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/library_search.h"
#include "codegen/core/status.h"
#include "tuner/device/cuda_types.h"
#include "tuner/device/driver_api.h"

namespace tw {

using CublasLtHandle = struct CublasLtOpaqueHandle*;
using CublasLtOperation = struct CublasLtOpaqueOperation*;
using CublasLtLayout = struct CublasLtOpaqueLayout*;
using CublasLtPreference = struct CublasLtOpaquePreference*;

struct CublasLtAlgo {
  std::uint64_t data[8];
};

// What the heuristics return; the rest is valid where `state` is success.
struct CublasLtHeuristic {
  CublasLtAlgo algo;
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

static_assert(sizeof(CublasLtHeuristic) == 96, "the library writes an array of these");

// cublasStatus_t.
enum CublasCode : int {
  kCublasSuccess = 0,
  kCublasNotInitialized = 1,
  kCublasAllocFailed = 3,
  kCublasInvalidValue = 7,
  kCublasArchMismatch = 8,
  kCublasMappingError = 11,
  kCublasExecutionFailed = 13,
  kCublasInternalError = 14,
  kCublasNotSupported = 15,
};

// cudaDataType.
enum class CudaDataType : int {
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kR8I = 3,
  kR32I = 10,
  kR16BF = 14,
  kR8FE4M3 = 28,
  kR8FE5M2 = 29,
};

// cublasComputeType_t.
enum class CublasCompute : int {
  k16F = 64,
  k32F = 68,
  k64F = 70,
  k32I = 72,
  k32FFastTf32 = 77,
};

// cublasLtEpilogue_t; an activation with bias is the sum.
inline constexpr std::uint32_t kCublasLtEpilogueDefault = 1;
inline constexpr std::uint32_t kCublasLtEpilogueRelu = 2;
inline constexpr std::uint32_t kCublasLtEpilogueBias = 4;
inline constexpr std::uint32_t kCublasLtEpilogueGelu = 32;

// cublasOperation_t.
inline constexpr std::int32_t kCublasOpN = 0;
inline constexpr std::int32_t kCublasOpT = 1;

// cublasLtMatmulDescAttributes_t.
enum CublasLtOperationAttribute : int {
  kCublasLtTransA = 3,         // int32
  kCublasLtTransB = 4,         // int32
  kCublasLtEpilogue = 7,       // uint32
  kCublasLtBiasPointer = 8,    // const void*
  kCublasLtFastAccum = 25,     // int8
  kCublasLtBiasDataType = 26,  // int32
};

// cublasLtMatrixLayoutAttribute_t.
enum CublasLtLayoutAttribute : int {
  kCublasLtBatchCount = 5,   // int32
  kCublasLtBatchOffset = 6,  // int64, elements
};

// cublasLtMatmulPreferenceAttributes_t.
enum CublasLtPreferenceAttribute : int {
  kCublasLtMaxWorkspaceBytes = 1,  // uint64
  kCublasLtMinAlignmentA = 5,      // uint32, and so the three that follow
  kCublasLtMinAlignmentB = 6,
  kCublasLtMinAlignmentC = 7,
  kCublasLtMinAlignmentD = 8,
};

// cublasLtMatmulAlgoConfigAttributes_t.
enum CublasLtConfig : int {
  kCublasLtConfigId = 0,            // int32
  kCublasLtConfigTile = 1,          // uint32
  kCublasLtConfigSplitK = 2,        // int32
  kCublasLtConfigReduction = 3,     // uint32
  kCublasLtConfigSwizzle = 4,       // uint32
  kCublasLtConfigCustomOption = 5,  // uint32
  kCublasLtConfigStages = 6,        // uint32
  kCublasLtConfigInnerShape = 7,    // uint16
  kCublasLtConfigClusterShape = 8,  // uint16
};

struct CublasLtApi {
#define TW_CUBLASLT_FUNCTION(member, symbol, ...) std::function<int(__VA_ARGS__)> member;
#include "tuner/device/cublaslt_api.def"
#undef TW_CUBLASLT_FUNCTION
};

using CublasLtSearch = LibrarySearch;

// Unavailable names the first symbol that is missing.
Result<CublasLtApi> BindCublasLt(const SymbolLookup& lookup);

// Unavailable: found nowhere; the message says where it looked. The library stays loaded until the
// process ends.
Result<CublasLtApi> LoadCublasLt(const CublasLtSearch& search);

// Ok for success; otherwise "WHAT: cuBLAS status 15 (not supported)" under the nearest StatusCode:
// ResourceExhausted for 3, Unimplemented for 15, Unavailable for 1 and 8, else Internal.
Status CublasStatus(std::string_view what, int code);

// "cublaslt 13.1.0".
Result<std::string> CublasLtVersion(const CublasLtApi& api);

}  // namespace tw
