// RAII over one SQLite connection and its statements. Internal to the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "codegen/core/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tw {

// A prepared statement. Texts that are bound must outlive the steps. Parameters count from 1,
// columns from 0. Errors of Bind* surface at the next Step.
class SqliteStatement {
 public:
  SqliteStatement& Bind(std::string_view text);
  SqliteStatement& Bind(std::int64_t value);
  SqliteStatement& Bind(double value);  // NaN becomes NULL
  SqliteStatement& BindBlob(std::string_view bytes);

  // True: a row is there. False: done.
  Result<bool> Step();
  // Requires: a statement that gives no rows.
  Status Run();

  [[nodiscard]] std::string Text(int column) const;  // blobs too
  [[nodiscard]] std::int64_t Int(int column) const;

 private:
  friend class SqliteDb;

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  SqliteStatement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}

  void Note(int rc);

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_parameter_ = 1;
  int bind_error_ = 0;
};

// Not thread-safe: the owner serialises.
class SqliteDb {
 public:
  // Opens for reading and writing; creates an empty file if there is none.
  static Result<SqliteDb> Open(const std::filesystem::path& path);

  Result<SqliteStatement> Prepare(std::string_view sql);

  // Any number of statements without parameters; rows are dropped.
  Status Exec(const std::string& sql);

  // First column of the first row; empty without a row.
  Result<std::string> QueryText(std::string_view sql);
  Result<std::int64_t> QueryInt(std::string_view sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };

  explicit SqliteDb(sqlite3* db) : db_(db) {}

  std::unique_ptr<sqlite3, Close> db_;
};

// ResourceExhausted when the disk (or the size limit) is full, DataLoss when the file is damaged,
// Internal otherwise. `rc` is an extended result code.
Status SqliteError(int rc, std::string_view what);

}  // namespace tw
