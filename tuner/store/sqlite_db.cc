// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/sqlite_db.h"

#include <utility>

#include <sqlite3.h>

namespace tw {

Status SqliteError(int rc, std::string_view what) {
  const int primary = rc & 0xff;
  std::string message = sqlite3_errstr(rc);
  message.append(" (SQLite ").append(std::to_string(rc)).append("): ").append(what);
  if (primary == SQLITE_FULL) {
    return {StatusCode::kResourceExhausted, "disk full: " + message};
  }
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB) {
    return {StatusCode::kDataLoss, std::move(message)};
  }
  return {StatusCode::kInternal, std::move(message)};
}

void SqliteStatement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void SqliteStatement::Note(int rc) {
  if (bind_error_ == SQLITE_OK) {
    bind_error_ = rc;
  }
}

// SQLITE_STATIC (a null destructor): the caller keeps the bytes alive until the step.
SqliteStatement& SqliteStatement::Bind(std::string_view text) {
  // A null pointer would bind NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  Note(sqlite3_bind_text64(statement_.get(), next_parameter_++, data, text.size(), nullptr,
                           SQLITE_UTF8));
  return *this;
}

SqliteStatement& SqliteStatement::BindBlob(std::string_view bytes) {
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  Note(sqlite3_bind_blob64(statement_.get(), next_parameter_++, data, bytes.size(), nullptr));
  return *this;
}

SqliteStatement& SqliteStatement::Bind(std::int64_t value) {
  Note(sqlite3_bind_int64(statement_.get(), next_parameter_++, value));
  return *this;
}

SqliteStatement& SqliteStatement::Bind(double value) {
  Note(sqlite3_bind_double(statement_.get(), next_parameter_++, value));
  return *this;
}

Result<bool> SqliteStatement::Step() {
  if (bind_error_ != SQLITE_OK) {
    return SqliteError(bind_error_, "bind");
  }
  const int rc = sqlite3_step(statement_.get());
  if (rc == SQLITE_ROW) {
    return true;
  }
  if (rc == SQLITE_DONE) {
    return false;
  }
  return SqliteError(sqlite3_extended_errcode(db_), sqlite3_errmsg(db_));
}

Status SqliteStatement::Run() {
  TW_ASSIGN_OR_RETURN(const bool row, Step());
  TW_CHECK(!row);
  return OkStatus();
}

std::string SqliteStatement::Text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(data), static_cast<std::size_t>(bytes));
}

std::int64_t SqliteStatement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

void SqliteDb::Close::operator()(sqlite3* db) const {
  sqlite3_close(db);
}

Result<SqliteDb> SqliteDb::Open(const std::filesystem::path& path) {
  sqlite3* raw = nullptr;
  // The owner serialises (NOMUTEX); EXRESCODE tells a full disk from other I/O errors.
  const int rc = sqlite3_open_v2(
      path.c_str(), &raw,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  SqliteDb db(raw);  // a failed open still gives a handle to close
  if (rc != SQLITE_OK) {
    return SqliteError(rc, "open " + path.string());
  }
  return db;
}

Result<SqliteStatement> SqliteDb::Prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int rc =
      sqlite3_prepare_v2(db_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  if (rc != SQLITE_OK) {
    return SqliteError(sqlite3_extended_errcode(db_.get()), sqlite3_errmsg(db_.get()));
  }
  return SqliteStatement(db_.get(), raw);
}

Status SqliteDb::Exec(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return SqliteError(sqlite3_extended_errcode(db_.get()), sqlite3_errmsg(db_.get()));
  }
  return OkStatus();
}

Result<std::string> SqliteDb::QueryText(std::string_view sql) {
  TW_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  TW_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Text(0) : std::string();
}

Result<std::int64_t> SqliteDb::QueryInt(std::string_view sql) {
  TW_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql));
  TW_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Int(0) : std::int64_t{0};
}

}  // namespace tw
