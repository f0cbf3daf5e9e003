// A problem as the call that makes cuBLASLt compute it. Pure.
//
// The library's matrices are column-major. A row-major D is, read by columns, D^T = B^T A^T: the
// operands change places and every matrix is the transpose of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codegen/core/gemm_problem.h"
#include "codegen/core/status.h"
#include "tuner/device/cublaslt_api.h"

namespace tw {

// A matrix as it lies in memory, by columns; of an operand, before `transposed` is applied.
struct CublasLtMatrix {
  CudaDataType type = CudaDataType::kR32F;
  std::uint64_t rows = 0, cols = 0;
  std::int64_t ld = 0;            // elements between columns
  std::int64_t batch_stride = 0;  // elements; 0 broadcasts
  std::uint32_t align_bytes = 0;  // promised of the base pointer
  bool transposed = false;

  friend bool operator==(const CublasLtMatrix&, const CublasLtMatrix&) = default;
};

struct CublasLtProblem {
  bool swapped = false;  // the first operand is our B, the second our A
  CublasLtMatrix first, second, c, d;
  std::int32_t batch = 1;
  CublasCompute compute = CublasCompute::k32F;
  DType scale = DType::kF32;  // of alpha and beta
  std::uint32_t epilogue = kCublasLtEpilogueDefault;
  bool reads_c = false;                          // else the library gets D for C
  bool has_bias = false;                         // one value per row of the library's D
  CudaDataType bias_type = CudaDataType::kR32F;  // where has_bias
  std::uint32_t bias_align_bytes = 0;            // where has_bias
  bool fast_accumulate = false;                  // fp8 only
};

// Unimplemented says what the library cannot fuse or take. Requires: normalised, not empty.
Result<CublasLtProblem> ForCublasLt(const GemmProblem& problem);

CudaDataType CudaTypeOf(DType type);

// A scalar in the type that the library reads it in; the first BytesOf(scale) bytes count.
std::array<std::byte, 8> ScalarBytes(DType scale, double value);

}  // namespace tw
