// The contract of ResultStore, on every implementation.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/store/result_store.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"
#include "tests/tuner/store/compare.h"
#include "tests/tuner/store/samples.h"
#include "tuner/store/memory_store.h"
#include "tuner/store/sqlite_store.h"

namespace tw {
namespace {

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<ResultStore>(const std::filesystem::path&)> make;
};

class ResultStoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override { store_ = GetParam().make(dir_.path()); }

  fakes::TempDir dir_;
  std::unique_ptr<ResultStore> store_;
};

TEST_P(ResultStoreContract, RoundTripsAResult) {
  ASSERT_TRUE(*store_->PutResult(SampleResult()));
  const std::optional<TuneResult> found = store_->Find(SampleKey());
  ASSERT_TRUE(found.has_value());
  ExpectSame(*found, SampleResult());
}

TEST_P(ResultStoreContract, RoundTripsReportsInTheOrderOfTheirFirstPut) {
  CandidateReport second = SampleReport("b");
  second.measurement.reset();
  second.kind = OutcomeKind::kCrashed;
  ASSERT_TRUE(store_->PutReport("run", second).ok());
  ASSERT_TRUE(store_->PutReport("run", SampleReport("a")).ok());
  ASSERT_TRUE(store_->PutReport("other run", SampleReport("c")).ok());
  second.detail = "replaced";
  ASSERT_TRUE(store_->PutReport("run", second).ok());

  const std::vector<CandidateReport> reports = *store_->Reports("run");
  ASSERT_EQ(reports.size(), 2U);
  ExpectSame(reports[0], second);
  ExpectSame(reports[1], SampleReport("a"));
  EXPECT_TRUE(store_->Reports("unknown")->empty());
}

TEST_P(ResultStoreContract, RoundTripsJobsOldestFirst) {
  JobRecord young = SampleJob("young");
  young.created_micros = 300;
  JobRecord old = SampleJob("old");
  old.created_micros = 50;
  ASSERT_TRUE(store_->PutJob(young).ok());
  ASSERT_TRUE(store_->PutJob(old).ok());
  young.state = JobState::kSucceeded;
  ASSERT_TRUE(store_->PutJob(young).ok());

  const std::vector<JobRecord> jobs = *store_->Jobs();
  ASSERT_EQ(jobs.size(), 2U);
  ExpectSame(jobs[0], old);
  ExpectSame(jobs[1], young);
}

TEST_P(ResultStoreContract, GivesTheKeysOfWhatIsMeasuredOnADeviceClass) {
  TuneResult result = SampleResult();
  result.state = RowState::kMeasured;
  ASSERT_TRUE(*store_->PutResult(result));
  TuneResult predicted = result;
  predicted.key.problem = "predicted";
  predicted.state = RowState::kPredicted;
  ASSERT_TRUE(*store_->PutResult(predicted));
  TuneResult elsewhere = result;
  elsewhere.key.device_class = "another";
  ASSERT_TRUE(*store_->PutResult(elsewhere));
  TuneResult warm = result;
  warm.key.objective = "warm";
  ASSERT_TRUE(*store_->PutResult(warm));
  EXPECT_EQ(
      store_->MeasuredKeys(result.key.device_class),
      (std::vector<ResultKey>{std::min(result.key, warm.key), std::max(result.key, warm.key)}));
  EXPECT_TRUE(store_->MeasuredKeys("unknown").empty());
}

TEST_P(ResultStoreContract, ALowerStateNeverReplacesAHigherOne) {
  const RowState states[] = {RowState::kPredicted, RowState::kStale, RowState::kUnverified,
                             RowState::kMeasured};
  int key_number = 0;
  for (const RowState existing : states) {
    for (const RowState incoming : states) {
      TuneResult result = SampleResult();
      result.key.problem = std::to_string(key_number++);
      result.state = existing;
      ASSERT_TRUE(*store_->PutResult(result));
      result.state = incoming;
      result.run_id = "second";
      EXPECT_EQ(*store_->PutResult(result), incoming >= existing);
      EXPECT_EQ(store_->Find(result.key)->run_id, incoming >= existing ? "second" : "op-1")
          << Name(existing) << " then " << Name(incoming);
    }
  }
}

TEST_P(ResultStoreContract, AKeyThatDiffersInOneFieldMisses) {
  ASSERT_TRUE(*store_->PutResult(SampleResult()));
  std::string ResultKey::*const fields[] = {&ResultKey::problem, &ResultKey::device_class,
                                            &ResultKey::contract, &ResultKey::objective};
  for (std::string ResultKey::*const field : fields) {
    ResultKey key = SampleKey();
    key.*field += "x";
    EXPECT_FALSE(store_->Find(key).has_value()) << key.*field;
    key.*field = "";
    EXPECT_FALSE(store_->Find(key).has_value());
  }
}

// Every field of the problem is part of the key: changing any one of them misses.
TEST_P(ResultStoreContract, AProblemThatDiffersInOneFieldMisses) {
  GemmProblem base;
  base.m = 64;
  base.n = 96;
  base.k = 128;
  base.batch = 2;
  base.beta = ScalarKind::kOther;
  const std::function<void(GemmProblem&)> changes[] = {
      [](GemmProblem& p) { p.m = 65; },
      [](GemmProblem& p) { p.n = 97; },
      [](GemmProblem& p) { p.k = 129; },
      [](GemmProblem& p) { p.batch = 3; },
      [](GemmProblem& p) { p.a.major = Major::kCol; },
      [](GemmProblem& p) { p.b.major = Major::kCol; },
      [](GemmProblem& p) { p.c.major = Major::kCol; },
      [](GemmProblem& p) { p.d.major = Major::kCol; },
      [](GemmProblem& p) { p.a.ld = 200; },
      [](GemmProblem& p) { p.b.ld = 200; },
      [](GemmProblem& p) { p.c.ld = 200; },
      [](GemmProblem& p) { p.d.ld = 200; },
      [](GemmProblem& p) { p.a.batch_stride = 20000; },
      [](GemmProblem& p) { p.b.batch_stride = 0; },
      [](GemmProblem& p) { p.c.batch_stride = 20000; },
      [](GemmProblem& p) { p.d.batch_stride = 20000; },
      [](GemmProblem& p) { p.a.align_bytes = 8; },
      [](GemmProblem& p) { p.b.align_bytes = 8; },
      [](GemmProblem& p) { p.c.align_bytes = 8; },
      [](GemmProblem& p) { p.d.align_bytes = 8; },
      [](GemmProblem& p) { p.alpha = ScalarKind::kOther; },
      [](GemmProblem& p) { p.beta = ScalarKind::kOne; },
      [](GemmProblem& p) { p.epilogue.bias = BiasKind::kCol; },
      [](GemmProblem& p) { p.epilogue.activation = "relu"; },
      [](GemmProblem& p) {
        p.a.type = p.b.type = p.c.type = p.d.type = DType::kF64;
        p.acc = DType::kF64;
      },
  };
  TuneResult result = SampleResult();
  result.key.problem = CanonicalText(*Normalize(base));
  ASSERT_TRUE(*store_->PutResult(result));
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    GemmProblem changed = base;
    changes[i](changed);
    const Result<GemmProblem> normal = Normalize(changed);
    ASSERT_TRUE(normal.ok()) << i << ": " << normal.status().ToString();
    ResultKey key = result.key;
    key.problem = CanonicalText(*normal);
    EXPECT_FALSE(store_->Find(key).has_value()) << "change " << i << ": " << key.problem;
  }
}

TEST_P(ResultStoreContract, CountsItsRows) {
  ASSERT_TRUE(*store_->PutResult(SampleResult()));
  ASSERT_TRUE(*store_->PutResult(SampleResult()));
  ASSERT_TRUE(store_->PutReport("r", SampleReport("a")).ok());
  ASSERT_TRUE(store_->PutReport("r", SampleReport("b")).ok());
  ASSERT_TRUE(store_->PutJob(SampleJob()).ok());
  const StoreStats stats = store_->Stats();
  EXPECT_EQ(stats.results, 1);
  EXPECT_EQ(stats.reports, 2);
  EXPECT_EQ(stats.jobs, 1);
}

TEST_P(ResultStoreContract, ServesReadersAndWritersAtOnce) {
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([this, t, &failures] {
        for (int i = 0; i < 20; ++i) {
          TuneResult result = SampleResult();
          result.key.problem = std::to_string(t) + "/" + std::to_string(i);
          const bool stored =
              store_->PutResult(result).ok() && store_->Find(result.key).has_value();
          failures +=
              stored && store_->PutReport("run", SampleReport(result.key.problem)).ok() ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(store_->Stats().results, 80);
  EXPECT_EQ(store_->Reports("run")->size(), 80U);
}

std::unique_ptr<ResultStore> MakeMemory(const std::filesystem::path& /*dir*/) {
  return std::make_unique<MemoryStore>();
}

std::unique_ptr<ResultStore> MakeSqlite(const std::filesystem::path& dir) {
  Result<std::unique_ptr<SqliteStore>> store = SqliteStore::Open(dir / "store.db");
  TW_CHECK(store.ok());
  return *std::move(store);
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         ResultStoreContract,
                         testing::Values(StoreKind{"Memory", &MakeMemory},
                                         StoreKind{"Sqlite", &MakeSqlite}),
                         [](const testing::TestParamInfo<StoreKind>& store) {
                           return store.param.name;
                         });

}  // namespace
}  // namespace tw
