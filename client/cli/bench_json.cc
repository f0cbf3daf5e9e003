// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench_json.h"

#include <nlohmann/json.hpp>

#include "client/cli/json.h"
#include "client/cli/result_json.h"

namespace tw::cli {
namespace {

Json ErrorOf(const BenchRow& row) {
  if (row.status.ok()) {
    return nullptr;
  }
  return {{"code", StatusCodeName(row.status.code())},
          {"message", row.status.message()},
          {"exit", static_cast<int>(row.code)}};
}

Json RowJson(const BenchRow& row) {
  Json json;
  json["name"] = row.shape.name;
  json["error"] = ErrorOf(row);
  if (row.status.ok()) {
    AddTune(json, row.shape.key, row.operation);
  } else {
    json["key"] = KeyJson(row.shape.key, "");
  }
  return json;
}

Json OrNull(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json SummaryJson(const Bench& bench) {
  const BenchSummary summary = Summarize(bench);
  return {{"planned", bench.planned},
          {"rows", summary.rows},
          {"failed", summary.failed},
          {"compared", summary.compared},
          {"mean_over_best", OrNull(summary.mean_over_best)},
          {"mean_over_first", OrNull(summary.mean_over_first)},
          {"faster", summary.faster},
          {"tie", summary.tie},
          {"slower", summary.slower},
          {"undecided", summary.undecided},
          {"no_baseline", summary.no_baseline},
          {"tuned", summary.tuned},
          {"tune_s", summary.tune_s},
          {"median_tune_s", summary.median_tune_s},
          {"gpu_idle_share", OrNull(summary.gpu_idle_share)}};
}

}  // namespace

std::string BenchJson(const Bench& bench) {
  Json rows = Json::array();
  for (const BenchRow& row : bench.rows) {
    rows.push_back(RowJson(row));
  }
  return Dump({{"schema", "tilewright.bench.v1"},
               {"interrupted", bench.interrupted},
               {"rows", std::move(rows)},
               {"summary", SummaryJson(bench)}});
}

}  // namespace tw::cli
