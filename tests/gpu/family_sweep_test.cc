// Every family on the real device, judged: edge sizes, all layouts, types, alignments, leading
// dimensions, batch strides and epilogues, a few random legal candidates each.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "gpu_fixture.h"
#include "tuner/search/space.h"

namespace tw {
namespace {

constexpr int kCandidatesPerFamily = 2;
constexpr std::array<std::int64_t, 4> kEdgeSizes{1, 3, 17, 1021};
constexpr std::array<DType, 6> kTypes{DType::kF32,  DType::kBf16, DType::kS8,
                                      DType::kTf32, DType::kF16,  DType::kF64};

using Rng = std::mt19937_64;

bool Coin(Rng& rng) {
  return (rng() & 1U) != 0;
}

Major RandomMajor(Rng& rng) {
  return Coin(rng) ? Major::kRow : Major::kCol;
}

// Loose strides: a padded leading dimension, gaps between batch items, broadcast, any alignment.
Operand RandomOperand(DType type, std::int64_t rows, std::int64_t cols, Rng& rng) {
  Operand op{.type = type, .major = RandomMajor(rng)};
  if (Coin(rng))
    op.ld = PackedLd(rows, cols, op.major) + std::array<std::int64_t, 4>{1, 3, 8, 64}[rng() % 4];
  if (Coin(rng)) {
    const std::int64_t ld = op.ld == kPacked ? PackedLd(rows, cols, op.major) : op.ld;
    op.batch_stride = ld * std::max<std::int64_t>(1, op.major == Major::kRow ? rows : cols) + 5;
  }
  const std::int64_t size = BytesOf(type);
  op.align_bytes =
      std::max<std::int64_t>(size, std::array<std::int64_t, 3>{size, 4, 16}[rng() % 3]);
  return op;
}

struct Size {
  std::int64_t m, n, k;
};

GemmProblem RandomProblem(const Size& size, DType type, Rng& rng) {
  const bool s8 = type == DType::kS8;
  const DType out = s8                                                               ? DType::kS32
                    : type == DType::kTf32 || (BytesOf(type) == 2 && rng() % 4 == 0) ? DType::kF32
                                                                                     : type;
  GemmProblem p{.m = size.m, .n = size.n, .k = size.k, .batch = Coin(rng) ? 3 : 1};
  p.a = RandomOperand(type, p.m, p.k, rng);
  p.b = RandomOperand(type, p.k, p.n, rng);
  p.d = RandomOperand(out, p.m, p.n, rng);
  p.c = RandomOperand(out, p.m, p.n, rng);
  if (rng() % 6 == 0)
    p.b.batch_stride = 0;
  p.acc = s8 ? DType::kS32 : type == DType::kF64 ? DType::kF64 : DType::kF32;
  p.alpha = std::array{ScalarKind::kOne, ScalarKind::kOther, ScalarKind::kOne,
                       ScalarKind::kZero}[rng() % 4];
  p.beta = std::array{ScalarKind::kZero, ScalarKind::kOne, ScalarKind::kOther}[rng() % 3];
  p.epilogue.bias = std::array{BiasKind::kNone, BiasKind::kCol, BiasKind::kRow}[rng() % 3];
  p.epilogue.activation = Coin(rng) ? "relu" : "none";
  return p;
}

std::vector<GemmProblem> Problems(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Size> sizes;
  for (std::int64_t m : kEdgeSizes) {
    for (std::int64_t n : kEdgeSizes) {
      for (std::int64_t k : kEdgeSizes)
        sizes.push_back({m, n, k});
    }
  }
  for (int i = 0; i < 48; ++i)
    sizes.push_back(
        {std::int64_t(1 + rng() % 300), std::int64_t(1 + rng() % 300), std::int64_t(rng() % 600)});
  std::vector<GemmProblem> problems;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto p = Normalize(RandomProblem(sizes[i], kTypes[(i + i / 7) % kTypes.size()], rng));
    EXPECT_TRUE(p.ok()) << p.status().ToString();
    if (p.ok())
      problems.push_back(*std::move(p));
  }
  GemmProblem lda65{.m = 64, .n = 65, .k = 64};
  lda65.a = lda65.b = lda65.c = lda65.d = {.type = DType::kBf16, .ld = 65};
  problems.push_back(Normalize(lda65).value());
  return problems;
}

struct Job {
  std::size_t problem;
  const KernelFamily* family;
  Candidate candidate;
  CompiledKernel kernel;
};

std::vector<Job> MakeJobs(const std::vector<GemmProblem>& problems,
                          const DeviceSpec& device,
                          Rng& rng) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    for (const KernelFamily* family : AllFamilies()) {
      std::vector<Candidate> legal = BuildSpace(problems[i], device, {}, family->name).candidates;
      std::shuffle(legal.begin(), legal.end(), rng);
      for (std::size_t c = 0; c < std::min<std::size_t>(legal.size(), kCandidatesPerFamily); ++c)
        jobs.push_back({i, family, legal[c], {}});
    }
  }
  return jobs;
}

// NVRTC scales over threads.
void CompileAll(GpuFixture& gpu, const std::vector<GemmProblem>& problems, std::vector<Job>& jobs) {
  std::atomic<std::size_t> next{0};
  const DeviceSpec device = gpu.device().Spec();
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1U, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      const TemplateStore templates;
      for (std::size_t i = next++; i < jobs.size(); i = next++) {
        Job& job = jobs[i];
        auto source = BuildSource(
            {*job.family, problems[job.problem], device, job.candidate.config}, templates);
        ASSERT_TRUE(source.ok()) << source.status().ToString();
        job.kernel = gpu.Compile(*source);
      }
    });
  }
}

// The first `limit` problems in a random order; all where it is larger.
void RunSweep(std::uint64_t seed, std::size_t limit) {
  TW_REQUIRE_GPU(gpu);
  Rng rng(seed);
  std::vector<GemmProblem> problems = Problems(seed);
  std::shuffle(problems.begin(), problems.end(), rng);
  problems.resize(std::min(problems.size(), limit));
  std::vector<Job> jobs = MakeJobs(problems, gpu.device().Spec(), rng);
  CompileAll(gpu, problems, jobs);
  std::size_t current = problems.size();
  std::unique_ptr<JudgeSession> session;
  double worst = 0;
  for (const Job& job : jobs) {
    const GemmProblem& problem = problems[job.problem];
    if (job.problem != current) {
      session = gpu.OpenSession(problem);
      ASSERT_NE(session, nullptr) << CanonicalText(problem);
      current = job.problem;
    }
    auto outcome =
        session->Run({job.candidate.id, job.kernel,
                      job.family->launch(problem, gpu.device().Spec(), job.candidate.config)});
    ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
    EXPECT_TRUE(outcome->kind == OutcomeKind::kMeasured || outcome->kind == OutcomeKind::kDisturbed)
        << Name(outcome->kind) << " " << outcome->rule << ": " << outcome->detail << "\n  "
        << CanonicalText(problem) << "\n  " << Text(job.candidate.config);
    ASSERT_EQ(gpu.device().sticky_error(), 0) << "the device is lost to this process";
    worst = std::max(worst, outcome->error_ratio);
  }
  std::printf("%zu problems, %zu candidates, worst error ratio %.3f, seed %llu\n", problems.size(),
              jobs.size(), worst, static_cast<unsigned long long>(seed));
}

TEST(FamilySweep, EveryFamilyIsRightOnEdgeProblemsSeed1) {
  RunSweep(1, 1000);
}

TEST(FamilySweep, EveryFamilyIsRightOnEdgeProblemsSeed2) {
  RunSweep(2, 1000);
}

// Small enough to run under compute-sanitizer.
TEST(FamilySweep, AFewProblems) {
  RunSweep(3, 16);
}

}  // namespace
}  // namespace tw
