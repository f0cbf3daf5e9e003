// Problems of the judging tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/core/gemm_problem.h"

namespace tw {

// `b`, where it is given, is the type of B alone, and `c` that of C.
struct TypeSet {
  DType ab, d, acc;
  std::optional<DType> b = {};
  std::optional<DType> c = {};
};

inline constexpr TypeSet kTypeSets[] = {
    {DType::kF64, DType::kF64, DType::kF64},
    {DType::kF32, DType::kF32, DType::kF32},
    {DType::kTf32, DType::kF32, DType::kF32},
    {DType::kF16, DType::kF16, DType::kF32},
    {DType::kF16, DType::kF32, DType::kF32},
    {DType::kBf16, DType::kBf16, DType::kF32},
    {DType::kBf16, DType::kF32, DType::kF32},
    {DType::kS8, DType::kS32, DType::kS32},
    {DType::kE4m3, DType::kBf16, DType::kF32},
    {DType::kE4m3, DType::kE4m3, DType::kF32},
    {DType::kE5m2, DType::kF16, DType::kF32, DType::kE4m3},
    {DType::kE4m3, DType::kE5m2, DType::kF32, DType::kE5m2, DType::kBf16},
    {DType::kS8, DType::kS8, DType::kS32},
    {DType::kS8, DType::kBf16, DType::kS32},
    {DType::kS8, DType::kF16, DType::kS32},
    {DType::kS8, DType::kF32, DType::kS32},
    {DType::kBf16, DType::kBf16, DType::kF32, {}, DType::kF32},
};

// "e4m3_e5m2_e5m2_cbf16": A, B where it is another, D, C where it is another. For a test's name.
inline std::string NameOf(const TypeSet& types) {
  std::string name(Name(types.ab));
  if (types.b)
    name.append("_").append(Name(*types.b));
  name.append("_").append(Name(types.d));
  if (types.c)
    name.append("_c").append(Name(*types.c));
  return name;
}

// m x n x k of one type set, not normalised.
inline GemmProblem Product(std::int64_t m, std::int64_t n, std::int64_t k, const TypeSet& types) {
  GemmProblem p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a.type = types.ab;
  p.b.type = types.b.value_or(types.ab);
  p.d.type = types.d;
  p.c.type = types.c.value_or(types.d);
  p.acc = types.acc;
  return p;
}

// The plain one, and one with every feature: batch, gaps, column-major operands, scalars, scales,
// bias, activation, odd alignment.
inline std::vector<GemmProblem> VariantsOf(const TypeSet& types) {
  GemmProblem full = Product(19, 13, 37, types);
  full.batch = 3;
  full.a.ld = 41;
  full.a.batch_stride = 19 * 41 + 5;
  full.b.major = Major::kCol;
  full.b.batch_stride = 0;
  full.d.major = Major::kCol;
  full.d.ld = 23;
  full.d.batch_stride = 23 * 13 + 9;
  full.c.ld = 17;
  full.alpha = full.beta = ScalarKind::kOther;
  full.epilogue = {BiasKind::kRow, "relu", ScaleKind::kRowCol};
  for (Operand* op : {&full.a, &full.b, &full.c, &full.d})
    op->align_bytes = BytesOf(op->type);
  GemmProblem bias = Product(24, 40, 16, types);
  bias.epilogue.bias = BiasKind::kCol;
  bias.epilogue.scale = ScaleKind::kTensor;
  bias.beta = ScalarKind::kOne;
  return {Normalize(Product(32, 24, 48, types)).value(), Normalize(full).value(),
          Normalize(bias).value()};
}

}  // namespace tw
