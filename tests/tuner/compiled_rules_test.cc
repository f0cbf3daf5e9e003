// SPDX-License-Identifier: Apache-2.0
#include "tuner/compiled_rules.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

struct Case {
  int registers = 32;
  int spill_bytes = 0;  // stored; as many are loaded
  int static_smem_bytes = 0;
  std::uint32_t threads = 256;
  std::uint32_t dynamic_smem_bytes = 0;
};

// The rule that a kernel of one entry breaks on an H200; empty if none.
std::string RuleOf(const Case& c) {
  EntryResources entry;
  entry.entry = "k";
  entry.registers = c.registers;
  entry.spill_store_bytes = entry.spill_load_bytes = c.spill_bytes;
  entry.static_smem_bytes = c.static_smem_bytes;
  CompiledKernel kernel;
  kernel.entries = {entry};
  KernelLaunch launch;
  launch.entry = "k";
  launch.block = {c.threads, 1, 1};
  launch.dynamic_smem_bytes = c.dynamic_smem_bytes;
  const std::optional<Rejection> rejection =
      RejectCompiled(*ReferenceDevice("sm_90a"), kernel, {.launches = {launch}});
  return rejection ? rejection->rule : "";
}

TEST(CompiledRules, AcceptsWhatFits) {
  EXPECT_EQ(RuleOf({}), "");
  EXPECT_EQ(RuleOf({.dynamic_smem_bytes = 227 * 1024}), "");
  EXPECT_EQ(RuleOf({.registers = 255}), "");
}

TEST(CompiledRules, SpillsBeyond64BytesAreRejected) {
  EXPECT_EQ(RuleOf({.spill_bytes = 32}), "");
  EXPECT_EQ(RuleOf({.spill_bytes = 33}), "spills");
}

// What a kernel that is else fine is rejected for with these messages.
std::optional<Rejection> RejectionOf(const std::vector<std::string>& warnings) {
  EntryResources entry;
  entry.entry = "k";
  entry.registers = 168;
  CompiledKernel kernel;
  kernel.entries = {entry};
  kernel.warnings = warnings;
  KernelLaunch launch;
  launch.entry = "k";
  return RejectCompiled(*ReferenceDevice("sm_90a"), kernel, {.launches = {launch}});
}

std::string Message(int code) {
  return "ptxas info    : (C" + std::to_string(code) + ") Potential Performance Loss: something";
}

TEST(CompiledRules, ACrippledWgmmaPipelineIsRejectedWithTheMessage) {
  for (int code :
       {7504, 7508, 7509, 7510, 7511, 7512, 7513, 7514, 7515, 7516, 7517, 7518, 7519, 7520}) {
    const std::optional<Rejection> rejection = RejectionOf({Message(code)});
    ASSERT_TRUE(rejection.has_value()) << code;
    EXPECT_EQ(rejection->rule, "serialised");
    EXPECT_EQ(rejection->detail, Message(code));
  }
}

TEST(CompiledRules, OtherMessagesAreTolerated) {
  for (int code : {7503, 7505, 7507, 7521, 750, 75110})
    EXPECT_FALSE(RejectionOf({Message(code)}).has_value()) << code;
  EXPECT_FALSE(RejectionOf({"probe.cu(1): warning #177-D: 7511 (", "(C", ""}).has_value());
}

TEST(CompiledRules, OneBadMessageAmongOthersIsFound) {
  const std::optional<Rejection> rejection =
      RejectionOf({Message(7503), "ptxas warning : x", Message(7514), Message(7517)});
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->detail, Message(7514));
}

TEST(CompiledRules, ABlockThatFitsNowhereIsRejected) {
  EXPECT_EQ(RuleOf({.registers = 128, .threads = 1024}), "occupancy_zero");
  EXPECT_EQ(RuleOf({.static_smem_bytes = 1024, .dynamic_smem_bytes = 227 * 1024}),
            "occupancy_zero");
}

TEST(CompiledRules, AnEntryThatIsNotThereIsRejected) {
  KernelLaunch launch;
  launch.entry = "other";
  const std::optional<Rejection> rejection =
      RejectCompiled(*ReferenceDevice("sm_90a"), CompiledKernel(), {.launches = {launch}});
  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->rule, "missing_entry");
  EXPECT_EQ(rejection->detail, "other");
}

TEST(CompiledRules, NeedsAreTheMostOverTheLaunches) {
  EntryResources main;
  main.entry = "main";
  main.registers = 128;
  main.static_smem_bytes = 16;
  EntryResources reduce;
  reduce.entry = "reduce";
  reduce.registers = 200;
  reduce.spill_store_bytes = 8;
  EntryResources unused;
  unused.entry = "unused";
  unused.registers = 255;
  CompiledKernel kernel;
  kernel.entries = {main, reduce, unused};
  KernelLaunch first;
  first.entry = "main";
  first.dynamic_smem_bytes = 1000;
  KernelLaunch second;
  second.entry = "reduce";
  const CompiledNeeds needs = NeedsOf(kernel, {.launches = {first, second}});
  EXPECT_EQ(needs.registers, 200);
  EXPECT_EQ(needs.smem_bytes, 1016);
  EXPECT_EQ(needs.spill_bytes, 8);
}

TEST(BlockNeedsOf, AddsWhatLaunchAndCompilerSay) {
  EntryResources entry;
  entry.entry = "k";
  entry.registers = 40;
  entry.static_smem_bytes = 100;
  CompiledKernel kernel;
  kernel.entries = {entry};
  KernelLaunch launch;
  launch.entry = "k";
  launch.block = {32, 4, 2};
  launch.dynamic_smem_bytes = 1000;
  const std::optional<BlockNeeds> needs = BlockNeedsOf(kernel, launch);
  ASSERT_TRUE(needs.has_value());
  EXPECT_EQ(needs->threads, 256);
  EXPECT_EQ(needs->registers_per_thread, 40);
  EXPECT_EQ(needs->smem_bytes, 1100);
  launch.entry = "another";
  EXPECT_FALSE(BlockNeedsOf(kernel, launch).has_value());
}

}  // namespace
}  // namespace tw
