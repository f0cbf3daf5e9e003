// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/error_bound.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "problems.h"
#include "tuner/device/host_elements.h"

namespace tw {
namespace {

constexpr TypeSet kBf16ToBf16{DType::kBf16, DType::kBf16, DType::kF32};
constexpr TypeSet kF16ToF32{DType::kF16, DType::kF32, DType::kF32};

ErrorBound NormalBound(std::int64_t k, const TypeSet& types) {
  return BoundForNormal(Normalize(Product(8, 8, k, types)).value());
}

TEST(ErrorBound, HalfUlpAtKnownValues) {
  const ErrorBound f32 = BoundForIntegers(Normalize(Product(1, 1, 1, kF16ToF32)).value());
  EXPECT_EQ(HalfUlp(1.0, f32), 0x1p-24);
  EXPECT_EQ(HalfUlp(-1.99, f32), 0x1p-24);
  EXPECT_EQ(HalfUlp(2.0, f32), 0x1p-23);
  EXPECT_EQ(HalfUlp(0.0, f32), 0x1p-150);  // half the smallest subnormal
  const ErrorBound bf16 = BoundForIntegers(Normalize(Product(1, 1, 1, kBf16ToBf16)).value());
  EXPECT_EQ(HalfUlp(100.0, bf16), 0.25);
  const TypeSet f16{DType::kF16, DType::kF16, DType::kF32};
  const ErrorBound half = BoundForIntegers(Normalize(Product(1, 1, 1, f16)).value());
  EXPECT_EQ(HalfUlp(1e-9, half), 0x1p-25);
  EXPECT_EQ(half.max_finite, 65504);
  const TypeSet f64{DType::kF64, DType::kF64, DType::kF64};
  const ErrorBound wide = BoundForIntegers(Normalize(Product(1, 1, 1, f64)).value());
  EXPECT_EQ(HalfUlp(1.0, wide), 0x1p-53);
  EXPECT_EQ(wide.max_finite, std::numeric_limits<double>::max());
}

TEST(ErrorBound, IntegersMustBeExact) {
  const TypeSet s8{DType::kS8, DType::kS32, DType::kS32};
  const ErrorBound bound = NormalBound(4096, s8);
  EXPECT_EQ(BoundOf(12345, 1e6, bound), 0);
}

TEST(ErrorBound, RoundingOfDIsAlwaysAllowed) {
  std::mt19937_64 random(7);  // NOLINT: a fixed seed on purpose
  std::normal_distribution<double> normal(0, 100);
  for (const TypeSet& types : kTypeSets) {
    const ErrorBound bound = BoundForIntegers(Normalize(Product(1, 1, 1, types)).value());
    for (int i = 0; i < 1000 && !Info(types.d).integer; ++i) {
      const double exact = normal(random);
      std::byte bytes[8];
      StoreElement(types.d, exact, bytes);
      EXPECT_LE(std::abs(LoadElement(types.d, bytes) - exact), BoundOf(exact, 0, bound));
    }
  }
}

// A kernel's sum in fp32, rounded to nearest or cut off every `group` products, against doubles.
struct Simulation {
  double exact = 0, magnitude = 0, got = 0;
};

float CutTowardsZero(double x) {
  const float nearest = static_cast<float>(x);
  return std::abs(static_cast<double>(nearest)) > std::abs(x) ? std::nextafter(nearest, 0.0F)
                                                              : nearest;
}

Simulation Simulate(std::int64_t k, int group, bool truncate, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0, 1);
  Simulation s;
  float sum = 0;
  for (std::int64_t i = 0; i < k; i += group) {
    double part = 0;
    for (int j = 0; j < group; ++j) {
      const double term = static_cast<double>(normal(random)) * static_cast<double>(normal(random));
      part += term;
      s.magnitude += std::abs(term);
    }
    s.exact += part;
    const double next = static_cast<double>(sum) + part;
    sum = truncate ? CutTowardsZero(next) : static_cast<float>(next);
  }
  s.got = static_cast<double>(sum);
  return s;
}

TEST(ErrorBound, RightSumsPassAtEveryDepth) {
  std::mt19937_64 random(11);  // NOLINT
  for (std::int64_t k : {16, 256, 4096, 65536}) {
    const ErrorBound f32 = NormalBound(k, {DType::kF32, DType::kF32, DType::kF32});
    const ErrorBound f16 = NormalBound(k, kF16ToF32);
    const ErrorBound tf32 = NormalBound(k, {DType::kTf32, DType::kF32, DType::kF32});
    for (int i = 0; i < 20; ++i) {
      const Simulation nearest = Simulate(k, 1, false, random);
      EXPECT_LE(std::abs(nearest.got - nearest.exact),
                BoundOf(nearest.exact, nearest.magnitude, f32));
      const Simulation by8 = Simulate(k, 8, true, random);
      EXPECT_LE(std::abs(by8.got - by8.exact), BoundOf(by8.exact, by8.magnitude, f16));
      const Simulation by4 = Simulate(k, 4, true, random);
      EXPECT_LE(std::abs(by4.got - by4.exact), BoundOf(by4.exact, by4.magnitude, tf32));
    }
  }
}

TEST(ErrorBound, ADroppedTermIsSeenAtEveryDepth) {
  std::mt19937_64 random(13);  // NOLINT
  std::normal_distribution<double> normal(0, 1);
  for (std::int64_t k : {16, 256, 4096, 65536}) {
    const ErrorBound bound = NormalBound(k, kF16ToF32);
    int seen = 0;
    for (int i = 0; i < 1000; ++i) {
      const double root = std::sqrt(static_cast<double>(k));
      const double exact = root * normal(random);
      const double dropped = normal(random) * normal(random);
      const double magnitude = 0.64 * static_cast<double>(k);
      seen += std::abs(dropped) > BoundOf(exact, magnitude, bound) ? 1 : 0;
    }
    EXPECT_GT(seen, 400) << k;  // of 1000 elements; one is enough
  }
}

// Two partial sums kept in bf16 and added: a known fault of split-K kernels.
TEST(ErrorBound, PartialSumsIn16BitsAreSeen) {
  std::mt19937_64 random(17);  // NOLINT
  constexpr std::int64_t kDepth = 4096;
  const ErrorBound bound = NormalBound(kDepth, kBf16ToBf16);
  std::normal_distribution<double> half(0, std::sqrt(kDepth / 2.0));
  auto round = [](double x) {
    std::byte bytes[2];
    StoreElement(DType::kBf16, x, bytes);
    return LoadElement(DType::kBf16, bytes);
  };
  int seen = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = half(random);
    const double y = half(random);
    const double got = round(round(x) + round(y));
    seen += std::abs(got - (x + y)) > BoundOf(x + y, 0.64 * kDepth, bound) ? 1 : 0;
  }
  EXPECT_GT(seen, 100);
}

}  // namespace
}  // namespace tw
