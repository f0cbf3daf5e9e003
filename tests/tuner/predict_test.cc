// A tune without a GPU, over fakes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/tuner_fixture.h"
#include "tuner/search/strategy.h"
#include "tuner/tuner.h"

namespace tw {
namespace {

TEST_F(TunerTest, WithoutAGpuTheModelDecides) {
  TuneSpec spec = Spec();
  spec.device = *ReferenceDevice("sm_90a");
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->state, RowState::kPredicted);
  EXPECT_TRUE(benchmarker_.jobs.empty());
  EXPECT_EQ(compiler_.TimesAsked("tw_verify_reference"), 0);
  EXPECT_EQ(result->compiler, "fake 1.0");
  EXPECT_EQ(result->funnel.at("compiled"), 32);
  double lowest_ns = 1e300;
  for (const auto& [entry, report] : ReportsByEntry()) {
    EXPECT_EQ(report.kind, OutcomeKind::kCompiled);
    lowest_ns = std::min(lowest_ns, report.predicted_ns);
  }
  EXPECT_EQ(result->winner.time_ns, lowest_ns);
}

// Registers that the compiler really used change the prediction.
TEST_F(TunerTest, WithoutAGpuRealRegistersCount) {
  TuneSpec spec = Spec("lean");
  spec.device = *ReferenceDevice("sm_90a");
  const Result<TuneResult> lean = Tune(spec);
  ASSERT_TRUE(lean.ok());
  const std::string lean_winner = lean->winner.launch.launches.front().entry;
  compiler_.SetScript([&](const KernelSource& source) {
    Result<CompiledKernel> kernel = fakes::FakeCompiler::Succeed(source);
    if (source.entry == lean_winner) {
      kernel->entries[0].registers = 255;
    }
    return kernel;
  });
  spec.run_id = "fat";
  const Result<TuneResult> fat = Tune(spec);
  ASSERT_TRUE(fat.ok());
  EXPECT_GE(ReportsByEntry("fat").at(lean_winner).predicted_ns,
            ReportsByEntry("lean").at(lean_winner).predicted_ns);
}

TEST_F(TunerTest, AnUnknownDeviceIsNoGpu) {
  TuneSpec spec = Spec();
  spec.device.uuid = "GPU-elsewhere";
  const Result<TuneResult> result = Tune(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->state, RowState::kPredicted);
  spec.options.require_measured = true;
  EXPECT_EQ(Tune(spec).status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(TunerTest, APredictionNeverReplacesAMeasurement) {
  TuneSpec spec = Spec("measured");
  ASSERT_TRUE(Tune(spec).ok());
  spec.run_id = "predicted";
  spec.device.uuid.clear();
  ASSERT_EQ(Tune(spec)->state, RowState::kPredicted);
  EXPECT_EQ(store_.Find(KeyOf(spec))->state, RowState::kMeasured);
}

// The same sample as with a GPU: the top by the model and evenly from the rest.
TEST_F(TunerTest, WithoutAGpuExhaustiveIsTheSameSample) {
  TuneSpec spec = Spec();
  spec.options.strategy = Strategy::kExhaustive;
  spec.options.max_candidates = 8;
  SetTimes({});
  ASSERT_TRUE(Tune(spec).ok());
  const auto measured = ReportsByEntry();
  spec.device.uuid.clear();
  spec.run_id = "run-2";
  ASSERT_EQ(Tune(spec)->state, RowState::kPredicted);
  TuneSpec adaptive = spec;
  adaptive.run_id = "run-3";
  adaptive.options.strategy = Strategy::kAdaptive;
  ASSERT_TRUE(Tune(adaptive).ok());
  const auto names = [](const std::map<std::string, CandidateReport>& reports) {
    std::vector<std::string> all;
    for (const auto& [entry, report] : reports) {
      all.push_back(entry);
    }
    return all;
  };
  EXPECT_EQ(names(ReportsByEntry("run-2")).size(), 8U);
  EXPECT_EQ(names(measured), names(ReportsByEntry("run-2")));
  EXPECT_NE(names(ReportsByEntry("run-3")), names(ReportsByEntry("run-2")));
}

}  // namespace
}  // namespace tw
