// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <span>

#include "codegen/core/activation.h"
#include "tuner/device/host_elements.h"
#include "tw/verify/pattern.cuh"

namespace tw {
namespace {

double NormalOf(std::uint64_t hash) {
  constexpr double kScale = 1.0 / 4294967296.0;
  const double u = (static_cast<double>(hash & 0xffffffffU) + 1.0) * kScale;
  const double v = static_cast<double>(hash >> 32U) * kScale;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

double FillValue(DType type, const FillParams& params, KAxis axis, const FillTerm& term) {
  if (params.pattern == FillPattern::kOnes && axis != KAxis::kNone)
    return 1;
  if (DrawsIntegers(params.pattern)) {
    if (type == DType::kS32)
      return AnyShort(term.hash);
    return type == DType::kS8 ? AnyByte(term.hash) : SmallInteger(term.hash);
  }
  const double x = NormalOf(term.hash) * static_cast<double>(term.scale);
  if (type == DType::kS8)
    return std::trunc(3.0 * x);
  return type == DType::kS32 ? std::trunc(100.0 * x) : x;
}

// The value an operand stands for: tf32 rounds fp32 storage, ties away from zero.
double OperandValue(DType type, const std::byte* bytes) {
  const double value = LoadElement(type, bytes);
  if (type != DType::kTf32)
    return value;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x1000U) & 0xffffe000U));
}

const std::byte* ElementAt(const void* data, std::int64_t offset, DType type) {
  return static_cast<const std::byte*>(data) + offset * BytesOf(type);
}

MatrixView DView(const GemmProblem& p, void* data) {
  return {data, p.m, p.n, p.batch, p.d.ld, p.d.batch_stride, p.d.major == Major::kRow ? 1 : 0};
}

std::int64_t OffsetIn(const Operand& op, std::int64_t item, std::int64_t row, std::int64_t col) {
  return item * op.batch_stride + (op.major == Major::kRow ? row * op.ld + col : col * op.ld + row);
}

bool IsPoison(const std::byte* bytes, int size, std::uint32_t poison) {
  return std::all_of(bytes, bytes + size,
                     [&](std::byte b) { return std::to_integer<std::uint32_t>(b) == poison; });
}

double ErrorRatio(double got, double want, double bound, double max_finite) {
  if (got == want)
    return 0;
  if (std::isinf(got)) {
    const bool overflows = std::abs(want) + bound > max_finite && (got > 0) == (want > 0);
    return overflows ? 0 : std::numeric_limits<double>::infinity();
  }
  return bound > 0 ? std::abs(got - want) / bound : std::numeric_limits<double>::infinity();
}

struct Compared {
  std::int64_t index;
  double got, want, bound;
  bool poison;
};

// Counts one element of a comparison.
void Judge(const Compared& x, double max_finite, CompareResult& result) {
  const bool is_nan = std::isnan(x.got);
  const double ratio = is_nan ? x.got : ErrorRatio(x.got, x.want, x.bound, max_finite);
  bool bad = !(ratio <= 1.0);
  if (bad && x.poison) {
    ++result.unwritten;
  } else if (is_nan) {
    bad = !std::isnan(x.want);
    result.nan += bad ? 1U : 0U;
  } else {
    result.worst_ratio_bits = std::max(result.worst_ratio_bits, std::bit_cast<uint64>(ratio));
    result.wrong += bad ? 1U : 0U;
  }
  if (bad)
    result.first_bad = std::min(result.first_bad, static_cast<uint64>(x.index));
}

struct Shape {
  std::int64_t rows, cols;
};

// The values of one batch item, row by row.
std::vector<double> Decode(const void* data,
                           const Operand& op,
                           const Shape& shape,
                           std::int64_t item) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(shape.rows * shape.cols));
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t c = 0; c < shape.cols; ++c)
      values.push_back(OperandValue(op.type, ElementAt(data, OffsetIn(op, item, r, c), op.type)));
  }
  return values;
}

// One row of A times one row of B: adds to a row of D.
void AddTerms(double x, std::span<const double> line, double* sum, double* magnitude) {
  for (std::size_t col = 0; col < line.size(); ++col) {
    const double term = x * line[col];
    sum[col] += term;
    magnitude[col] += std::abs(term);
  }
}

}  // namespace

void FakeKernels::Fill(const FillParams& params, DType type, KAxis axis) {
  if (axis != KAxis::kNone)
    products_.clear();
  auto* data = static_cast<std::byte*>(params.matrix.data);
  for (std::int64_t i = 0; i < params.matrix.Count(); ++i) {
    const Position at = PositionOf(params.matrix, i);
    const FillTerm term = TermOf(params, axis, at, params.seed);
    StoreElement(type, FillValue(type, params, axis, term),
                 data + OffsetOf(params.matrix, at) * BytesOf(type));
  }
}

void FakeKernels::FillScales(const FillParams& params) {
  auto* data = static_cast<float*>(params.matrix.data);
  for (std::int64_t i = 0; i < params.matrix.Count(); ++i) {
    const FillTerm term = TermOf(params, KAxis::kNone, PositionOf(params.matrix, i), params.seed);
    data[i] = ScaleValue(params.pattern, term.hash);
  }
}

void FakeKernels::Multiply(const GemmParams& params,
                           std::int64_t item,
                           FakeProduct& product) const {
  const GemmProblem& p = problem_;
  const std::vector<double> a = Decode(params.a, p.a, {p.m, p.k}, item);
  const std::vector<double> b = Decode(params.b, p.b, {p.k, p.n}, item);
  const auto n = static_cast<std::size_t>(p.n);
  const auto depth = static_cast<std::size_t>(p.k);
  const std::size_t first = static_cast<std::size_t>(item * p.m) * n;
  for (std::size_t row = 0; row < static_cast<std::size_t>(p.m); ++row) {
    for (std::size_t k = 0; k < depth; ++k) {
      AddTerms(a[row * depth + k], std::span(b).subspan(k * n, n),
               product.sum.data() + first + row * n, product.magnitude.data() + first + row * n);
    }
  }
}

const FakeProduct& FakeKernels::ProductOf(const GemmParams& params) {
  for (const FakeProduct& product : products_) {
    if (product.a == params.a && product.b == params.b)
      return product;
  }
  const auto count = static_cast<std::size_t>(problem_.m * problem_.n * problem_.batch);
  FakeProduct product{params.a, params.b, std::vector<double>(count), std::vector<double>(count)};
  for (std::int64_t item = 0; problem_.alpha != ScalarKind::kZero && item < problem_.batch; ++item)
    Multiply(params, item, product);
  products_.push_back(std::move(product));
  return products_.back();
}

FakeKernels::Element FakeKernels::Finish(const GemmParams& params,
                                         const FakeProduct& product,
                                         const Position& at) const {
  const GemmProblem& p = problem_;
  const auto [item, row, col] = at;
  const auto index = static_cast<std::size_t>((item * p.m + row) * p.n + col);
  double factor = params.alpha;
  if (p.epilogue.scale != ScaleKind::kNone && p.alpha != ScalarKind::kZero) {
    const bool each = p.epilogue.scale == ScaleKind::kRowCol;
    factor *= static_cast<double>(params.scale_a[each ? row : 0]) *
              static_cast<double>(params.scale_b[each ? col : 0]);
  }
  Element x{factor * product.sum[index], std::abs(factor) * product.magnitude[index]};
  if (p.epilogue.bias != BiasKind::kNone) {
    const std::int64_t place = p.epilogue.bias == BiasKind::kCol ? col : row;
    const double bias = LoadElement(BiasType(p), ElementAt(params.bias, place, BiasType(p)));
    x.value += bias;
    x.magnitude += std::abs(bias);
  }
  x.value = FindActivation(p.epilogue.activation)->host(x.value);
  if (p.beta != ScalarKind::kZero) {
    const std::int64_t offset = OffsetIn(p.c, item, row, col);
    const double c = params.beta * LoadElement(p.c.type, ElementAt(params.c, offset, p.c.type));
    x.value += c;
    x.magnitude += std::abs(c);
  }
  return x;
}

void FakeKernels::Reference(const ReferenceParams& params) {
  const FakeProduct& product = ProductOf(params.gemm);
  const MatrixView view = DView(problem_, nullptr);
  for (std::int64_t i = 0; i < SlotsOf(view, params.coverage); ++i) {
    const Position at = PositionOfSlot(view, params.coverage, i);
    if (!Contains(view, at))
      continue;
    const Element x = Finish(params.gemm, product, at);
    params.reference[i] = x.value;
    if (params.magnitude != nullptr)
      params.magnitude[i] = static_cast<float>(x.magnitude);
  }
}

void FakeKernels::Candidate(const GemmParams& params) {
  const FakeProduct& product = ProductOf(params);
  const MatrixView view = DView(problem_, params.d);
  const DType type = problem_.d.type;
  for (std::int64_t i = 0; i < view.Count(); ++i) {
    const Position at = PositionOf(view, i);
    StoreElement(type, Finish(params, product, at).value,
                 static_cast<std::byte*>(params.d) + OffsetOf(view, at) * BytesOf(type));
  }
}

std::byte* FakeKernels::LastElement(const GemmParams& params) const {
  const MatrixView view = DView(problem_, params.d);
  return static_cast<std::byte*>(params.d) +
         OffsetOfIndex(view, view.Count() - 1) * BytesOf(problem_.d.type);
}

void FakeKernels::Compare(const CompareParams& params) const {
  const DType type = problem_.d.type;
  for (std::int64_t i = 0; i < SlotsOf(params.d, params.coverage); ++i) {
    const Position at = PositionOfSlot(params.d, params.coverage, i);
    if (!Contains(params.d, at))
      continue;
    const std::byte* bytes = ElementAt(params.d.data, OffsetOf(params.d, at), type);
    const double got = LoadElement(type, bytes);
    const double want = Saturated(params.reference[i], params.bound);
    const double magnitude =
        params.magnitude != nullptr ? static_cast<double>(params.magnitude[i]) : 0.0;
    const double bound = BoundOf(want, magnitude, params.bound);
    if (i == params.report) {
      params.result->got = got;
      params.result->want = want;
      params.result->bound = bound;
    }
    Judge({i, got, want, bound, IsPoison(bytes, BytesOf(type), params.poison)},
          params.bound.max_finite, *params.result);
  }
}

void FakeKernels::Guard(const GuardParams& params) const {
  const auto* data = static_cast<const std::byte*>(params.matrix.data);
  for (std::int64_t slot = params.begin; slot < params.end; ++slot) {
    if (IsElement(params.matrix, slot))
      continue;
    const std::byte* bytes = data + slot * params.slot_bytes;
    const auto changed = std::count_if(bytes, bytes + params.slot_bytes, [&](std::byte b) {
      return std::to_integer<std::uint32_t>(b) != params.poison;
    });
    if (changed > 0) {
      params.result->count += static_cast<uint64>(changed);
      params.result->first_bad =
          std::min(params.result->first_bad, static_cast<uint64>(slot - params.begin));
    }
  }
}

void FakeKernels::Scan(const ScanParams& params) const {
  const DType type = problem_.d.type;
  for (std::int64_t i = 0; i < params.d.Count(); ++i) {
    const std::byte* bytes = ElementAt(params.d.data, OffsetOfIndex(params.d, i), type);
    const bool unwritten = IsPoison(bytes, BytesOf(type), params.poison);
    if (!unwritten && !std::isnan(LoadElement(type, bytes)))
      continue;
    ++(unwritten ? params.result->unwritten : params.result->nan);
    params.result->first_bad = std::min(params.result->first_bad, static_cast<uint64>(i));
  }
}

void FakeKernels::HashLines(const HashParams& params) const {
  const auto bytes = static_cast<std::size_t>(BytesOf(problem_.d.type));
  for (std::int64_t i = 0; i < params.d.Count(); ++i) {
    uint64 bits = 0;
    std::memcpy(&bits, ElementAt(params.d.data, OffsetOfIndex(params.d, i), problem_.d.type),
                bytes);
    params.buckets[i / params.d.LineLength() / LinesPerBucket(params.d)] +=
        HashCounter(static_cast<uint64>(i), bits);
  }
}

void FakeKernels::SumRows(const SumParams& params, DType type) {
  const MatrixView& m = params.matrix;
  for (std::int64_t i = 0; i < m.Count(); ++i) {
    const Position at = PositionOf(m, i);
    const double x = OperandValue(type, ElementAt(m.data, OffsetOf(m, at), type));
    const std::int64_t weight = at.item * m.cols + at.col;
    const double sign = RandomSign(at.col, params.seed);
    const double size = params.weight_sizes != nullptr ? params.weight_sizes[weight] : 1.0;
    const std::int64_t row = at.item * m.rows + at.row;
    params.sum[row] +=
        params.scale * x * (params.weights != nullptr ? params.weights[weight] : sign);
    params.size[row] +=
        std::abs(params.scale) * (params.kind == SumSize::kRounding
                                      ? HalfUlp(x, params.bound) * HalfUlp(x, params.bound)
                                      : std::abs(x) * size);
  }
}

}  // namespace tw
