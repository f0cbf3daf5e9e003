// SPDX-License-Identifier: Apache-2.0
#include "tuner/compile_queue.h"

#include <atomic>
#include <future>
#include <set>

#include <gtest/gtest.h>

#include "tests/fakes/fake_compiler.h"
#include "tests/fakes/manual_clock.h"

namespace tw {
namespace {

std::vector<Candidate> Candidates(int count, const std::string& family = "f") {
  std::vector<Candidate> candidates;
  for (int i = 0; i < count; ++i) {
    Candidate candidate;
    candidate.config.family = family;
    candidate.id = family + std::to_string(i);
    candidates.push_back(candidate);
  }
  return candidates;
}

Result<KernelSource> SourceOf(const Candidate& candidate) {
  KernelSource source;
  source.entry = candidate.id;
  return source;
}

bool Never() {
  return false;
}

class CompileQueueTest : public testing::Test {
 protected:
  fakes::ManualClock clock_;
};

TEST_F(CompileQueueTest, HandsOverEverythingInOrderWithOneThread) {
  fakes::FakeCompiler compiler(1);
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(20));
  for (int i = 0; i < 20; ++i) {
    const std::optional<CompiledCandidate> item = queue.Next(&Never);
    ASSERT_TRUE(item.has_value());
    EXPECT_EQ(item->candidate.id, "f" + std::to_string(i));
    EXPECT_TRUE(item->kernel.ok());
  }
  EXPECT_FALSE(queue.Next(&Never).has_value());
  EXPECT_EQ(queue.compiled(), 20);
}

TEST_F(CompileQueueTest, HandsOverEverythingOnceWithManyThreads) {
  fakes::FakeCompiler compiler(8);
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(200));
  std::set<std::string> seen;
  while (const std::optional<CompiledCandidate> item = queue.Next(&Never)) {
    EXPECT_TRUE(seen.insert(item->candidate.id).second);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST_F(CompileQueueTest, AnEmptyQueueEndsAtOnce) {
  fakes::FakeCompiler compiler(4);
  CompileQueue queue(compiler, clock_, &SourceOf, {});
  EXPECT_FALSE(queue.Next(&Never).has_value());
}

// Machine code that nobody took yet is bounded: twice the parallelism.
TEST_F(CompileQueueTest, DoesNotRunAheadOfItsReader) {
  fakes::FakeCompiler compiler(2);
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(50));
  for (int taken = 0; taken < 50; ++taken) {
    EXPECT_LE(compiler.asked().size(), static_cast<std::size_t>(taken) + 4);
    ASSERT_TRUE(queue.Next(&Never).has_value());
  }
}

TEST_F(CompileQueueTest, CarriesFailures) {
  fakes::FakeCompiler compiler(1, [](const KernelSource&) -> Result<CompiledKernel> {
    return Status(StatusCode::kInvalidArgument, "no");
  });
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(1));
  const std::optional<CompiledCandidate> item = queue.Next(&Never);
  ASSERT_TRUE(item.has_value());
  EXPECT_TRUE(item->source.ok());
  EXPECT_EQ(item->kernel.status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(queue.compiled(), 0);
}

TEST_F(CompileQueueTest, DroppedFamiliesAreNotHandedOver) {
  fakes::FakeCompiler compiler(1);
  std::vector<Candidate> candidates = Candidates(10, "bad");
  for (const Candidate& candidate : Candidates(3, "good")) {
    candidates.push_back(candidate);
  }
  CompileQueue queue(compiler, clock_, &SourceOf, candidates);
  ASSERT_TRUE(queue.Next(&Never).has_value());
  queue.DropFamily("bad");
  int good = 0;
  int bad = 0;
  while (const std::optional<CompiledCandidate> item = queue.Next(&Never)) {
    (item->candidate.config.family == "good" ? good : bad) += 1;
  }
  EXPECT_EQ(good, 3);
  EXPECT_EQ(bad, 0);
}

TEST_F(CompileQueueTest, GivesUpWhileACompilationHangs) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  fakes::FakeCompiler compiler(1, [released](const KernelSource& source) {
    released.wait();
    return fakes::FakeCompiler::Succeed(source);
  });
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(3));
  std::atomic<int> asked = 0;
  EXPECT_FALSE(queue.Next([&] { return ++asked > 2; }).has_value());
  release.set_value();
}

TEST_F(CompileQueueTest, DestructionCancels) {
  fakes::FakeCompiler compiler(2);
  { CompileQueue queue(compiler, clock_, &SourceOf, Candidates(1000)); }
  EXPECT_LE(compiler.asked().size(), 6U);
}

TEST_F(CompileQueueTest, WallTimeEndsWithTheLastCompilation) {
  fakes::FakeCompiler compiler(1, [this](const KernelSource& source) {
    clock_.Advance(std::chrono::seconds(1));
    return fakes::FakeCompiler::Succeed(source);
  });
  CompileQueue queue(compiler, clock_, &SourceOf, Candidates(3));
  while (queue.Next(&Never)) {
  }
  clock_.Advance(std::chrono::seconds(100));
  EXPECT_EQ(queue.WallTime(), std::chrono::seconds(3));
}

}  // namespace
}  // namespace tw
