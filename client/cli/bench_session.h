// Tunes shape after shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "client/cli/bench.h"
#include "client/cli/connection.h"

namespace tw::cli {

struct BenchHooks {
  std::function<void(const Shape&)> on_start;
  std::function<void(const v1::Operation&)> on_update;  // as TuneHooks
  std::function<void(const std::string&)> on_note;      // as TuneHooks
  std::function<void(const BenchRow&)> on_row;
};

// One job after another, each followed to its end; `request` says everything but key and request
// id. A row that fails is a row; a requested stop ends the bench with the rows that are complete.
Bench RunBench(Connection& connection,
               const v1::StartTuneRequest& request,
               std::span<const Shape> shapes,
               const BenchHooks& hooks,
               const std::stop_token& stop);

}  // namespace tw::cli
