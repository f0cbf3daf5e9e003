// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/repro_shelf.h"

#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/core/digest.h"
#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Repro Sample(const std::string& id = "0123456789abcdef", std::int64_t m = 8) {
  GemmProblem problem;
  problem.m = m;
  problem.n = problem.k = 8;
  Repro repro;
  repro.problem = *Normalize(problem);
  repro.candidate_id = id;
  repro.cubin = "machine code";
  repro.verdict = Wrong("nan", "somewhere", 1);
  return repro;
}

std::set<std::string> NamesIn(const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}

TEST(ReproShelf, NamesAFolderAfterCandidateAndProblem) {
  const fakes::TempDir dir;
  ReproShelf shelf(dir.path() / "repro");
  const auto folder = shelf.Keep(Sample());
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  const std::string hash = Sha256Hex(CanonicalText(Sample().problem)).substr(0, 8);
  EXPECT_EQ(*folder, dir.path() / "repro" / ("0123456789abcdef-" + hash));
  EXPECT_EQ(ReadRepro(*folder).value(), Sample());
  EXPECT_NE(shelf.Keep(Sample("0123456789abcdef", 16)).value(), *folder) << "another problem";
}

TEST(ReproShelf, ReplacesTheOlderFolderOfThatName) {
  const fakes::TempDir dir;
  ReproShelf shelf(dir.path());
  ASSERT_TRUE(shelf.Keep(Sample()).ok());
  Repro newer = Sample();
  newer.verdict.rule = "unwritten";
  const auto folder = shelf.Keep(newer);
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  EXPECT_EQ(ReadRepro(*folder).value(), newer);
  EXPECT_EQ(NamesIn(dir.path()).size(), 1U) << "nothing unfinished stays";
}

TEST(ReproShelf, NoIdLeavesTheDirectory) {
  const fakes::TempDir dir;
  ReproShelf shelf(dir.path() / "repro");
  for (const std::string& id : {std::string("../../x/y"), std::string(), std::string(5000, 'i')}) {
    const auto folder = shelf.Keep(Sample(id));
    ASSERT_TRUE(folder.ok()) << folder.status().ToString();
    EXPECT_EQ(folder->parent_path(), dir.path() / "repro");
    EXPECT_EQ(ReadRepro(*folder).value().candidate_id, id);
  }
  EXPECT_EQ(NamesIn(dir.path()), std::set<std::string>{"repro"});
}

TEST(ReproShelf, TheOldestGo) {
  const fakes::TempDir dir;
  ReproShelf shelf(dir.path());
  std::string oldest;
  std::string second;
  for (std::size_t i = 0; i < ReproShelf::kMost; ++i) {
    const fs::path folder = shelf.Keep(Sample("id" + std::to_string(i))).value();
    // The tenth is the oldest. All are of the future: the clock was set back.
    const auto age = std::chrono::minutes((i + ReproShelf::kMost - 10) % ReproShelf::kMost);
    fs::last_write_time(folder, fs::file_time_type::clock::now() + std::chrono::hours(1) + age);
    oldest = i == 10 ? folder.filename().string() : oldest;
    second = i == 11 ? folder.filename().string() : second;
  }
  fs::create_directory(dir.path() / "of somebody else");
  const std::string newest = shelf.Keep(Sample("new")).value().filename();
  const std::set<std::string> names = NamesIn(dir.path());
  EXPECT_EQ(names.size(), ReproShelf::kMost + 1);
  EXPECT_THAT(names, Contains("of somebody else"));
  EXPECT_THAT(names, Contains(newest));
  EXPECT_THAT(names, Contains(second));
  EXPECT_THAT(names, Not(Contains(oldest)));
}

TEST(ReproShelf, ADirectoryThatCannotBeIsAnError) {
  const fakes::TempDir dir;
  std::ofstream(dir / "file") << "x";
  const auto folder = ReproShelf(dir.path() / "file").Keep(Sample());
  EXPECT_FALSE(folder.ok());
  EXPECT_THAT(folder.status().message(), HasSubstr(dir / "file"));
}

TEST(ReproShelf, OffencesAreWhatAKernelDidWrong) {
  for (OutcomeKind kind :
       {OutcomeKind::kWrongResult, OutcomeKind::kCrashed, OutcomeKind::kTimedOut})
    EXPECT_TRUE(IsOffence(kind)) << Name(kind);
  for (OutcomeKind kind : {OutcomeKind::kMeasured, OutcomeKind::kDisturbed,
                           OutcomeKind::kLaunchError, OutcomeKind::kSkipped})
    EXPECT_FALSE(IsOffence(kind)) << Name(kind);
}

TEST(ReproShelf, AReproHasAllThatTheJobAndTheCandidateSay) {
  BenchmarkJob job;
  job.problem = Sample().problem;
  job.support.cubin = "judge";
  job.options.seed = 77;
  job.options.objective = Objective::kWarm;
  job.check_determinism = false;
  CandidateRun candidate;
  candidate.candidate_id = "id";
  candidate.kernel.arch = "sm_80";
  candidate.kernel.cubin = "code";
  candidate.launch = {{{"f", {1, 2, 3}, {4, 5, 6}, 7}}, 4096};
  candidate.source = "source";
  BenchmarkOutcome outcome;
  outcome.kind = OutcomeKind::kWrongResult;
  outcome.rule = "wrong_element";
  outcome.detail = "D[0]";
  outcome.error_ratio = 3.5;

  Repro expected;
  expected.problem = job.problem;
  expected.candidate_id = "id";
  expected.arch = "sm_80";
  expected.source = "source";
  expected.cubin = "code";
  expected.support_cubin = "judge";
  expected.launch = candidate.launch;
  expected.seed = 77;
  expected.check_determinism = false;
  expected.objective = Objective::kWarm;
  expected.verdict.kind = OutcomeKind::kWrongResult;
  expected.verdict.rule = "wrong_element";
  expected.verdict.detail = "D[0]";
  expected.verdict.error_ratio = 3.5;
  EXPECT_EQ(ReproOf(job, candidate, outcome), expected);
}

}  // namespace
}  // namespace tw
