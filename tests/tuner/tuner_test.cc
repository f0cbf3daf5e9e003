// The pipeline over fakes: what wins, what is counted, what is said.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuner.h"

#include <chrono>

#include "codegen/source_builder.h"
#include "tests/tuner/tuner_fixture.h"

namespace tw {
namespace {

using fakes::Failed;
using fakes::Measured;
using std::chrono::seconds;

TEST_F(TunerTest, TheFastestMeasuredCandidateWins) {
  SetTimes({{"tw_beta_64x32_k1", 500}, {"tw_alpha_32x64_k4", 600}});
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->state, RowState::kMeasured);
  EXPECT_EQ(Text(result->winner.config), "beta:tile_m=64,tile_n=32,split_k=1");
  EXPECT_EQ(result->winner.time_ns, 500);
  EXPECT_EQ(result->winner.ci_low_ns, 499);
  EXPECT_EQ(result->winner.ci_high_ns, 501);
  EXPECT_EQ(result->winner.error_ratio, 0.25);
  EXPECT_EQ(result->winner.launch.launches.front().entry, "tw_beta_64x32_k1");
  EXPECT_EQ(result->winner.source_digest.size(), 64U);
  EXPECT_TRUE(result->ties.empty());
  EXPECT_FALSE(result->partial);
}

TEST_F(TunerTest, TheResultSaysWhereItCameFrom) {
  const TuneSpec spec = Spec();
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->key, KeyOf(spec));
  EXPECT_EQ(result->device_uuid, "GPU-fake");
  EXPECT_EQ(result->device_name, "NVIDIA H200");
  EXPECT_EQ(result->driver_version, 13000);
  EXPECT_EQ(result->compiler, "fake 1.0");
  EXPECT_EQ(result->template_digest, *TemplateStore().Digest());
  EXPECT_EQ(result->run_id, "run-1");
  EXPECT_EQ(result->created_micros, clock_.WallMicros());
  EXPECT_EQ(result->conditions.sm_clock_mhz, 1755);
}

TEST_F(TunerTest, TheResultAndEveryReportAreStored) {
  const TuneSpec spec = Spec();
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(store_.Find(KeyOf(spec)).has_value());
  EXPECT_EQ(store_.Find(KeyOf(spec))->winner.candidate_id, result->winner.candidate_id);
  const auto reports = ReportsByEntry();
  EXPECT_EQ(reports.size(), 32U);
  for (const auto& [entry, report] : reports) {
    EXPECT_EQ(report.kind, OutcomeKind::kMeasured) << entry;
    EXPECT_EQ(report.measurement->samples_ns.size(), 3U);
    EXPECT_EQ(report.compiled.front().registers, 64);
    EXPECT_GT(report.predicted_ns, 0);
    EXPECT_EQ(report.artifact_digest.size(), 64U);
  }
}

TEST_F(TunerTest, TheFunnelCountsEveryStep) {
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  const std::map<std::string, std::int64_t> expected = {
      {"space", 36},    {"pruned:smem", 4}, {"legal", 32},   {"selected", 32},
      {"compiled", 32}, {"measured", 32},   {"finalists", 4}};
  EXPECT_EQ(result->funnel, expected);
}

TEST_F(TunerTest, PhaseTimesAddUp) {
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->phases.compiled, 33);  // the judging kernels too
  EXPECT_NEAR(result->phases.compile_cpu_s, 3.3, 1e-9);
  constexpr int kTurns = 32 + 24 + 8 + 4 + 4 + 4;  // all, the heats, the playoffs of a tie
  EXPECT_NEAR(result->phases.measure_s, kTurns * 0.1, 1e-9);
  EXPECT_NEAR(result->phases.verify_s, kTurns * 0.01, 1e-9);
}

TEST_F(TunerTest, TheJobDescribesTheProblem) {
  TuneSpec spec = Spec();
  spec.contract.deterministic = false;
  spec.objective = Objective::kWarm;
  ASSERT_TRUE(Tune(spec).ok());
  ASSERT_EQ(benchmarker_.jobs.size(), 1U);
  EXPECT_EQ(benchmarker_.jobs[0].device_uuid, "GPU-fake");
  EXPECT_EQ(benchmarker_.jobs[0].problem, spec.problem);
  EXPECT_EQ(benchmarker_.jobs[0].options.objective, Objective::kWarm);
  EXPECT_FALSE(benchmarker_.jobs[0].check_determinism);
  EXPECT_EQ(benchmarker_.jobs[0].support.cubin, "cubin of tw_verify_reference");
}

TEST_F(TunerTest, ACandidateBringsItsSource) {
  benchmarker_.run = [](const CandidateRun& run) {
    EXPECT_NE(run.source.find(EntryOf(run)), std::string::npos) << run.source;
    return Measured(1000);
  };
  EXPECT_TRUE(Tune(Spec()).ok());
}

TEST_F(TunerTest, WrongNeverWinsEvenIfFastest) {
  benchmarker_.run = [](const CandidateRun& run) {
    BenchmarkOutcome outcome = Measured(900);
    if (EntryOf(run) == "tw_alpha_64x64_k1") {
      outcome = Measured(10);  // a time that must not count
      outcome.kind = OutcomeKind::kWrongResult;
      outcome.rule = "mismatch";
    }
    return outcome;
  };
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->winner.time_ns, 900);
  EXPECT_NE(result->winner.launch.launches.front().entry, "tw_alpha_64x64_k1");
  EXPECT_EQ(result->funnel.at("wrong_result"), 1);
  EXPECT_EQ(result->funnel.at("wrong_result:mismatch"), 1);
  EXPECT_EQ(result->funnel.at("measured"), 31);
}

TEST_F(TunerTest, CompilerFailuresAreCandidateFailures) {
  compiler_.SetScript([](const KernelSource& source) -> Result<CompiledKernel> {
    if (source.entry == "tw_alpha_32x32_k1") {
      return Status(StatusCode::kInvalidArgument, "log line\ncandidate.cu(3): error: no\nmore");
    }
    if (source.entry == "tw_alpha_32x64_k1") {
      return Status(StatusCode::kDeadlineExceeded, "killed");
    }
    return fakes::FakeCompiler::Succeed(source);
  });
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->funnel.at("compile_error"), 2);
  EXPECT_EQ(result->funnel.at("compile_error:rejected"), 1);
  EXPECT_EQ(result->funnel.at("compile_error:compile_timeout"), 1);
  EXPECT_EQ(result->funnel.at("compiled"), 30);
  EXPECT_EQ(ReportsByEntry().at("tw_alpha_32x32_k1").detail, "candidate.cu(3): error: no");
}

TEST_F(TunerTest, RealSpillsAndRegistersPruneAgain) {
  compiler_.SetScript([](const KernelSource& source) {
    Result<CompiledKernel> kernel = fakes::FakeCompiler::Succeed(source);
    if (source.entry == "tw_alpha_32x32_k1") {
      kernel->entries[0].spill_store_bytes = 40;
      kernel->entries[0].spill_load_bytes = 40;
    } else if (source.entry == "tw_alpha_32x64_k1") {
      kernel->entries[0].static_smem_bytes = 300 * 1024;
    } else if (source.entry == "tw_alpha_64x32_k1") {
      kernel->entries[0].spill_store_bytes = 64;  // the limit itself is fine
    }
    return kernel;
  });
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->funnel.at("pruned:spills"), 1);
  EXPECT_EQ(result->funnel.at("pruned:occupancy_zero"), 1);
  EXPECT_EQ(result->funnel.at("measured"), 30);
  EXPECT_EQ(benchmarker_.TimesRun("tw_alpha_32x32_k1"), 0);
}

TEST_F(TunerTest, MaxCandidatesBoundsCompilations) {
  TuneSpec spec = Spec();
  spec.options.max_candidates = 5;
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->funnel.at("selected"), 5);
  EXPECT_EQ(compiler_.asked().size(), 6U);
  EXPECT_FALSE(result->partial);
}

TEST_F(TunerTest, RestrictsToAFamily) {
  TuneSpec spec = Spec();
  spec.options.family = "beta";
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->funnel.at("selected"), 16);
  EXPECT_EQ(result->winner.config.family, "beta");
  spec.options.family = "gamma";
  const Status status = Tune(spec).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.field(), "family");
  EXPECT_NE(status.message().find("alpha, beta"), std::string::npos) << status.message();
}

TEST_F(TunerTest, TheBudgetEndsTheSearchWithTheBestSoFar) {
  benchmarker_.run = [this](const CandidateRun&) {
    clock_.Advance(seconds(1));
    return Measured(1000 - static_cast<double>(benchmarker_.runs.size()));
  };
  benchmarker_.final_run = [](const CandidateRun&) { return Measured(900); };
  TuneSpec spec = Spec();
  spec.options.budget = seconds(5);
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_TRUE(result->partial);
  // A fifth candidate would leave no time for the final round.
  EXPECT_EQ(result->funnel.at("measured"), 4);
  EXPECT_EQ(result->funnel.at("skipped"), 28);
  EXPECT_EQ(result->phases.total_s, 4);
  EXPECT_EQ(result->winner.time_ns, 900);
  EXPECT_EQ(ReportsByEntry().size(), 32U);
}

TEST_F(TunerTest, ABudgetOfNothingStillFinishesOneCandidate) {
  TuneSpec spec = Spec();
  spec.options.budget = seconds(0);
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->funnel.at("measured"), 1);
  EXPECT_TRUE(result->partial);
}

TEST_F(TunerTest, ABudgetOfNothingGoesOnToTheFirstSurvivor) {
  benchmarker_.run = [this](const CandidateRun&) {
    return benchmarker_.runs.size() < 3 ? Failed(OutcomeKind::kWrongResult) : Measured(700);
  };
  TuneSpec spec = Spec();
  spec.options.budget = seconds(0);
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(benchmarker_.runs.size(), 3U);
}

TEST_F(TunerTest, ThreeDeathsInARowQuarantineAFamily) {
  benchmarker_.run = [](const CandidateRun& run) {
    const bool alpha = EntryOf(run).starts_with("tw_alpha");
    return alpha ? Failed(OutcomeKind::kCrashed) : Measured(500);
  };
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->funnel.at("crashed"), 3);
  EXPECT_EQ(result->funnel.at("quarantined:alpha"), 13);
  EXPECT_EQ(result->funnel.at("measured"), 16);
  EXPECT_EQ(result->winner.config.family, "beta");
  EXPECT_FALSE(result->partial);
}

TEST_F(TunerTest, DeathsWithALifeBetweenThemDoNotQuarantine) {
  benchmarker_.run = [this](const CandidateRun&) {
    return benchmarker_.runs.size() % 3 == 0 ? Measured(500) : Failed(OutcomeKind::kTimedOut);
  };
  benchmarker_.final_run = [](const CandidateRun&) { return Measured(500); };
  TuneSpec spec = Spec();
  spec.options.family = "alpha";
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(benchmarker_.runs.size(), 16U);
  EXPECT_EQ(result->funnel.count("quarantined:alpha"), 0U);
}

TEST_F(TunerTest, NoSurvivorIsNotFoundAndKeepsTheOldRow) {
  TuneSpec spec = Spec("first");
  ASSERT_TRUE(Tune(spec).ok());
  benchmarker_.run = [](const CandidateRun&) { return Failed(OutcomeKind::kWrongResult, "nan"); };
  spec.run_id = "second";
  const Status status = Tune(spec).status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_NE(status.message().find("wrong_result:nan 32"), std::string::npos) << status.message();
  EXPECT_EQ(store_.Find(KeyOf(spec))->run_id, "first");
}

TEST_F(TunerTest, NoFamilyIsAFailedPreconditionWithReasons) {
  alpha_.min_cc = beta_.min_cc = 200;
  const Status status = Tune(Spec()).status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("alpha: needs compute capability 200"), std::string::npos)
      << status.message();
}

TEST_F(TunerTest, ACompilerThatIsNotThereEndsTheTune) {
  compiler_.SetScript([](const KernelSource&) -> Result<CompiledKernel> {
    return Status(StatusCode::kUnavailable, "no NVRTC");
  });
  EXPECT_EQ(Tune(Spec()).status().code(), StatusCode::kUnavailable);
}

TEST_F(TunerTest, ASupportModuleThatDoesNotCompileIsOurFault) {
  compiler_.SetScript([](const KernelSource& source) -> Result<CompiledKernel> {
    if (source.entry.starts_with("tw_verify")) {
      return Status(StatusCode::kInvalidArgument, "syntax");
    }
    return fakes::FakeCompiler::Succeed(source);
  });
  EXPECT_EQ(Tune(Spec()).status().code(), StatusCode::kInternal);
}

TEST_F(TunerTest, ALostDeviceEndsTheTune) {
  benchmarker_.open_status = Status(StatusCode::kUnavailable, "GPU is lost");
  EXPECT_EQ(Tune(Spec()).status().code(), StatusCode::kUnavailable);
}

TEST_F(TunerTest, RefusesOptionsOutOfRangeAndEmptyProblems) {
  TuneSpec spec = Spec();
  spec.options.max_candidates = 0;
  EXPECT_EQ(Tune(spec).status().field(), "max_candidates");
  spec = Spec();
  spec.options.finalists = 0;
  EXPECT_EQ(Tune(spec).status().field(), "finalists");
  spec = Spec();
  spec.problem.m = 0;
  spec.problem = *Normalize(spec.problem);
  EXPECT_EQ(Tune(spec).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(TunerTest, CancellationStopsBetweenCandidates) {
  benchmarker_.run = [this](const CandidateRun&) {
    if (benchmarker_.runs.size() == 3) {
      stop_.request_stop();
    }
    return Measured(500);
  };
  EXPECT_EQ(Tune(Spec()).status().code(), StatusCode::kCancelled);
  EXPECT_EQ(benchmarker_.runs.size(), 3U);
  EXPECT_FALSE(store_.Find(KeyOf(Spec())).has_value());
  EXPECT_EQ(ReportsByEntry().size(), 3U);
}

TEST_F(TunerTest, ProgressNeverGoesBack) {
  SetTimes({{"tw_beta_64x64_k1", 300}}, 800);
  ASSERT_TRUE(Tune(Spec()).ok());
  ASSERT_GT(progress_.size(), 32U);
  TuneProgress before;
  for (const TuneProgress& now : progress_) {
    EXPECT_GE(now.phase, before.phase);
    EXPECT_GE(now.total, before.total);
    EXPECT_GE(now.compiled, before.compiled);
    EXPECT_GE(now.measured, before.measured);
    EXPECT_GE(now.failed, before.failed);
    EXPECT_TRUE(before.best_ns == 0 || now.best_ns <= before.best_ns);
    EXPECT_LE(now.measured + now.failed, now.total);
    before = now;
  }
  EXPECT_EQ(before.phase, TunePhase::kDone);
  EXPECT_EQ(before.total, 32);
  EXPECT_EQ(before.compiled, 32);
  EXPECT_EQ(before.measured, 32);
  EXPECT_EQ(before.best_ns, 300);
}

TEST_F(TunerTest, EqualTunesGiveEqualWinners) {
  SetTimes({{"tw_alpha_64x64_k1", 500.2}, {"tw_beta_64x64_k1", 500.1}, {"tw_beta_32x32_k1", 500.3}},
           800);
  const Result<TuneResult> first = Tune(Spec("a"));
  const Result<TuneResult> second = Tune(Spec("b"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->winner.candidate_id, second->winner.candidate_id);
  EXPECT_EQ(first->winner.launch.launches.front().entry, "tw_beta_32x32_k1");  // least smem
  EXPECT_EQ(first->ties.size(), 2U);
}

}  // namespace
}  // namespace tw
