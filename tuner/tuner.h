// The pipeline: problem -> space -> prune -> rank -> source -> compile -> verify -> measure ->
// winner. Blocking; the caller owns the thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "codegen/compile/compiler.h"
#include "codegen/core/clock.h"
#include "codegen/core/outcome.h"
#include "codegen/template_store.h"
#include "tuner/benchmarker.h"
#include "tuner/store/result_store.h"

namespace tw {

struct TuneOptions {
  std::chrono::nanoseconds budget = std::chrono::seconds(30);
  int max_candidates = 40;         // compiled (and measured where there is a GPU); >= 1
  int finalists = 4;
  int final_rounds = 11;
  std::uint64_t seed = 1;
  std::string family;              // empty: all that apply
  bool require_measured = false;
};

struct TuneSpec {
  GemmProblem problem;             // normalised
  NumericsContract contract;
  Objective objective = Objective::kCold;
  DeviceSpec device;               // the live device (uuid set) or a reference device
  TuneOptions options;
  std::string run_id;              // reports of an earlier attempt under this id are reused
};

ResultKey KeyOf(const TuneSpec& spec);

enum class TunePhase : std::uint8_t { kEnumerate, kCompile, kMeasure, kFinal, kDone };

std::string_view Name(TunePhase phase);

struct TuneProgress {
  TunePhase phase = TunePhase::kEnumerate;
  int total = 0;                   // candidates selected
  int compiled = 0;
  int measured = 0;
  int failed = 0;
  double best_ns = 0;              // 0 until something was measured
  std::string best_id;
};

struct TunerDeps {
  const TemplateStore& templates;
  Compiler& compiler;
  Benchmarker& benchmarker;
  ResultStore& store;
  const Clock& clock;
};

class Tuner {
 public:
  explicit Tuner(TunerDeps deps) : deps_(deps) {}

  // Stores every report as it comes and the result at the end. Statuses:
  // FailedPrecondition  require_measured without a GPU; no family carries the problem
  // NotFound            no candidate survived (the message carries the counts by reason)
  // Cancelled           `stop` was requested
  // Unavailable         no compiler, or the device was lost
  Result<TuneResult> Tune(const TuneSpec& spec,
                          const std::function<void(const TuneProgress&)>& observer,
                          std::stop_token stop);

 private:
  TunerDeps deps_;
};

}  // namespace tw
