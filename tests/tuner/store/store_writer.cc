// Writes reports and results to a store and prints each row's number once its Put returned, until
// it is killed. Child of kill_test.
// Usage: store_writer STORE RUN_ID FIRST
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/tuner/store/samples.h"
#include "tuner/store/sqlite_store.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    return 64;
  }
  const tw::Result<std::unique_ptr<tw::SqliteStore>> store = tw::SqliteStore::Open(argv[1]);
  if (!store.ok()) {
    (void)std::fprintf(stderr, "%s\n", store.status().ToString().c_str());
    return 1;
  }
  for (long row = std::strtol(argv[3], nullptr, 10);; ++row) {
    tw::TuneResult result = tw::SampleResult();
    result.key.problem = std::to_string(row);
    const bool stored = (*store)->PutReport(argv[2], tw::SampleReport(std::to_string(row))).ok() &&
                        (*store)->PutResult(result).ok();
    if (!stored || std::printf("%ld\n", row) < 0 || std::fflush(stdout) != 0) {
      return 1;
    }
  }
}
