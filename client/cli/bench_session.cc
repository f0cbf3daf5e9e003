// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench_session.h"

#include <utility>

#include "client/cli/baseline.h"
#include "client/cli/job_outcome.h"
#include "client/cli/tune_session.h"

namespace tw::cli {
namespace {

BenchRow RowOf(const Shape& shape,
               const v1::StartTuneRequest& request,
               Result<v1::Operation> operation) {
  BenchRow row{.shape = shape, .status = {}, .code = ExitCode::kOk, .operation = {}};
  if (!operation.ok()) {
    row.status = operation.status();
    row.code = RequestExit(operation.status(), request);
    return row;
  }
  row.operation = *std::move(operation);
  JobOutcome outcome = Judge(row.operation, request);
  row.status = std::move(outcome.status);
  row.code = outcome.code;
  return row;
}

}  // namespace

Bench RunBench(Connection& connection,
               const v1::StartTuneRequest& request,
               std::span<const Shape> shapes,
               const BenchHooks& hooks,
               const std::stop_token& stop) {
  Bench bench;
  bench.compares = Compares(request);
  bench.planned = shapes.size();
  std::string job;
  const TuneHooks tune_hooks{.on_update =
                                 [&](const v1::Operation& operation) {
                                   job = operation.name();
                                   hooks.on_update(operation);
                                 },
                             .on_note = hooks.on_note};
  for (const Shape& shape : shapes) {
    job.clear();
    if (stop.stop_requested()) {
      bench.interrupted = true;
      break;
    }
    hooks.on_start(shape);
    v1::StartTuneRequest one = request;
    *one.mutable_key() = shape.key;
    one.set_request_id(NewRequestId());
    Result<v1::Operation> operation = FollowTune(connection, one, tune_hooks, stop);
    if (!operation.ok() && stop.stop_requested()) {
      bench.interrupted = true;
      bench.unfinished_job = job;
      break;
    }
    bench.rows.push_back(RowOf(shape, one, std::move(operation)));
    hooks.on_row(bench.rows.back());
  }
  return bench;
}

}  // namespace tw::cli
