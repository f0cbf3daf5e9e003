// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cublaslt_problem.h"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/device/host_elements.h"

namespace tw {
namespace {

Status CannotDo(const std::string& what) {
  return {StatusCode::kUnimplemented, "cuBLASLt: " + what};
}

// The matrix, or its transpose, as the library finds it: our columns are its columns where we
// store by columns, and our rows are its columns where we store by rows.
CublasLtMatrix Stored(const Operand& op, std::int64_t rows, std::int64_t cols) {
  const bool by_rows = op.major == Major::kRow;
  CublasLtMatrix x;
  x.type = CudaTypeOf(op.type);
  x.rows = static_cast<std::uint64_t>(by_rows ? cols : rows);
  x.cols = static_cast<std::uint64_t>(by_rows ? rows : cols);
  x.ld = op.ld;
  x.batch_stride = op.batch_stride;
  x.align_bytes = static_cast<std::uint32_t>(op.align_bytes);
  return x;
}

CublasCompute ComputeOf(const GemmProblem& p) {
  switch (p.acc) {
    case DType::kF64:
      return CublasCompute::k64F;
    case DType::kF16:
      return CublasCompute::k16F;
    case DType::kS32:
      return CublasCompute::k32I;
    default:
      // Plain f32 is never computed in less; tf32 is only where the problem asks for it.
      return p.a.type == DType::kTf32 ? CublasCompute::k32FFastTf32 : CublasCompute::k32F;
  }
}

// The epilogue's bits; none where the library has no such activation. Its GELU is the one by tanh.
std::optional<std::uint32_t> FusedActivation(std::string_view activation) {
  if (activation == "none")
    return 0;
  if (activation == "relu")
    return kCublasLtEpilogueRelu;
  if (activation == "gelu_tanh")
    return kCublasLtEpilogueGelu;
  return std::nullopt;
}

// The library's order is act(alpha * AB + beta * C + bias).
Status CheckEpilogue(const GemmProblem& p) {
  const std::string& activation = p.epilogue.activation;
  if (p.epilogue.scale != ScaleKind::kNone)
    return CannotDo("scales are not compared");
  if (!FusedActivation(activation))
    return CannotDo("activation " + activation + " is not fused in our sense");
  if (activation != "none" && p.beta != ScalarKind::kZero)
    return CannotDo("adds beta * C before the activation, the problem after it");
  if (p.beta != ScalarKind::kZero && p.c.type != p.d.type)
    return CannotDo("C and D must have the same type");
  if (p.a.type == DType::kS8 && p.d.type != DType::kS32)
    return CannotDo("integer products are compared where D is s32");
  if (p.beta != ScalarKind::kZero && p.c.major != p.d.major)
    return CannotDo("C and D must be stored the same way, by rows or by columns");
  return OkStatus();
}

Status SetEpilogue(const GemmProblem& p, CublasLtProblem& call) {
  TW_RETURN_IF_ERROR(CheckEpilogue(p));
  const std::uint32_t activation = FusedActivation(p.epilogue.activation).value_or(0);
  const bool bias = p.epilogue.bias != BiasKind::kNone;
  if (bias) {
    const BiasKind fused = call.swapped ? BiasKind::kCol : BiasKind::kRow;
    if (p.epilogue.bias != fused) {
      return CannotDo(call.swapped ? "fuses a bias per column only where D is stored by rows"
                                   : "fuses a bias per row only where D is stored by columns");
    }
    if (BytesOf(p.d.type) == 1)
      return CannotDo("takes no f32 bias where D is an 8-bit type");
    call.has_bias = true;
    call.bias_type = CudaTypeOf(p.d.type);
    // The problem promises no more than whole elements.
    call.bias_align_bytes = static_cast<std::uint32_t>(BytesOf(p.d.type));
  }
  if (activation != 0 || bias)
    call.epilogue = activation | (bias ? kCublasLtEpilogueBias : 0);
  return OkStatus();
}

}  // namespace

CudaDataType CudaTypeOf(DType type) {
  switch (type) {
    case DType::kF64:
      return CudaDataType::kR64F;
    case DType::kF32:
    case DType::kTf32:
      return CudaDataType::kR32F;
    case DType::kF16:
      return CudaDataType::kR16F;
    case DType::kBf16:
      return CudaDataType::kR16BF;
    case DType::kE4m3:
      return CudaDataType::kR8FE4M3;
    case DType::kE5m2:
      return CudaDataType::kR8FE5M2;
    case DType::kS8:
      return CudaDataType::kR8I;
    case DType::kS32:
      return CudaDataType::kR32I;
  }
  TW_CHECK(false);
}

std::array<std::byte, 8> ScalarBytes(DType scale, double value) {
  std::array<std::byte, 8> bytes{};
  StoreElement(scale, value, bytes.data());
  return bytes;
}

Result<CublasLtProblem> ForCublasLt(const GemmProblem& p) {
  TW_CHECK(!IsEmpty(p));
  if (p.k == 0)
    return CannotDo("takes no product without terms (k = 0)");
  if (p.batch > std::numeric_limits<std::int32_t>::max())
    return CannotDo("counts batch items in 32 bits");
  CublasLtProblem call;
  call.swapped = p.d.major == Major::kRow;
  call.batch = static_cast<std::int32_t>(p.batch);
  call.compute = ComputeOf(p);
  call.scale = p.acc;
  call.fast_accumulate = p.fp8_fast_accumulate;
  const CublasLtMatrix a = Stored(p.a, p.m, p.k);
  const CublasLtMatrix b = Stored(p.b, p.k, p.n);
  call.first = call.swapped ? b : a;
  call.second = call.swapped ? a : b;
  // An operand is as the library wants it where it is stored like D.
  call.first.transposed = (call.swapped ? p.b : p.a).major != p.d.major;
  call.second.transposed = (call.swapped ? p.a : p.b).major != p.d.major;
  call.reads_c = p.beta != ScalarKind::kZero;
  call.d = Stored(p.d, p.m, p.n);
  call.c = call.reads_c ? Stored(p.c, p.m, p.n) : call.d;
  // Where D is an 8-bit float the library wants a C of 16 bits, read or not.
  if (!call.reads_c && IsFp8(p.d.type))
    call.c.type = CudaDataType::kR16BF;
  TW_RETURN_IF_ERROR(SetEpilogue(p, call));
  return call;
}

}  // namespace tw
