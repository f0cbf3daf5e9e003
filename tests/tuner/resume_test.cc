// A tune that starts again after a crash of the daemon, a lost device or a full disk.
// SPDX-License-Identifier: Apache-2.0
#include "tests/fakes/forwarding_store.h"
#include "tests/tuner/tuner_fixture.h"
#include "tuner/tuner.h"

namespace tw {
namespace {

using fakes::Failed;
using fakes::Measured;

class ResumeTest : public TunerTest {
 protected:
  // The device is lost at run number `count`.
  void LoseDeviceAt(std::size_t count) {
    benchmarker_.run = [this, count](const CandidateRun&) -> Result<BenchmarkOutcome> {
      if (benchmarker_.runs.size() == count) {
        return Status(StatusCode::kUnavailable, "GPU is lost");
      }
      return Measured(1000 + static_cast<double>(benchmarker_.runs.size()));
    };
  }
};

TEST_F(ResumeTest, NoFinishedCandidateIsMeasuredAgain) {
  LoseDeviceAt(10);
  ASSERT_EQ(Tune(Spec()).status().code(), StatusCode::kUnavailable);
  const std::vector<std::string> before(benchmarker_.runs.begin(), benchmarker_.runs.begin() + 9);
  benchmarker_.runs.clear();

  SetTimes({}, 2000);
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(benchmarker_.runs.size(), 32U - 9U);
  for (const std::string& entry : before) {
    EXPECT_EQ(benchmarker_.TimesRun(entry), 0) << entry;
  }
  EXPECT_EQ(result->funnel.at("measured"), 32);
  EXPECT_EQ(result->funnel.at("reused"), 9);
  EXPECT_EQ(result->compiler, "fake 1.0");
}

// Failures are kept as well: a candidate that kills its worker does so once.
TEST_F(ResumeTest, FailedCandidatesAreNotTriedAgain) {
  benchmarker_.run = [this](const CandidateRun&) -> Result<BenchmarkOutcome> {
    switch (benchmarker_.runs.size()) {
      case 1:
        return Failed(OutcomeKind::kCrashed);
      case 2:
        return Failed(OutcomeKind::kTimedOut);
      case 3:
        return Failed(OutcomeKind::kWrongResult);
      default:
        return Status(StatusCode::kUnavailable, "GPU is lost");
    }
  };
  ASSERT_FALSE(Tune(Spec()).ok());
  const std::vector<std::string> before(benchmarker_.runs.begin(), benchmarker_.runs.begin() + 3);
  SetTimes({});
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  for (const std::string& entry : before) {
    EXPECT_EQ(benchmarker_.TimesRun(entry), 1) << entry;
  }
  EXPECT_EQ(result->funnel.at("crashed"), 1);
  EXPECT_EQ(result->funnel.at("timed_out"), 1);
  EXPECT_EQ(result->funnel.at("wrong_result"), 1);
}

TEST_F(ResumeTest, QuarantineOutlivesTheCrash) {
  benchmarker_.run = [](const CandidateRun& run) -> Result<BenchmarkOutcome> {
    if (EntryOf(run).starts_with("tw_beta")) {
      return Status(StatusCode::kUnavailable, "GPU is lost");
    }
    return Failed(OutcomeKind::kCrashed);
  };
  alpha_.min_cc = 0;
  families_ = {&alpha_};
  ASSERT_EQ(Tune(Spec()).status().code(), StatusCode::kNotFound);
  families_ = {&alpha_, &beta_};
  benchmarker_.runs.clear();
  SetTimes({});
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(benchmarker_.runs.size(), 16U);
  EXPECT_EQ(result->funnel.at("quarantined:alpha"), 13);
}

TEST_F(ResumeTest, AFinishedRunGivesItsResultWithoutWork) {
  const Result<TuneResult> first = Tune(Spec());
  ASSERT_TRUE(first.ok());
  const std::size_t compiled = compiler_.asked().size();
  const Result<TuneResult> again = Tune(Spec());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->winner.candidate_id, first->winner.candidate_id);
  EXPECT_EQ(again->created_micros, first->created_micros);
  EXPECT_EQ(compiler_.asked().size(), compiled);
}

TEST_F(ResumeTest, OnlyTheFinalRoundIsRepeated) {
  benchmarker_.final_run = [](const CandidateRun&) -> Result<BenchmarkOutcome> {
    return Status(StatusCode::kUnavailable, "GPU is lost");
  };
  SetTimes({{"tw_beta_64x64_k1", 300}}, 800);
  ASSERT_FALSE(Tune(Spec()).ok());
  benchmarker_.final_run = nullptr;
  benchmarker_.runs.clear();
  const Result<TuneResult> result = Tune(Spec());
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_TRUE(benchmarker_.runs.empty());
  EXPECT_EQ(result->winner.launch.launches.front().entry, "tw_beta_64x64_k1");
  EXPECT_EQ(compiler_.TimesAsked("tw_beta_64x64_k1"), 2);  // its machine code was gone
}

TEST_F(ResumeTest, AnotherRunStartsAfresh) {
  ASSERT_TRUE(Tune(Spec("one")).ok());
  benchmarker_.runs.clear();
  const Result<TuneResult> result = Tune(Spec("two"));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(benchmarker_.runs.size(), 32U);
  EXPECT_EQ(result->funnel.count("reused"), 0U);
}

TEST_F(ResumeTest, AReportOfAnotherSourceIsNotReused) {
  LoseDeviceAt(10);
  ASSERT_FALSE(Tune(Spec()).ok());
  const std::string changed = benchmarker_.runs.front();
  CandidateReport report = ReportsByEntry().at(changed);
  report.artifact_digest = std::string(64, '0');
  ASSERT_TRUE(store_.PutReport("run-1", report).ok());
  benchmarker_.runs.clear();
  SetTimes({});
  ASSERT_TRUE(Tune(Spec()).ok());
  EXPECT_EQ(benchmarker_.TimesRun(changed), 1);
}

TEST_F(ResumeTest, WithoutAGpuCompiledCandidatesAreNotCompiledAgain) {
  TuneSpec spec = Spec();
  spec.device.uuid.clear();
  compiler_.SetScript([this](const KernelSource& source) -> Result<CompiledKernel> {
    if (compiler_.asked().size() > 8) {
      return Status(StatusCode::kUnavailable, "gone");
    }
    return fakes::FakeCompiler::Succeed(source);
  });
  ASSERT_EQ(Tune(spec).status().code(), StatusCode::kUnavailable);
  const std::vector<std::string> before = compiler_.asked();
  compiler_.SetScript(&fakes::FakeCompiler::Succeed);
  ASSERT_TRUE(Tune(spec).ok());
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(compiler_.TimesAsked(before[i]), 1) << before[i];
  }
}

// Refuses reports past a limit as a full disk does.
class FullStore final : public fakes::ForwardingStore {
 public:
  FullStore(ResultStore& inner, int room) : ForwardingStore(inner), room_(room) {}

  void MakeRoom() { room_ = 1 << 30; }

  Result<bool> PutResult(const TuneResult& result) override {
    TW_RETURN_IF_ERROR(Use());
    return ForwardingStore::PutResult(result);
  }

  Status PutReport(std::string_view run_id, const CandidateReport& report) override {
    TW_RETURN_IF_ERROR(Use());
    return ForwardingStore::PutReport(run_id, report);
  }

 private:
  Status Use() {
    if (room_ == 0) {
      return {StatusCode::kResourceExhausted, "disk full"};
    }
    --room_;
    return OkStatus();
  }

  int room_;
};

TEST_F(ResumeTest, AFullDiskIsAStatusAndLosesNothing) {
  FullStore full(store_, 7);
  const Status status = Tune(Spec(), full).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_EQ(ReportsByEntry().size(), 7U);
  EXPECT_FALSE(store_.Find(KeyOf(Spec())).has_value());

  full.MakeRoom();
  benchmarker_.runs.clear();
  ASSERT_TRUE(Tune(Spec(), full).ok());
  EXPECT_EQ(benchmarker_.runs.size(), 32U - 7U);
  EXPECT_TRUE(store_.Find(KeyOf(Spec())).has_value());
}

}  // namespace
}  // namespace tw
