// SPDX-License-Identifier: Apache-2.0
#include "tests/codegen/core/random_problem.h"

#include <array>

#include "tests/codegen/core/any_activation.h"

namespace tw::testing {
namespace {

struct Types {
  DType input, accumulate, output;
};

constexpr std::array<Types, 13> kTypes = {{
    {DType::kF64, DType::kF64, DType::kF64},
    {DType::kF32, DType::kF32, DType::kF32},
    {DType::kTf32, DType::kF32, DType::kF32},
    {DType::kF16, DType::kF32, DType::kF16},
    {DType::kF16, DType::kF32, DType::kF32},
    {DType::kBf16, DType::kF32, DType::kBf16},
    {DType::kBf16, DType::kF32, DType::kF32},
    {DType::kS8, DType::kS32, DType::kS32},
    {DType::kS8, DType::kS32, DType::kS8},
    {DType::kS8, DType::kS32, DType::kBf16},
    {DType::kE4m3, DType::kF32, DType::kBf16},
    {DType::kE4m3, DType::kF32, DType::kE4m3},
    {DType::kE5m2, DType::kF32, DType::kE5m2},
}};

bool Coin(Random& random) {
  return Uniform(random, 0, 1) == 1;
}

Operand RandomOperand(Random& random, DType type, std::int64_t rows, std::int64_t cols) {
  Operand op;
  op.type = type;
  op.major = Coin(random) ? Major::kRow : Major::kCol;
  op.align_bytes = std::int64_t{BytesOf(type)} << Uniform(random, 0, 5);
  const std::int64_t packed = PackedLd(rows, cols, op.major);
  if (Coin(random))
    op.ld = packed + Uniform(random, 0, 9);
  if (Coin(random)) {
    const std::int64_t ld = op.ld == kPacked ? packed : op.ld;
    op.batch_stride = (op.major == Major::kRow ? rows : cols) * ld + Uniform(random, 0, 9);
  }
  return op;
}

// A, B and C may broadcast one item or let items overlap; D may not.
void MaybeBroadcast(Random& random, Operand& op) {
  if (Uniform(random, 0, 3) == 0)
    op.batch_stride = Uniform(random, 0, 3);
}

}  // namespace

std::int64_t Uniform(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

GemmProblem RandomProblem(Random& random) {
  GemmProblem p;
  for (std::int64_t* size : {&p.m, &p.n, &p.k, &p.batch})
    *size = Coin(random) ? Uniform(random, 0, 2) : Uniform(random, 1, 300);
  const Types types = kTypes.at(static_cast<std::size_t>(Uniform(random, 0, kTypes.size() - 1)));
  p.acc = types.accumulate;
  p.a = RandomOperand(random, types.input, p.m, p.k);
  p.b = RandomOperand(random, types.input, p.k, p.n);
  p.c = RandomOperand(random, types.output, p.m, p.n);
  p.d = RandomOperand(random, types.output, p.m, p.n);
  if (types.input == DType::kE5m2 && Coin(random))
    p.b.type = DType::kE4m3;
  for (Operand* op : {&p.a, &p.b, &p.c})
    MaybeBroadcast(random, *op);
  p.alpha = static_cast<ScalarKind>(Uniform(random, 0, 2));
  p.beta = static_cast<ScalarKind>(Uniform(random, 0, 2));
  p.epilogue.bias = static_cast<BiasKind>(Uniform(random, 0, 2));
  p.epilogue.activation = AnyActivation(static_cast<std::uint64_t>(Uniform(random, 0, 99)));
  p.epilogue.scale = static_cast<ScaleKind>(Uniform(random, 0, 2));
  p.fp8_fast_accumulate = Coin(random);
  return p;
}

}  // namespace tw::testing
