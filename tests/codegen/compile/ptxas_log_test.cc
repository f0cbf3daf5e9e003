#include "codegen/compile/ptxas_log.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

// Recorded from NVRTC 13.0: three kernels, one of them spilling.
constexpr std::string_view kThreeKernels =
    R"(ptxas warning : Registers are spilled to local memory in function 'spill', 2068 bytes spill stores, 2100 bytes spill loads
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'stack' for 'sm_90a'
ptxas info    : Function properties for stack
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 71 registers, used 0 barriers
ptxas info    : Compile time = 32.743 ms
ptxas info    : Compiling entry function 'ok' for 'sm_90a'
ptxas info    : Function properties for ok
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compile time = 3.286 ms
ptxas info    : Compiling entry function 'spill' for 'sm_90a'
ptxas info    : Function properties for spill
ptxas         .     1648 bytes stack frame, 2068 bytes spill stores, 2100 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 1648 bytes cumulative stack size
ptxas info    : Compile time = 112.350 ms
)";

// Recorded: setmaxnreg in a kernel without a launch bound.
constexpr std::string_view kPerformanceLoss =
    R"(ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'setmax' for 'sm_90a'
ptxas info    : Function properties for setmax
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
ptxas info    : Compile time = 6.856 ms
)";

// Recorded, but for the last line's numbers: a device function that was not inlined.
constexpr std::string_view kDeviceFunction =
    R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'caller' for 'sm_90a'
ptxas info    : Function properties for caller
ptxas         .     192 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 192 bytes cumulative stack size
ptxas info    : Compile time = 22.539 ms
ptxas info    : Function properties for _Z6helperPKfi
ptxas         .     8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
)";

// Recorded: a warning of the front end.
constexpr std::string_view kFrontEnd =
    R"(probe.cu(1): warning #177-D: variable "unused" was declared but never referenced
  extern "C" __global__ void bad(float* p) { int unused; }
                                                 ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

)";

TEST(PtxasLog, ReadsEveryKernel) {
  const PtxasReport report = ParsePtxasLog(kThreeKernels);
  const std::vector<EntryResources> want = {
      {.entry = "stack", .registers = 71},
      {.entry = "ok", .registers = 10, .static_smem_bytes = 1024},
      {.entry = "spill",
       .registers = 64,
       .spill_store_bytes = 2068,
       .spill_load_bytes = 2100,
       .stack_bytes = 1648},
  };
  EXPECT_EQ(report.entries, want);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_EQ(report.warnings[0].find("ptxas warning : Registers are spilled"), 0U);
}

TEST(PtxasLog, KeepsPerformanceCodes) {
  const PtxasReport report = ParsePtxasLog(kPerformanceLoss);
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("(C7508)"), std::string::npos);
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0].registers, 10);
}

TEST(PtxasLog, DeviceFunctionsHaveNoRowAndSpoilNone) {
  const PtxasReport report = ParsePtxasLog(kDeviceFunction);
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0],
            (EntryResources{.entry = "caller", .registers = 32, .stack_bytes = 192}));
}

TEST(PtxasLog, KeepsFrontEndWarnings) {
  const PtxasReport report = ParsePtxasLog(kFrontEnd);
  EXPECT_TRUE(report.entries.empty());
  ASSERT_EQ(report.warnings.size(), 1U);
  EXPECT_NE(report.warnings[0].find("#177-D"), std::string::npos);
}

TEST(PtxasLog, EmptyAndForeignText) {
  EXPECT_TRUE(ParsePtxasLog("").entries.empty());
  EXPECT_TRUE(ParsePtxasLog("\n\n\n").warnings.empty());
  EXPECT_TRUE(ParsePtxasLog("hello (C7\nUsed 3 registers\n").entries.empty());
}

TEST(PtxasLog, CutAtEveryByteNeverInventsANumber) {
  const PtxasReport whole = ParsePtxasLog(kThreeKernels);
  for (std::size_t size = 0; size < kThreeKernels.size(); ++size) {
    const PtxasReport part = ParsePtxasLog(kThreeKernels.substr(0, size));
    ASSERT_LE(part.entries.size(), whole.entries.size());
    for (std::size_t i = 0; i < part.entries.size(); ++i) {
      EXPECT_TRUE(part.entries[i].registers == 0 ||
                  part.entries[i].registers == whole.entries[i].registers);
    }
  }
}

TEST(PtxasLog, BoundsTheWarnings) {
  std::string log;
  for (int i = 0; i < 10'000; ++i)
    log += "ptxas warning : " + std::string(2000, 'x') + "\n";
  const PtxasReport report = ParsePtxasLog(log);
  EXPECT_EQ(report.warnings.size(), 64U);
  EXPECT_LE(report.warnings[0].size(), 512U);
}

TEST(TrimLog, ShortTextIsKept) {
  EXPECT_EQ(TrimLog("a\tb\n", 100), "a\tb\n");
}

TEST(TrimLog, CutsAtALineAndSaysSo) {
  std::string log;
  for (int i = 0; i < 100; ++i)
    log += "line " + std::to_string(i) + "\n";
  const std::string cut = TrimLog(log, 200);
  EXPECT_LE(cut.size(), 200U);
  EXPECT_EQ(cut.find("line 0\nline 1\n"), 0U);
  EXPECT_NE(cut.find("\n... ("), std::string::npos);
  EXPECT_NE(cut.find(" bytes more)"), std::string::npos);
}

TEST(TrimLog, ReplacesUnprintableBytes) {
  EXPECT_EQ(TrimLog("a\x1b[31m\xff", 100), "a?[31m?");
  EXPECT_EQ(TrimLog(std::string("a\0b", 3), 100), "a?b");
}

}  // namespace
}  // namespace tw
