// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/kernel_config.h"

#include <gtest/gtest.h>

#include "codegen/core/digest.h"

namespace tw {
namespace {

const KernelConfig kConfig{"mma_sync", {{"tile_m", 128}, {"tile_n", 64}, {"group", -1}}};

TEST(KernelConfig, GetFindsAKnob) {
  EXPECT_EQ(kConfig.Get("tile_m"), 128);
  EXPECT_EQ(kConfig.Get("group"), -1);
  EXPECT_DEATH((void)kConfig.Get("tile"), "check failed");
}

TEST(KernelConfig, TextIsFamilyThenKnobsInOrder) {
  EXPECT_EQ(Text(kConfig), "mma_sync:tile_m=128,tile_n=64,group=-1");
  EXPECT_EQ(Text({"simt", {}}), "simt");
}

TEST(KernelConfig, ParseIsTheInverseOfText) {
  for (const KernelConfig& config :
       {kConfig, KernelConfig{"simt", {}}, KernelConfig{"gemv", {{"v2", 2147483647}}}}) {
    const Result<KernelConfig> parsed = ParseKernelConfig(Text(config));
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    EXPECT_EQ(*parsed, config);
  }
}

TEST(KernelConfig, ParseRejectsEverythingElse) {
  for (const char* text : {"",
                           ":",
                           "simt:",
                           ":tile=1",
                           "simt:tile",
                           "simt:tile=",
                           "simt:=1",
                           "simt:tile=x",
                           "simt:tile=1x",
                           "simt:tile=1,",
                           "simt:tile=1,,k=2",
                           "simt:tile=01",
                           "simt:tile=+1",
                           "simt:tile= 1",
                           "simt:tile=1, k=2",
                           "simt:tile=2147483648",
                           "simt:tile=1,tile=2",
                           "Simt:tile=1",
                           "simt:Tile=1",
                           "simt:tile=1=2",
                           "simt:tile=-0",
                           "si mt",
                           "simt:a=1:b=2"}) {
    const Result<KernelConfig> parsed = ParseKernelConfig(text);
    EXPECT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(parsed.status().field(), "config") << text;
  }
}

TEST(KernelConfig, CandidateIdIsAHashOfTheText) {
  EXPECT_EQ(CandidateId(kConfig), Sha256Hex(Text(kConfig)).substr(0, 16));
  KernelConfig other = kConfig;
  other.knobs.back().second = 1;
  EXPECT_NE(CandidateId(other), CandidateId(kConfig));
}

}  // namespace
}  // namespace tw
