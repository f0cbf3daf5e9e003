// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/repro.h"

#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems.h"
#include "tests/fakes/sample_launch.h"
#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

using testing::HasSubstr;

Repro Sample() {
  Repro repro;
  repro.problem = VariantsOf(kTypeSets[5])[1];
  repro.candidate_id = "sm80:64x64";
  repro.arch = "sm_90a";
  repro.source = "extern \"C\" __global__ void f() {}\n";
  repro.cubin = std::string(
      "\x7f"
      "ELF\0\n\xff",
      7);
  repro.support_cubin = std::string(3, '\0');
  repro.launch = fakes::SampleLaunchPlan();
  repro.seed = std::numeric_limits<std::uint64_t>::max();
  repro.check_determinism = false;
  repro.objective = Objective::kWarm;
  repro.verdict = Wrong("wrong_element", "D[item 0, row 1, column 2] = \"x\"", 12);
  repro.verdict.error_ratio = std::numeric_limits<double>::infinity();
  repro.verdict.bound = 0.1;
  repro.verdict.coverage = "all of D";
  return repro;
}

TEST(Repro, ComesBackAsItWasWritten) {
  const fakes::TempDir dir;
  const std::filesystem::path folder = dir.path() / "a" / "b";
  ASSERT_TRUE(WriteRepro(folder, Sample()).ok());
  EXPECT_EQ(ReadRepro(folder).value(), Sample());
  // Again over the old one, shorter.
  Repro other;
  other.problem = VariantsOf(kTypeSets[1])[0];
  ASSERT_TRUE(WriteRepro(folder, other).ok());
  EXPECT_EQ(ReadRepro(folder).value(), other);
}

TEST(Repro, DamageIsNamed) {
  const fakes::TempDir dir;
  EXPECT_EQ(ReadRepro(dir.path()).status().code(), StatusCode::kNotFound);
  for (const char* file : {"problem.txt", "repro.json"}) {
    ASSERT_TRUE(WriteRepro(dir.path(), Sample()).ok());
    std::ofstream(dir / file) << "{\"version\": 1}";
    const Status damaged = ReadRepro(dir.path()).status();
    EXPECT_EQ(damaged.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(damaged.message(), HasSubstr(file));
  }
  ASSERT_TRUE(WriteRepro(dir.path(), Sample()).ok());
  std::filesystem::remove(dir / "kernel.cubin");
  EXPECT_THAT(ReadRepro(dir.path()).status().message(), HasSubstr("kernel.cubin"));
}

TEST(Repro, AFolderThatCannotBeIsAnError) {
  const fakes::TempDir dir;
  std::ofstream(dir / "file") << "x";
  const Status status = WriteRepro(dir.path() / "file" / "inside", Sample());
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("inside"));
}

}  // namespace
}  // namespace tw
