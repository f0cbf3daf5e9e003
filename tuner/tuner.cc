// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuner.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/families/registry.h"
#include "tuner/compare_phase.h"
#include "tuner/tune_context.h"
#include "tuner/tune_run.h"

namespace tw {
namespace {

Status CheckSpec(const TuneContext& context) {
  const TuneOptions& options = context.spec.options;
  for (const auto& [field, value] : {std::pair("max_candidates", options.max_candidates),
                                     std::pair("finalists", options.finalists),
                                     std::pair("final_rounds", options.final_rounds)}) {
    if (value < 1) {
      return InvalidField(field, std::to_string(value), "must be at least 1");
    }
  }
  if (IsEmpty(context.spec.problem)) {
    return {StatusCode::kInvalidArgument,
            "m, n or batch is 0: there is nothing to compute or tune"};
  }
  std::string known;
  for (const KernelFamily* family : context.families) {
    if (options.family == family->name) {
      return OkStatus();
    }
    known.append(known.empty() ? "" : ", ").append(family->name);
  }
  return options.family.empty() ? OkStatus()
                                : InvalidField("family", options.family, "known are " + known);
}

bool CanMeasure(const TunerDeps& deps, const DeviceSpec& device) {
  if (device.uuid.empty()) {
    return false;
  }
  const std::vector<DeviceSpec> devices = deps.benchmarker.Devices();
  return std::any_of(devices.begin(), devices.end(),
                     [&](const DeviceSpec& known) { return known.uuid == device.uuid; });
}

// The result of an attempt of the same run that ended after storing it.
std::optional<TuneResult> FinishedEarlier(const TuneContext& context, bool measuring) {
  const TuneSpec& spec = context.spec;
  if (spec.run_id.empty()) {
    return std::nullopt;
  }
  std::optional<TuneResult> stored = context.deps.store.Find(KeyOf(spec));
  const bool ours = stored && stored->run_id == spec.run_id;
  return ours && (stored->state == RowState::kMeasured || !measuring) ? stored : std::nullopt;
}

// A stored winner that is measured and would be built the same today.
std::optional<TuneResult> KeptWinner(const TuneContext& context) {
  if (!context.spec.options.keep_winner) {
    return std::nullopt;
  }
  std::optional<TuneResult> stored = context.deps.store.Find(KeyOf(context.spec));
  if (!stored || stored->state != RowState::kMeasured) {
    return std::nullopt;
  }
  const std::string& family = stored->winner.config.family;
  const bool known = std::any_of(context.families.begin(), context.families.end(),
                                 [&](const KernelFamily* f) { return f->name == family; });
  const std::string& wanted = context.spec.options.family;
  if (!known || (!wanted.empty() && wanted != family)) {
    return std::nullopt;
  }
  const Result<KernelSource> source = context.Source(stored->winner.config);
  return source.ok() && source->digest == stored->winner.source_digest ? stored : std::nullopt;
}

Result<TuneResult> FindOrSearch(const TuneContext& context,
                                const TuneObserver& observer,
                                bool measuring) {
  if (std::optional<TuneResult> finished = FinishedEarlier(context, measuring)) {
    return *std::move(finished);
  }
  if (context.stop.stop_requested()) {
    return CancelledStatus();
  }
  if (std::optional<TuneResult> kept = measuring ? KeptWinner(context) : std::nullopt) {
    return *std::move(kept);
  }
  return TuneRun(context, observer, measuring).Execute();
}

// The winner is stored already: a comparison that fails loses nothing.
Result<TuneResult> WithBaseline(const TuneContext& context,
                                const TuneObserver& observer,
                                TuneResult result) {
  TuneProgress progress;
  progress.phase = TunePhase::kCompare;
  progress.best_ns = result.winner.time_ns;
  progress.best_id = result.winner.candidate_id;
  observer(progress);
  Result<BaselineReport> report = CompareWinner(context, result);
  if (!report.ok()) {
    return context.stop.stop_requested()
               ? CancelledStatus()
               : report.status().WithContext("comparing with the library");
  }
  result.baseline = *std::move(report);
  TW_ASSIGN_OR_RETURN([[maybe_unused]] const bool replaced, context.deps.store.PutResult(result));
  return result;
}

}  // namespace

Result<TuneResult> Tuner::Tune(const TuneSpec& spec,
                               const std::function<void(const TuneProgress&)>& observer,
                               std::stop_token stop) {
  const TuneContext context{.deps = deps_,
                            .spec = spec,
                            .families = deps_.families.empty() ? AllFamilies() : deps_.families,
                            .stop = std::move(stop),
                            .start = deps_.clock.Now()};
  TW_RETURN_IF_ERROR(CheckSpec(context));
  const bool measuring = CanMeasure(deps_, spec.device);
  if (spec.options.require_measured && !measuring) {
    return Status(StatusCode::kFailedPrecondition,
                  "a measured result is required and there is no GPU that can measure: " +
                      (spec.device.uuid.empty() ? spec.device.name : spec.device.uuid));
  }
  TW_ASSIGN_OR_RETURN(TuneResult result, FindOrSearch(context, observer, measuring));
  if (!spec.options.baseline) {
    return result;
  }
  if (!measuring) {
    SayNoBaseline(result);
    return result;
  }
  return WithBaseline(context, observer, std::move(result));
}

}  // namespace tw
