// A tuner over fakes: families "alpha" and "beta" of 16 legal candidates each, whose entries are
// called tw_FAMILY_TILExTILE_kSPLIT.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fakes/fake_benchmarker.h"
#include "tests/fakes/fake_compiler.h"
#include "tests/fakes/fake_family.h"
#include "tests/fakes/manual_clock.h"
#include "tuner/store/memory_store.h"
#include "tuner/tuner.h"

namespace tw {

class TunerTest : public testing::Test {
 protected:
  TunerTest() : alpha_(fakes::MakeFakeFamily("alpha")), beta_(fakes::MakeFakeFamily("beta")) {}

  static DeviceSpec Gpu() {
    DeviceSpec device = *ReferenceDevice("sm_90a");
    device.uuid = "GPU-fake";
    device.driver_version = 13000;
    return device;
  }

  static TuneSpec Spec(const std::string& run_id = "run-1") {
    GemmProblem problem;
    problem.m = problem.n = problem.k = 512;
    TuneSpec spec;
    spec.problem = *Normalize(problem);
    spec.device = Gpu();
    spec.options.max_candidates = 100;
    spec.run_id = run_id;
    return spec;
  }

  static std::string EntryOf(const CandidateRun& run) { return run.launch.launches.front().entry; }

  // Times by entry; `otherwise` for the rest.
  void SetTimes(std::map<std::string, double> times, double otherwise = 1e6) {
    benchmarker_.run = [times = std::move(times), otherwise](const CandidateRun& run) {
      const auto at = times.find(EntryOf(run));
      return fakes::Measured(at == times.end() ? otherwise : at->second);
    };
  }

  Result<TuneResult> Tune(const TuneSpec& spec) { return Tune(spec, store_); }

  Result<TuneResult> Tune(const TuneSpec& spec, ResultStore& store) {
    const TunerDeps deps{.templates = templates_,
                         .compiler = compiler_,
                         .benchmarker = benchmarker_,
                         .store = store,
                         .clock = clock_,
                         .families = families_};
    return Tuner(deps).Tune(
        spec, [this](const TuneProgress& progress) { progress_.push_back(progress); },
        stop_.get_token());
  }

  [[nodiscard]] std::map<std::string, CandidateReport> ReportsByEntry(
      const std::string& run_id = "run-1") const {
    std::map<std::string, CandidateReport> reports;
    const Result<std::vector<CandidateReport>> stored = store_.Reports(run_id);
    for (const CandidateReport& report : *stored) {
      reports[fakes::FakeEntry(report.config)] = report;
    }
    return reports;
  }

  KernelFamily alpha_;
  KernelFamily beta_;
  std::vector<const KernelFamily*> families_{&alpha_, &beta_};
  TemplateStore templates_;
  fakes::FakeCompiler compiler_;
  fakes::FakeBenchmarker benchmarker_{{Gpu()}};
  MemoryStore store_;
  fakes::ManualClock clock_;
  std::stop_source stop_;
  std::vector<TuneProgress> progress_;
};

}  // namespace tw
