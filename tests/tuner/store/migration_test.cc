// Stores of earlier schema versions keep what they hold.
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "codegen/core/digest.h"
#include "tests/fakes/temp_dir.h"
#include "tests/tuner/store/compare.h"
#include "tests/tuner/store/samples.h"
#include "tuner/store/json_codec.h"
#include "tuner/store/schema.h"
#include "tuner/store/sqlite_store.h"
#include "tuner/store/store_file.h"

namespace tw {
namespace {

class Migration : public testing::Test {
 protected:
  void Exec(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db) << " in " << sql;
    sqlite3_close(db);
  }

  [[nodiscard]] int UserVersion() const {
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    TW_CHECK(sqlite3_open(path_.c_str(), &db) == SQLITE_OK);
    TW_CHECK(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, nullptr) == SQLITE_OK);
    TW_CHECK(sqlite3_step(statement) == SQLITE_ROW);
    const int version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return version;
  }

  static std::string Quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text)
      quoted.append(c == '\'' ? "''" : std::string(1, c));
    return quoted + "'";
  }

  static std::string Hex(const std::string& bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string hex = "x'";
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      hex.push_back(kDigits[byte >> 4U]);
      hex.push_back(kDigits[byte & 15U]);
    }
    return hex + "'";
  }

  // As the program of that version wrote it: only the first schema, a row in each table.
  void WriteVersionOne() const {
    const std::string result = EncodeTuneResult(SampleResult());
    const std::string report = EncodeReport(SampleReport());
    const JobRecord job = SampleJob();
    const ResultKey key = SampleKey();
    const std::string key_text = Quoted(key.problem) + "," + Quoted(key.device_class) + "," +
                                 Quoted(key.contract) + "," + Quoted(key.objective) + ",";
    std::string sql = "BEGIN;" + std::string(StoreMigrations()[0]);
    sql += "INSERT INTO results VALUES (" + key_text + "'measured','c',1.5,7,'op-1'," +
           Quoted(Sha256Hex(result)) + "," + Quoted(result) + ");";
    sql += "INSERT INTO reports VALUES ('run','cand','c','measured','r',1.5," +
           Quoted(Sha256Hex(report)) + "," + Quoted(report) + ");";
    sql += "INSERT INTO jobs VALUES (" + Quoted(job.id) + "," + key_text + "'failed',3," +
           Hex(job.request) + "," + std::to_string(static_cast<int>(job.error_code)) + "," +
           Quoted(job.error) + ",100,200);";
    sql += "PRAGMA application_id = " + std::to_string(kStoreApplicationId) +
           "; PRAGMA user_version = 1; COMMIT;";
    ASSERT_NO_FATAL_FAILURE(Exec(sql));
    std::filesystem::permissions(
        path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

  static void ExpectOldRows(const SqliteStore& store) {
    ASSERT_TRUE(store.Find(SampleKey()).has_value());
    ExpectSame(*store.Find(SampleKey()), SampleResult());
    const auto reports = store.Reports("run").value();
    ASSERT_EQ(reports.size(), 1U);
    ExpectSame(reports.front(), SampleReport());
    const auto jobs = store.Jobs().value();
    ASSERT_EQ(jobs.size(), 1U);
    ExpectSame(jobs.front(), SampleJob());
  }

  fakes::TempDir dir_;
  std::filesystem::path path_ = dir_.path() / "store.db";
};

TEST_F(Migration, VersionOneKeepsEverythingAndTakesACalibration) {
  ASSERT_NO_FATAL_FAILURE(WriteVersionOne());
  ASSERT_EQ(UserVersion(), 1);
  {
    auto store = SqliteStore::Open(path_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    ExpectOldRows(**store);
    EXPECT_FALSE((*store)->FindCalibration("GPU-1234", 13000));
    ASSERT_TRUE((*store)->PutCalibration(SampleCalibration()).ok());
  }
  EXPECT_EQ(UserVersion(), 2);
  auto again = SqliteStore::Open(path_);
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  ExpectOldRows(**again);
  EXPECT_EQ((*again)->FindCalibration("GPU-1234", 13000), SampleCalibration());
}

TEST_F(Migration, ANewStoreHasTheSameTablesAsAMigratedOne) {
  ASSERT_NO_FATAL_FAILURE(WriteVersionOne());
  SqliteStore::Open(path_).value().reset();
  const std::filesystem::path fresh = dir_.path() / "fresh.db";
  SqliteStore::Open(fresh).value().reset();
  // Fails where the two differ: a CHECK on a temporary table.
  Exec("ATTACH " + Quoted(fresh.string()) +
       " AS fresh; CREATE TEMP TABLE same (n CHECK (n = 0)); INSERT INTO same SELECT count(*) FROM "
       "(SELECT name, sql FROM main.sqlite_master EXCEPT SELECT name, sql FROM "
       "fresh.sqlite_master);");
}

// As any other damaged row: the store says so at once.
TEST_F(Migration, ADamagedCalibrationIsDataLoss) {
  {
    auto store = SqliteStore::Open(path_).value();
    ASSERT_TRUE(store->PutCalibration(SampleCalibration()).ok());
  }
  Exec("UPDATE calibrations SET body = replace(body, 'GPU-1234', 'GPU-1235')");
  const Status status = SqliteStore::Open(path_).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status.ToString();
  EXPECT_NE(status.message().find("digest"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace tw
