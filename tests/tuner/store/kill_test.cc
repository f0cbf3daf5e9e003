// kill -9 while rows are being written: every row whose Put returned is there afterwards, whole.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/store/compare.h"
#include "tests/tuner/store/samples.h"
#include "tuner/store/sqlite_store.h"

extern char** environ;

namespace tw {
namespace {

struct CloseFile {
  void operator()(FILE* file) const { (void)std::fclose(file); }
};

struct Writer {
  pid_t pid = -1;
  std::unique_ptr<FILE, CloseFile> acknowledged;
};

Writer StartWriter(const std::string& store, long first) {
  std::array<int, 2> ends{};
  TW_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string program = TW_BIN_DIR "/store_writer";
  std::string path = store;
  std::string run = "run";
  std::string number = std::to_string(first);
  std::array<char*, 5> args{program.data(), path.data(), run.data(), number.data(), nullptr};
  Writer writer;
  TW_CHECK(posix_spawn(&writer.pid, program.c_str(), &actions, nullptr, args.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  writer.acknowledged.reset(fdopen(ends[0], "r"));
  return writer;
}

// The numbers that arrived, the writer being killed once `rows` of them did.
std::set<long> KillAfter(const Writer& writer, int rows) {
  std::set<long> numbers;
  long number = 0;
  while (std::fscanf(writer.acknowledged.get(), "%ld", &number) == 1) {
    numbers.insert(number);
    if (static_cast<int>(numbers.size()) == rows) {
      kill(writer.pid, SIGKILL);
    }
  }
  int status = 0;
  waitpid(writer.pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself with " << status;
  return numbers;
}

TEST(SqliteStoreKill, LosesNoAcknowledgedRow) {
  const fakes::TempDir dir;
  const std::string path = (dir.path() / "store.db").string();
  std::mt19937_64 engine(3);
  std::set<long> acknowledged;
  for (int round = 0; round < 6; ++round) {
    const long first = round * 100000;
    const int rows = 1 + static_cast<int>(engine() % 30);
    acknowledged.merge(KillAfter(StartWriter(path, first), rows));

    const Result<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(path);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    std::set<std::string> reports;
    const Result<std::vector<CandidateReport>> stored = (*store)->Reports("run");
    ASSERT_TRUE(stored.ok()) << stored.status().ToString();
    for (const CandidateReport& report : *stored) {
      ExpectSame(report, SampleReport(report.candidate_id));
      reports.insert(report.candidate_id);
    }
    for (const long number : acknowledged) {
      TuneResult expected = SampleResult();
      expected.key.problem = std::to_string(number);
      const std::optional<TuneResult> found = (*store)->Find(expected.key);
      ASSERT_TRUE(found.has_value()) << "round " << round << " lost result " << number;
      ExpectSame(*found, expected);
      ASSERT_EQ(reports.count(std::to_string(number)), 1U) << "lost report " << number;
    }
  }
}

}  // namespace
}  // namespace tw
