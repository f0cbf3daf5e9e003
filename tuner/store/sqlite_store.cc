// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/sqlite_store.h"

#include <system_error>
#include <utility>

#include "codegen/core/digest.h"
#include "tuner/store/json_calibration.h"
#include "tuner/store/json_codec.h"
#include "tuner/store/schema.h"
#include "tuner/store/sqlite_db.h"
#include "tuner/store/store_file.h"

namespace tw {
namespace {

std::int64_t KnownVersion() {
  return static_cast<std::int64_t>(StoreMigrations().size());
}

// A write-ahead log with one connection that alone writes and checkpoints. The corruption bug of
// the log's reset (SQLite 3.7.0 to 3.51.2) needs a second connection; EXCLUSIVE keeps every
// other one out and does without the shared-memory file. FULL: a commit is on disk when it returns.
Status Configure(SqliteDb& db, const SqliteStoreOptions& options) {
  TW_RETURN_IF_ERROR(
      db.Exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; "
              "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"));
  if (options.max_bytes > 0) {
    TW_ASSIGN_OR_RETURN(const std::int64_t page_bytes, db.QueryInt("PRAGMA page_size"));
    const std::int64_t pages = std::max<std::int64_t>(1, options.max_bytes / page_bytes);
    TW_RETURN_IF_ERROR(db.Exec("PRAGMA max_page_count = " + std::to_string(pages)));
  }
  return OkStatus();
}

Status QuickCheck(SqliteDb& db) {
  TW_ASSIGN_OR_RETURN(const std::string verdict, db.QueryText("PRAGMA quick_check(1)"));
  if (verdict != "ok") {
    return {StatusCode::kDataLoss, "quick_check: " + verdict};
  }
  return OkStatus();
}

// Each version in a transaction of its own: a crash leaves the old or the new schema.
Status Migrate(SqliteDb& db) {
  TW_ASSIGN_OR_RETURN(const std::int64_t version, db.QueryInt("PRAGMA user_version"));
  if (version > KnownVersion()) {
    return {StatusCode::kFailedPrecondition,
            "schema version " + std::to_string(version) + ", this program knows up to " +
                std::to_string(KnownVersion()) + ": use a newer program"};
  }
  for (std::int64_t next = version + 1; next <= KnownVersion(); ++next) {
    std::string sql = "BEGIN IMMEDIATE;\n";
    sql.append(StoreMigrations()[static_cast<std::size_t>(next - 1)]);
    sql.append("PRAGMA application_id = ").append(std::to_string(kStoreApplicationId));
    sql.append("; PRAGMA user_version = ").append(std::to_string(next)).append("; COMMIT;");
    TW_RETURN_IF_ERROR(db.Exec(sql));
  }
  return OkStatus();
}

// The log only after the identity is in the main file, where CheckStoreFile looks for it.
Status EnableLog(SqliteDb& db) {
  TW_ASSIGN_OR_RETURN(const std::string mode, db.QueryText("PRAGMA journal_mode = WAL"));
  if (mode != "wal") {
    return {StatusCode::kInternal, "no write-ahead log on this file system: " + mode};
  }
  return OkStatus();
}

Status Prepare(SqliteDb& db, const SqliteStoreOptions& options) {
  TW_RETURN_IF_ERROR(Configure(db, options));
  TW_RETURN_IF_ERROR(QuickCheck(db));
  TW_RETURN_IF_ERROR(Migrate(db));
  return EnableLog(db);
}

Status Explain(const Status& status, const std::filesystem::path& path) {
  if (status.code() != StatusCode::kDataLoss) {
    return status.WithContext("store " + path.string());
  }
  return {StatusCode::kDataLoss, "store " + path.string() + " is damaged (" + status.message() +
                                     "): move it and " + path.filename().string() +
                                     "-wal aside, then start again with an empty store"};
}

template <class T>
Result<T> DecodeRow(const SqliteStatement& row, Result<T> (*decode)(std::string_view)) {
  const std::string body = row.Text(0);
  if (Sha256Hex(body) != row.Text(1)) {
    return Status(StatusCode::kDataLoss, "a row's digest does not match its body");
  }
  return decode(body);
}

Result<JobRecord> DecodeJob(const SqliteStatement& row) {
  JobRecord job;
  job.id = row.Text(0);
  job.key = {.problem = row.Text(1),
             .device_class = row.Text(2),
             .contract = row.Text(3),
             .objective = row.Text(4)};
  const std::optional<JobState> state = ParseJobState(row.Text(5));
  if (!state) {
    return Status(StatusCode::kDataLoss, "job " + job.id + " has state '" + row.Text(5) + "'");
  }
  job.state = *state;
  job.attempts = static_cast<int>(row.Int(6));
  job.request = row.Text(7);
  job.error_code = static_cast<StatusCode>(row.Int(8));
  job.error = row.Text(9);
  job.created_micros = row.Int(10);
  job.updated_micros = row.Int(11);
  return job;
}

}  // namespace

SqliteStore::SqliteStore(std::filesystem::path path, StoreLock lock, SqliteDb db)
    : path_(std::move(path)),
      lock_(std::make_unique<StoreLock>(std::move(lock))),
      db_(std::make_unique<SqliteDb>(std::move(db))) {}

SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::filesystem::path& path,
                                                       SqliteStoreOptions options) {
  TW_RETURN_IF_ERROR(CreateStoreDirectory(path.parent_path()));
  TW_ASSIGN_OR_RETURN(StoreLock lock, StoreLock::Acquire(path));
  TW_RETURN_IF_ERROR(CheckStoreFile(path, KnownVersion()));
  TW_RETURN_IF_ERROR(CreateStoreFile(path));
  TW_ASSIGN_OR_RETURN(SqliteDb db, SqliteDb::Open(path));
  if (const Status status = Prepare(db, options); !status.ok()) {
    return Explain(status, path);
  }
  std::unique_ptr<SqliteStore> store(new SqliteStore(path, std::move(lock), std::move(db)));
  for (const Status& status : {store->LoadIndex(), store->LoadCalibrations()}) {
    if (!status.ok()) {
      return Explain(status, path);
    }
  }
  return store;
}

Status SqliteStore::LoadIndex() {
  TW_ASSIGN_OR_RETURN(SqliteStatement rows, db_->Prepare("SELECT body, digest FROM results"));
  while (true) {
    TW_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return OkStatus();
    }
    TW_ASSIGN_OR_RETURN(TuneResult result, DecodeRow(rows, &DecodeTuneResult));
    ResultKey key = result.key;
    index_.insert_or_assign(std::move(key), std::move(result));
  }
}

Status SqliteStore::LoadCalibrations() {
  TW_ASSIGN_OR_RETURN(SqliteStatement rows, db_->Prepare("SELECT body, digest FROM calibrations"));
  while (true) {
    TW_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return OkStatus();
    }
    TW_ASSIGN_OR_RETURN(Calibration calibration, DecodeRow(rows, &DecodeCalibration));
    std::pair key(calibration.device_uuid, calibration.driver_version);
    calibrations_.insert_or_assign(std::move(key), std::move(calibration));
  }
}

Result<bool> SqliteStore::PutResult(const TuneResult& result) {
  const std::lock_guard lock(db_mutex_);
  // Only holders of db_mutex_ change the index, so this answer stays true.
  if (const std::optional<TuneResult> existing = Find(result.key);
      existing && !MayReplace(result.state, existing->state)) {
    return false;
  }
  const std::string body = EncodeTuneResult(result);
  const std::string digest = Sha256Hex(body);
  const std::string config = Text(result.winner.config);
  TW_ASSIGN_OR_RETURN(
      SqliteStatement put,
      db_->Prepare("INSERT OR REPLACE INTO results (problem, device_class, contract, objective, "
                   "state, candidate, time_ns, created_micros, run_id, digest, body) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  put.Bind(result.key.problem)
      .Bind(result.key.device_class)
      .Bind(result.key.contract)
      .Bind(result.key.objective)
      .Bind(Name(result.state))
      .Bind(config)
      .Bind(result.winner.time_ns)
      .Bind(result.created_micros)
      .Bind(result.run_id)
      .Bind(digest)
      .Bind(body);
  TW_RETURN_IF_ERROR(put.Run());
  const std::unique_lock index_lock(index_mutex_);
  index_.insert_or_assign(result.key, result);
  return true;
}

std::optional<TuneResult> SqliteStore::Find(const ResultKey& key) const {
  const std::shared_lock lock(index_mutex_);
  const auto at = index_.find(key);
  return at == index_.end() ? std::nullopt : std::optional<TuneResult>(at->second);
}

std::vector<ResultKey> SqliteStore::MeasuredKeys(std::string_view device_class) const {
  const std::shared_lock lock(index_mutex_);
  return MeasuredKeysOf(index_, device_class);
}

Status SqliteStore::PutReport(std::string_view run_id, const CandidateReport& report) {
  const std::lock_guard lock(db_mutex_);
  const std::string body = EncodeReport(report);
  const std::string digest = Sha256Hex(body);
  const std::string config = Text(report.config);
  // An update keeps the row's place in the order of first reports.
  TW_ASSIGN_OR_RETURN(
      SqliteStatement put,
      db_->Prepare("INSERT INTO reports (run_id, candidate_id, config, kind, rule, median_ns, "
                   "digest, body) VALUES (?, ?, ?, ?, ?, nullif(?, 0.0), ?, ?) "
                   "ON CONFLICT (run_id, candidate_id) DO UPDATE SET config = excluded.config, "
                   "kind = excluded.kind, rule = excluded.rule, median_ns = excluded.median_ns, "
                   "digest = excluded.digest, body = excluded.body"));
  put.Bind(run_id)
      .Bind(report.candidate_id)
      .Bind(config)
      .Bind(Name(report.kind))
      .Bind(report.rule)
      .Bind(report.measurement ? report.measurement->median_ns : 0.0)
      .Bind(digest)
      .Bind(body);
  return put.Run();
}

Result<std::vector<CandidateReport>> SqliteStore::Reports(std::string_view run_id) const {
  const std::lock_guard lock(db_mutex_);
  TW_ASSIGN_OR_RETURN(
      SqliteStatement rows,
      db_->Prepare("SELECT body, digest FROM reports WHERE run_id = ? ORDER BY rowid"));
  rows.Bind(run_id);
  std::vector<CandidateReport> reports;
  while (true) {
    TW_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return reports;
    }
    TW_ASSIGN_OR_RETURN(CandidateReport report, DecodeRow(rows, &DecodeReport));
    reports.push_back(std::move(report));
  }
}

Status SqliteStore::PutJob(const JobRecord& job) {
  const std::lock_guard lock(db_mutex_);
  TW_ASSIGN_OR_RETURN(
      SqliteStatement put,
      db_->Prepare("INSERT INTO jobs (id, problem, device_class, contract, objective, state, "
                   "attempts, request, error_code, error, created_micros, updated_micros) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                   "ON CONFLICT (id) DO UPDATE SET problem = excluded.problem, "
                   "device_class = excluded.device_class, contract = excluded.contract, "
                   "objective = excluded.objective, state = excluded.state, "
                   "attempts = excluded.attempts, request = excluded.request, "
                   "error_code = excluded.error_code, error = excluded.error, "
                   "created_micros = excluded.created_micros, "
                   "updated_micros = excluded.updated_micros"));
  put.Bind(job.id)
      .Bind(job.key.problem)
      .Bind(job.key.device_class)
      .Bind(job.key.contract)
      .Bind(job.key.objective)
      .Bind(Name(job.state))
      .Bind(static_cast<std::int64_t>(job.attempts))
      .BindBlob(job.request)
      .Bind(static_cast<std::int64_t>(job.error_code))
      .Bind(job.error)
      .Bind(job.created_micros)
      .Bind(job.updated_micros);
  return put.Run();
}

Result<std::vector<JobRecord>> SqliteStore::Jobs() const {
  const std::lock_guard lock(db_mutex_);
  TW_ASSIGN_OR_RETURN(
      SqliteStatement rows,
      db_->Prepare("SELECT id, problem, device_class, contract, objective, state, attempts, "
                   "request, error_code, error, created_micros, updated_micros FROM jobs "
                   "ORDER BY created_micros, rowid"));
  std::vector<JobRecord> jobs;
  while (true) {
    TW_ASSIGN_OR_RETURN(const bool row, rows.Step());
    if (!row) {
      return jobs;
    }
    TW_ASSIGN_OR_RETURN(JobRecord job, DecodeJob(rows));
    jobs.push_back(std::move(job));
  }
}

Status SqliteStore::PutCalibration(const Calibration& calibration) {
  const std::lock_guard lock(db_mutex_);
  const std::string body = EncodeCalibration(calibration);
  const std::string digest = Sha256Hex(body);
  TW_ASSIGN_OR_RETURN(SqliteStatement put,
                      db_->Prepare("INSERT OR REPLACE INTO calibrations (device_uuid, "
                                   "driver_version, created_micros, digest, body) "
                                   "VALUES (?, ?, ?, ?, ?)"));
  put.Bind(calibration.device_uuid)
      .Bind(static_cast<std::int64_t>(calibration.driver_version))
      .Bind(calibration.created_micros)
      .Bind(digest)
      .Bind(body);
  TW_RETURN_IF_ERROR(put.Run());
  const std::unique_lock index_lock(index_mutex_);
  calibrations_.insert_or_assign({calibration.device_uuid, calibration.driver_version},
                                 calibration);
  return OkStatus();
}

std::optional<Calibration> SqliteStore::FindCalibration(std::string_view device_uuid,
                                                        int driver_version) const {
  const std::shared_lock lock(index_mutex_);
  const auto at = calibrations_.find({std::string(device_uuid), driver_version});
  return at == calibrations_.end() ? std::nullopt : std::optional(at->second);
}

StoreStats SqliteStore::Stats() const {
  const std::lock_guard lock(db_mutex_);
  const auto count = [this](std::string_view sql) {
    const Result<std::int64_t> rows = db_->QueryInt(sql);
    return rows.ok() ? *rows : std::int64_t{0};
  };
  StoreStats stats;
  stats.results = count("SELECT count(*) FROM results");
  stats.reports = count("SELECT count(*) FROM reports");
  stats.jobs = count("SELECT count(*) FROM jobs");
  for (const char* suffix : {"", "-wal"}) {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(path_.string() + suffix, missing);
    stats.bytes += missing ? 0 : static_cast<std::int64_t>(bytes);
  }
  return stats;
}

}  // namespace tw
