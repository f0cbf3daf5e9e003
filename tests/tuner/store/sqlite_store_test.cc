// What only a store in a file can promise: durability, identity, exclusion.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/sqlite_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/store/compare.h"
#include "tests/tuner/store/samples.h"

namespace tw {
namespace {

class SqliteStoreTest : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path Path() const { return dir_.path() / "sub" / "store.db"; }

  [[nodiscard]] std::unique_ptr<SqliteStore> MustOpen() const {
    Result<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(Path());
    TW_CHECK(store.ok());
    return *std::move(store);
  }

  [[nodiscard]] Status OpenError() const { return SqliteStore::Open(Path()).status(); }

  [[nodiscard]] std::string Bytes() const {
    std::ifstream file(Path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  void Write(const std::string& bytes) const {
    std::filesystem::create_directories(Path().parent_path());
    std::ofstream(Path(), std::ios::binary | std::ios::trunc) << bytes;
  }

  void ForeignExec(const std::string& sql) const {
    std::filesystem::create_directories(Path().parent_path());
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(Path().c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  fakes::TempDir dir_;
};

mode_t ModeOf(const std::filesystem::path& path) {
  struct stat info {};

  TW_CHECK(stat(path.c_str(), &info) == 0);
  return info.st_mode & 0777;
}

TEST_F(SqliteStoreTest, ReopenedStoreHasEverything) {
  {
    const std::unique_ptr<SqliteStore> store = MustOpen();
    ASSERT_TRUE(store->PutResult(SampleResult()).ok());
    ASSERT_TRUE(store->PutReport("run", SampleReport()).ok());
    ASSERT_TRUE(store->PutJob(SampleJob()).ok());
  }
  const std::unique_ptr<SqliteStore> store = MustOpen();
  ASSERT_TRUE(store->Find(SampleKey()).has_value());
  ExpectSame(*store->Find(SampleKey()), SampleResult());
  ASSERT_EQ(store->Reports("run")->size(), 1U);
  ExpectSame(store->Reports("run")->front(), SampleReport());
  ASSERT_EQ(store->Jobs()->size(), 1U);
  ExpectSame(store->Jobs()->front(), SampleJob());
  EXPECT_GT(store->Stats().bytes, 4096);
}

TEST_F(SqliteStoreTest, FilesArePrivate) {
  const mode_t old_mask = umask(0);
  const std::unique_ptr<SqliteStore> store = MustOpen();
  umask(old_mask);
  ASSERT_TRUE(store->PutJob(SampleJob()).ok());
  EXPECT_EQ(ModeOf(Path().parent_path()), 0700U);
  for (const char* suffix : {"", "-wal", ".lock"}) {
    EXPECT_EQ(ModeOf(Path().string() + suffix), 0600U) << suffix;
  }
}

TEST_F(SqliteStoreTest, SecondOpenFailsAtOnceAndNamesTheHolder) {
  const std::unique_ptr<SqliteStore> store = MustOpen();
  const Status status = OpenError();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("process " + std::to_string(getpid())), std::string::npos)
      << status.message();
  EXPECT_TRUE(store->PutResult(SampleResult()).ok());
}

TEST_F(SqliteStoreTest, OpensAgainAfterAClose) {
  MustOpen().reset();
  EXPECT_TRUE(SqliteStore::Open(Path()).ok());
}

TEST_F(SqliteStoreTest, LeavesAnotherProgramsFileUntouched) {
  ForeignExec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);");
  const std::string before = Bytes();
  const Status status = OpenError();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find(Path().string()), std::string::npos);
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SqliteStoreTest, LeavesAFileThatIsNoDatabaseUntouched) {
  for (const std::string& bytes : {std::string("hello"), std::string(8192, 'x')}) {
    Write(bytes);
    EXPECT_EQ(OpenError().code(), StatusCode::kFailedPrecondition);
    EXPECT_EQ(Bytes(), bytes);
  }
}

TEST_F(SqliteStoreTest, LeavesANewerSchemaUntouchedAndNamesBothVersions) {
  MustOpen().reset();
  ForeignExec("PRAGMA user_version = 7;");
  const std::string before = Bytes();
  const Status status = OpenError();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("version 7"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("up to 2"), std::string::npos) << status.message();
  EXPECT_EQ(Bytes(), before);
}

TEST_F(SqliteStoreTest, ReportsDamageAndSaysWhatToDo) {
  {
    const std::unique_ptr<SqliteStore> store = MustOpen();
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(store->PutReport("run", SampleReport(std::to_string(i))).ok());
    }
  }
  std::string bytes = Bytes();
  ASSERT_GT(bytes.size(), 3U * 4096);
  bytes.replace(4096, bytes.size() - 4096, bytes.size() - 4096, '\xff');
  Write(bytes);
  const Status status = OpenError();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status.ToString();
  EXPECT_NE(status.message().find("move it"), std::string::npos) << status.message();
}

// A flipped bit inside a row is no fault of the file format; the row's digest tells.
TEST_F(SqliteStoreTest, ReportsARowWhoseBytesChanged) {
  {
    const std::unique_ptr<SqliteStore> store = MustOpen();
    ASSERT_TRUE(store->PutResult(SampleResult()).ok());
  }
  std::string bytes = Bytes();
  const std::size_t at = bytes.find("NVIDIA H200");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'M';
  Write(bytes);
  EXPECT_EQ(OpenError().code(), StatusCode::kDataLoss);
}

// Random damage ends in a clean refusal or in the right rows.
TEST_F(SqliteStoreTest, SurvivesRandomDamage) {
  {
    const std::unique_ptr<SqliteStore> store = MustOpen();
    ASSERT_TRUE(store->PutResult(SampleResult()).ok());
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(store->PutReport("run", SampleReport(std::to_string(i))).ok());
    }
  }
  const std::string intact = Bytes();
  std::mt19937_64 engine(7);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bytes = intact;
    bytes[engine() % bytes.size()] = static_cast<char>(engine());
    Write(bytes);
    const Result<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(Path());
    if (!store.ok()) {
      ++refused;
      continue;
    }
    if (const std::optional<TuneResult> found = (*store)->Find(SampleKey())) {
      ExpectSame(*found, SampleResult());
    }
    if (const Result<std::vector<CandidateReport>> reports = (*store)->Reports("run");
        reports.ok()) {
      for (const CandidateReport& report : *reports) {
        ExpectSame(report, SampleReport(report.candidate_id));
      }
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(SqliteStoreTest, AFullDiskIsAStatusAndLosesNothing) {
  Result<std::unique_ptr<SqliteStore>> opened =
      SqliteStore::Open(Path(), {.max_bytes = 200 * 1024});
  ASSERT_TRUE(opened.ok());
  SqliteStore& store = **opened;
  ASSERT_TRUE(store.PutResult(SampleResult()).ok());
  int stored = 0;
  Status status;
  while (stored < 1000) {
    status = store.PutReport("run", SampleReport(std::to_string(stored)));
    if (!status.ok()) {
      break;
    }
    ++stored;
  }
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_GT(stored, 10);
  EXPECT_TRUE(store.Find(SampleKey()).has_value());
  EXPECT_EQ(store.Reports("run")->size(), static_cast<std::size_t>(stored));
}

TEST_F(SqliteStoreTest, RefusesFilesThatOthersCanWriteAndLinks) {
  MustOpen().reset();
  ASSERT_EQ(chmod(Path().c_str(), 0666), 0);
  EXPECT_EQ(OpenError().code(), StatusCode::kPermissionDenied);
  ASSERT_EQ(chmod(Path().c_str(), 0600), 0);
  const std::filesystem::path real = dir_.path() / "real.db";
  std::filesystem::rename(Path(), real);
  std::filesystem::create_symlink(real, Path());
  EXPECT_EQ(OpenError().code(), StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace tw
