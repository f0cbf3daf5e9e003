// The fake's own parts that the judging tests do not reach.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/fake_device.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/device/host_elements.h"

namespace tw {
namespace {

double RoundTrip(DType type, double value) {
  std::byte bytes[8];
  StoreElement(type, value, bytes);
  return LoadElement(type, bytes);
}

TEST(HostElements, SixteenBitFloatsRoundToNearestEven) {
  EXPECT_EQ(RoundTrip(DType::kBf16, 1 + 0x1p-8), 1.0);         // tie, to even
  EXPECT_EQ(RoundTrip(DType::kBf16, 1 + 0x3p-8), 1 + 0x1p-6);  // tie, to even
  EXPECT_EQ(RoundTrip(DType::kBf16, 1.9999), 2.0);             // carries into the exponent
  EXPECT_EQ(RoundTrip(DType::kF16, -0.1), -0.0999755859375);
  EXPECT_EQ(RoundTrip(DType::kF16, 65504), 65504);
  EXPECT_EQ(RoundTrip(DType::kF16, 65519), 65504);
  EXPECT_EQ(RoundTrip(DType::kF16, 65520), std::numeric_limits<double>::infinity());
  EXPECT_EQ(RoundTrip(DType::kF16, 1e300), std::numeric_limits<double>::infinity());
  EXPECT_EQ(RoundTrip(DType::kF16, 0x1p-24), 0x1p-24);  // smallest subnormal
  EXPECT_EQ(RoundTrip(DType::kF16, 0x1p-26), 0);
  EXPECT_TRUE(std::isnan(RoundTrip(DType::kBf16, std::nan(""))));
}

TEST(HostElements, IntegersSaturate) {
  EXPECT_EQ(RoundTrip(DType::kS8, 300), 127);
  EXPECT_EQ(RoundTrip(DType::kS8, -2.5), -2);
  EXPECT_EQ(RoundTrip(DType::kS32, -1e12), -2147483648.0);
}

TEST(FakeScript, TheFirstRuleThatIsLeftDecides) {
  FakeScript script = ParseFakeScript(R"({"rules": [
      {"match": "simt", "behaviour": "wrong", "count": 1},
      {"match": "*", "behaviour": "slow:20"}]})")
                          .value();
  EXPECT_EQ(script.Take("tw_simt_x").behaviour, FakeBehaviour::kWrong);
  EXPECT_EQ(script.Take("tw_simt_y").behaviour, FakeBehaviour::kSlow);
  EXPECT_EQ(script.Take("other").slow_ms, 20);
  EXPECT_EQ(ParseFakeScript("").value().Take("x").behaviour, FakeBehaviour::kOk);
}

TEST(FakeScript, TheLibraryIsScriptedToo) {
  const FakeScript script = ParseFakeScript(R"({"library": {"version": "fakelt 7",
      "algorithms": [{"time_ns": 5, "workspace": 64}, {"behaviour": "nan"}]}})")
                                .value();
  ASSERT_TRUE(script.library.has_value());
  EXPECT_EQ(script.library->version, "fakelt 7");
  ASSERT_EQ(script.library->algorithms.size(), 2U);
  EXPECT_EQ(script.library->algorithms[0].workspace_bytes, 64);
  EXPECT_EQ(script.library->algorithms[0].rule.time_ns, 5);
  EXPECT_EQ(script.library->algorithms[1].rule.behaviour, FakeBehaviour::kNan);
  EXPECT_FALSE(ParseFakeScript(R"({"library": "absent"})").value().library.has_value());
}

TEST(FakeScript, MistakesAreNamed) {
  for (const char* text :
       {"[1]", "{", "/no/such/file", R"({"rules": [{"match": "x"}]})",
        R"({"rules": [{"match": "x", "behaviour": "explode"}]})",
        R"({"rules": [{"match": "x", "behaviour": "slow:fast"}]})",
        R"({"rules": [{"match": "x", "behaviour": "held:"}]})", R"({"time_ns": "soon"})",
        R"({"library": "none"})", R"({"library": {"algorithms": [{"behaviour": "explode"}]}})",
        R"({"library": {"algorithms": 3}})"})
    EXPECT_EQ(ParseFakeScript(text).status().code(), StatusCode::kInvalidArgument) << text;
}

TEST(FakeDevice, ATensorMapHoldsItsAddressAndMeetsTheRules) {
  FakeDevice device{FakeScript{}};
  TensorMapRecipe recipe;
  recipe.dims = {64, 32};
  recipe.strides = {128};
  recipe.box = {64, 32};
  constexpr DeviceAddress kAddress = 0x123450;
  const TensorMapBytes map = device.EncodeTensorMap(recipe, kAddress).value();
  DeviceAddress held = 0;
  std::memcpy(&held, map.data(), sizeof(held));
  EXPECT_EQ(held, kAddress);
  EXPECT_FALSE(device.EncodeTensorMap(recipe, kAddress + 8).ok());
  recipe.strides[0] = 120;
  EXPECT_THAT(device.EncodeTensorMap(recipe, kAddress).status().message(),
              testing::HasSubstr("strides[0] = 120: must be a multiple of 16"));
}

TEST(FakeMemory, AccessBeyondABlockFails) {
  FakeMemory memory(1 << 20, [] { return OkStatus(); });
  const DeviceAddress address = memory.Allocate(100).value();
  EXPECT_TRUE(memory.Set(address, 1, 100).ok());
  EXPECT_FALSE(memory.Set(address, 1, 101).ok());
  EXPECT_EQ(memory.Allocate(1 << 20).status().code(), StatusCode::kResourceExhausted);
  memory.Free(address);
  EXPECT_FALSE(memory.Set(address, 1, 1).ok());
  EXPECT_EQ(memory.FreeBytes().value(), 1 << 20);
}

}  // namespace
}  // namespace tw
