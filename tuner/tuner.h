// The pipeline: problem -> space -> prune -> rank -> source -> compile -> verify -> measure ->
// winner. Blocking; the caller owns the thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "codegen/compile/compiler.h"
#include "codegen/core/clock.h"
#include "codegen/core/outcome.h"
#include "codegen/families/family.h"
#include "codegen/template_store.h"
#include "tuner/benchmarker.h"
#include "tuner/search/strategy.h"
#include "tuner/store/result_store.h"

namespace tw {

struct TuneOptions {
  // Bounds the search: once it ends no further candidate is started, except to get a first
  // survivor. The final round always runs.
  std::chrono::nanoseconds budget = std::chrono::seconds(30);
  int max_candidates = 40;  // compiled (and measured where there is a GPU); >= 1
  Strategy strategy = Strategy::kAdaptive;
  int finalists = 4;
  int final_rounds = 11;
  std::uint64_t seed = 1;
  std::string family;  // empty: all that apply
  bool require_measured = false;
  bool baseline = false;  // compare the winner with the vendor's library, where there is a GPU
  Regime regime = Regime::kHot;  // of that comparison
  // A stored measured winner that would be built the same today is compared, not searched for.
  bool keep_winner = false;
};

struct TuneSpec {
  GemmProblem problem;  // normalised
  NumericsContract contract;
  Objective objective = Objective::kCold;
  DeviceSpec device;  // the live device (uuid set) or a reference device
  TuneOptions options;
  // Reports of an earlier attempt under this id are reused: a finished candidate is neither
  // compiled nor measured again unless its source changed. Empty: no reports are stored.
  std::string run_id;
};

ResultKey KeyOf(const TuneSpec& spec);

// For a result without a comparison that was asked for and that only a GPU could make. Not stored.
void SayNoBaseline(TuneResult& result);

enum class TunePhase : std::uint8_t { kEnumerate, kCompile, kMeasure, kFinal, kCompare, kDone };

std::string_view Name(TunePhase phase);

struct TuneProgress {
  TunePhase phase = TunePhase::kEnumerate;
  int total = 0;  // candidates selected
  int compiled = 0;
  int measured = 0;
  int failed = 0;
  double best_ns = 0;  // 0 until something was measured
  std::string best_id;
};

struct TunerDeps {
  const TemplateStore& templates;
  Compiler& compiler;
  Benchmarker& benchmarker;
  ResultStore& store;
  const Clock& clock;
  std::span<const KernelFamily* const> families = {};  // empty: AllFamilies()
};

class Tuner {
 public:
  explicit Tuner(TunerDeps deps) : deps_(deps) {}

  // Stores every report as it comes and the result at the end; a run whose result is already
  // stored gives that result. `observer` is called from this thread only. Statuses:
  // InvalidArgument     an option out of range; a problem with nothing to compute (IsEmpty)
  // FailedPrecondition  require_measured without a GPU; no family carries the problem
  // NotFound            no candidate survived (the message carries the counts by reason)
  // Internal            the support module does not compile
  // Cancelled           `stop` was requested
  // Unavailable         no compiler, or the device was lost
  // ResourceExhausted, Internal, DataLoss  the store failed; what it had acknowledged stays
  Result<TuneResult> Tune(const TuneSpec& spec,
                          const std::function<void(const TuneProgress&)>& observer,
                          std::stop_token stop);

 private:
  TunerDeps deps_;
};

}  // namespace tw
