// SPDX-License-Identifier: Apache-2.0
#include "conflict_kernel.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/core/device_spec.h"

namespace tw {
namespace {

TEST(ConflictCases, HoldTheKnownFigures) {
  std::map<std::string, std::int64_t> predicted;
  for (const ConflictCase& layout : ConflictCases())
    predicted[layout.name] = PredictedConflicts(layout);
  EXPECT_EQ(predicted.at("conflicts_rows_of_128"), 112);
  EXPECT_EQ(predicted.at("conflicts_rows_of_128_swizzled"), 0);
  EXPECT_EQ(predicted.at("conflicts_rows_of_64"), 24);
  EXPECT_EQ(predicted.at("conflicts_rows_of_128_padded_by_32"), 16);
  EXPECT_EQ(predicted.at("conflicts_rows_of_256"), 224);
}

TEST(ConflictCases, AreThreeKindsOfThreeWidths) {
  std::set<int> widths;
  std::map<std::string, int> kinds;
  for (const ConflictCase& layout : ConflictCases()) {
    widths.insert(layout.layout.row_bytes);
    ++kinds[layout.layout.swizzled         ? "swizzled"
            : layout.layout.pad_bytes != 0 ? "padded"
                                           : "plain"];
  }
  EXPECT_EQ(widths.size(), 3U);
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"plain", 3}, {"padded", 3}, {"swizzled", 3}}));
}

// Four phases a warp, as ldmatrix.x4 has.
TEST(ConflictCases, PhasesAreWhatTheWarpsRead) {
  for (const ConflictCase& layout : ConflictCases())
    EXPECT_EQ(PhasesOf(layout), ConflictThreads(layout) / 32 * 4) << layout.name;
}

TEST(ConflictKernel, CompilesAndHoldsTheTileAlone) {
  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  if (!api.ok())
    GTEST_SKIP() << api.status().ToString();
  NvrtcCompiler compiler(*api);
  for (const ConflictCase& layout : ConflictCases()) {
    const auto kernel = compiler.Compile(ConflictSource(layout, "sm_90a"), {});
    ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
    ASSERT_EQ(kernel->entries.size(), 1U);
    EXPECT_EQ(kernel->entries[0].entry, layout.name);
    EXPECT_EQ(kernel->entries[0].static_smem_bytes,
              16 * (layout.layout.row_bytes + layout.layout.pad_bytes));
    EXPECT_TRUE(kernel->warnings.empty());
  }
}

}  // namespace
}  // namespace tw
