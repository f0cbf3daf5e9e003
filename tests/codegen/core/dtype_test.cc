// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/dtype.h"

#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(DType, NamesAreUniqueAndParseBack) {
  std::set<std::string_view> names;
  for (const DTypeInfo& info : AllDTypes()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(ParseDType(info.name), info.type);
    EXPECT_EQ(Name(info.type), info.name);
    EXPECT_EQ(&Info(info.type), &info);
  }
  EXPECT_EQ(names.size(), 9U);
  for (const char* unknown : {"", "F32", "f32 ", "float", "fp8", "s4"})
    EXPECT_FALSE(ParseDType(unknown)) << unknown;
}

TEST(DType, SizesAndDeviceTypes) {
  struct Row {
    DType type;
    int bytes;
    const char* device_type;
  };

  for (const Row& row : {Row{DType::kF64, 8, "double"}, Row{DType::kF32, 4, "float"},
                         Row{DType::kTf32, 4, "tw::tf32"}, Row{DType::kF16, 2, "tw::f16"},
                         Row{DType::kBf16, 2, "tw::bf16"}, Row{DType::kE4m3, 1, "tw::e4m3"},
                         Row{DType::kE5m2, 1, "tw::e5m2"}, Row{DType::kS8, 1, "tw::s8"},
                         Row{DType::kS32, 4, "int"}}) {
    EXPECT_EQ(BytesOf(row.type), row.bytes) << Name(row.type);
    EXPECT_EQ(Info(row.type).device_type, row.device_type);
  }
}

TEST(DType, UnitRoundoffMatchesTheFormats) {
  EXPECT_EQ(UnitRoundoff(DType::kF64), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(UnitRoundoff(DType::kF32), std::numeric_limits<float>::epsilon() / 2);
  EXPECT_EQ(UnitRoundoff(DType::kTf32), 0x1p-11);
  EXPECT_EQ(UnitRoundoff(DType::kF16), 0x1p-11);
  EXPECT_EQ(UnitRoundoff(DType::kBf16), 0x1p-8);
  EXPECT_EQ(UnitRoundoff(DType::kE4m3), 0x1p-4);
  EXPECT_EQ(UnitRoundoff(DType::kE5m2), 0x1p-3);
  EXPECT_EQ(UnitRoundoff(DType::kS8), 0);
  EXPECT_EQ(UnitRoundoff(DType::kS32), 0);
}

TEST(DType, SmallestNormalExponents) {
  EXPECT_EQ(Info(DType::kF64).min_exponent, std::numeric_limits<double>::min_exponent - 1);
  EXPECT_EQ(Info(DType::kF32).min_exponent, std::numeric_limits<float>::min_exponent - 1);
  EXPECT_EQ(Info(DType::kF16).min_exponent, -14);
  EXPECT_EQ(Info(DType::kBf16).min_exponent, -126);
  EXPECT_EQ(Info(DType::kE4m3).min_exponent, -6);
  EXPECT_EQ(Info(DType::kE5m2).min_exponent, -14);
  EXPECT_TRUE(Info(DType::kS8).integer);
  EXPECT_FALSE(Info(DType::kE4m3).integer);
}

TEST(DTypeDeathTest, ValuesOutsideTheEnumerationAbort) {
  EXPECT_DEATH((void)Info(static_cast<DType>(9)), "check failed");
}

}  // namespace
}  // namespace tw
