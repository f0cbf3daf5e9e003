-- Version 1. `digest` is the SHA-256 of the row's body: it catches damage that the file format
-- cannot. The columns beside `body` exist for people with a SQL shell; the code reads keys and
-- body only.
CREATE TABLE results (
  problem        TEXT NOT NULL,
  device_class   TEXT NOT NULL,
  contract       TEXT NOT NULL,
  objective      TEXT NOT NULL,
  state          TEXT NOT NULL,
  candidate      TEXT NOT NULL,
  time_ns        REAL,
  created_micros INTEGER NOT NULL,
  run_id         TEXT NOT NULL,
  digest         TEXT NOT NULL,
  body           TEXT NOT NULL,
  PRIMARY KEY (problem, device_class, contract, objective)
) STRICT;

CREATE TABLE reports (
  run_id       TEXT NOT NULL,
  candidate_id TEXT NOT NULL,
  config       TEXT NOT NULL,
  kind         TEXT NOT NULL,
  rule         TEXT NOT NULL,
  median_ns    REAL,
  digest       TEXT NOT NULL,
  body         TEXT NOT NULL,
  PRIMARY KEY (run_id, candidate_id)
) STRICT;

CREATE TABLE jobs (
  id             TEXT NOT NULL PRIMARY KEY,
  problem        TEXT NOT NULL,
  device_class   TEXT NOT NULL,
  contract       TEXT NOT NULL,
  objective      TEXT NOT NULL,
  state          TEXT NOT NULL,
  attempts       INTEGER NOT NULL,
  request        BLOB NOT NULL,
  error_code     INTEGER NOT NULL,
  error          TEXT NOT NULL,
  created_micros INTEGER NOT NULL,
  updated_micros INTEGER NOT NULL
) STRICT;
