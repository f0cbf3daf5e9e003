// The 8-bit float formats of the templates against the host's own, which is written another way.
// SPDX-License-Identifier: Apache-2.0
#include "tw/fp8.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tuner/device/host_elements.h"

namespace tw {
namespace {

double Decode(DType type, unsigned code) {
  const auto byte = static_cast<std::byte>(code);
  return LoadElement(type, &byte);
}

unsigned HostEncode(DType type, double value) {
  std::byte byte{};
  StoreElement(type, value, &byte);
  return std::to_integer<unsigned>(byte);
}

unsigned Encode(DType type, float value) {
  return type == DType::kE4m3 ? EncodeFp8<E4m3Format>(value) : EncodeFp8<E5m2Format>(value);
}

class Fp8 : public testing::TestWithParam<DType> {};

TEST(Fp8Values, AreTheFormats) {
  EXPECT_EQ(Decode(DType::kE4m3, 0x7e), 448);
  EXPECT_EQ(Decode(DType::kE4m3, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(Decode(DType::kE4m3, 0x38), 1);
  EXPECT_EQ(Decode(DType::kE4m3, 0xb8), -1);
  EXPECT_TRUE(std::isnan(Decode(DType::kE4m3, 0x7f)));
  EXPECT_EQ(Decode(DType::kE5m2, 0x7b), 57344);
  EXPECT_EQ(Decode(DType::kE5m2, 0x01), std::ldexp(1, -16));
  EXPECT_EQ(Decode(DType::kE5m2, 0x3c), 1);
  EXPECT_TRUE(std::isinf(Decode(DType::kE5m2, 0x7c)));
  EXPECT_TRUE(std::isnan(Decode(DType::kE5m2, 0xff)));
}

TEST_P(Fp8, EveryValueIsItself) {
  for (unsigned code = 0; code < 256; ++code) {
    const double value = Decode(GetParam(), code);
    if (!std::isfinite(value))
      continue;
    EXPECT_EQ(Encode(GetParam(), static_cast<float>(value)), code);
    EXPECT_EQ(HostEncode(GetParam(), value), code);
  }
}

// C049: one rule for what is too large: the largest value; infinity too. NaN stays NaN.
TEST_P(Fp8, SaturatesAndKeepsNan) {
  const double most = MaxFinite(GetParam());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double sign : {1.0, -1.0}) {
    for (const double value :
         {most, most * 1.01, 464.0 * 128, 465.0 * 128, 1e30, 3e38, kInfinity}) {
      const auto x = static_cast<float>(sign * value);
      EXPECT_EQ(Decode(GetParam(), Encode(GetParam(), x)), sign * most) << x;
      EXPECT_EQ(Decode(GetParam(), HostEncode(GetParam(), static_cast<double>(x))), sign * most);
    }
  }
  EXPECT_TRUE(std::isnan(Decode(GetParam(), Encode(GetParam(), std::nanf("")))));
  EXPECT_TRUE(std::isnan(Decode(GetParam(), HostEncode(GetParam(), std::nan("")))));
}

// Ties and their neighbours, then anything.
TEST_P(Fp8, BothRoundToNearestEven) {
  for (unsigned code = 0; code + 1 < 0x7f; ++code) {
    const double low = Decode(GetParam(), code);
    const double high = Decode(GetParam(), code + 1);
    if (!std::isfinite(high))
      break;
    const auto tie = static_cast<float>((low + high) / 2);
    EXPECT_EQ(Encode(GetParam(), tie), code % 2 == 0 ? code : code + 1);
    EXPECT_EQ(Encode(GetParam(), std::nextafter(tie, 0.0F)), code);
    EXPECT_EQ(Encode(GetParam(), std::nextafter(tie, 1e9F)), code + 1);
  }
  std::mt19937_64 random(5);  // NOLINT: a fixed seed on purpose
  std::uniform_real_distribution<float> exponent(-20, 20);
  for (int i = 0; i < 100000; ++i) {
    const float value = std::exp2(exponent(random)) * (i % 2 == 0 ? 1.0F : -1.0F);
    ASSERT_EQ(Encode(GetParam(), value), HostEncode(GetParam(), static_cast<double>(value)))
        << value;
  }
}

INSTANTIATE_TEST_SUITE_P(Both,
                         Fp8,
                         testing::Values(DType::kE4m3, DType::kE5m2),
                         [](const auto& test) { return std::string(Name(test.param)); });

}  // namespace
}  // namespace tw
