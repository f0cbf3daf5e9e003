// SPDX-License-Identifier: Apache-2.0
#include "client/cli/format.h"

#include <gtest/gtest.h>

#include "client/cli/funnel.h"

namespace tw::cli {
namespace {

TEST(Format, NanosecondsPickTheirUnit) {
  EXPECT_EQ(FormatNanoseconds(812), "812 ns");
  EXPECT_EQ(FormatNanoseconds(12'340), "12.34 us");
  EXPECT_EQ(FormatNanoseconds(1'234'567), "1.235 ms");
  EXPECT_EQ(FormatNanoseconds(2.5e9), "2.5 s");
}

TEST(Format, Seconds) {
  EXPECT_EQ(FormatSeconds(0.0123), "0.012 s");
  EXPECT_EQ(FormatSeconds(4.1), "4.10 s");
  EXPECT_EQ(FormatSeconds(125.9), "2 min 05 s");
}

TEST(Format, Bytes) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(std::int64_t{141} << 30), "141.0 GiB");
  EXPECT_EQ(FormatBytes(std::int64_t{1} << 52), "4096.0 TiB");
}

TEST(Format, CudaVersion) {
  EXPECT_EQ(FormatCudaVersion(13000), "13.0");
  EXPECT_EQ(FormatCudaVersion(12080), "12.8");
  EXPECT_EQ(FormatCudaVersion(0), "unknown");
}

TEST(Format, ThrottleReasons) {
  EXPECT_EQ(FormatThrottleReasons(0), "none");
  EXPECT_EQ(FormatThrottleReasons(0x24), "power cap, thermal (software)");
  EXPECT_EQ(FormatThrottleReasons(0x1004), "power cap, 0x1000");
  EXPECT_EQ(FormatThrottleReasons(0x8000), "0x8000");
}

TEST(Format, TableAlignsColumnsWithoutTrailingBlanks) {
  EXPECT_EQ(FormatTable({{"A", "NAME", ""}, {"10", "x", ""}}), "A   NAME\n10  x\n");
  EXPECT_EQ(FormatTable({}), "");
}

TEST(Funnel, SumsReasonsAndOrdersStages) {
  v1::TuneResult result;
  auto& funnel = *result.mutable_funnel();
  funnel["measured"] = 7;
  funnel["crashed"] = 1;
  funnel["compiled"] = 9;
  funnel["pruned:registers"] = 5;
  funnel["pruned:smem"] = 20;
  funnel["pruned:threads"] = 5;
  funnel["space"] = 39;
  funnel["skipped"] = 0;
  funnel["wrong_result"] = 3;
  funnel["wrong_result:nan"] = 2;
  funnel["finalists"] = 4;
  EXPECT_EQ(FunnelText(result),
            "space 39, pruned 30 (smem 20, registers 5, threads 5), compiled 9, measured 7, "
            "finalists 4, crashed 1, wrong_result 3 (nan 2)");
}

TEST(Funnel, EmptyIsEmpty) {
  EXPECT_EQ(FunnelText({}), "");
}

}  // namespace
}  // namespace tw::cli
