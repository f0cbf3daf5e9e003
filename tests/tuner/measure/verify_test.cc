// What each part of the verifier finds, on the fake device.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/verify.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host_contestant.h"
#include "problems.h"
#include "tuner/device/fake_device.h"
#include "tuner/measure/coverage.h"
#include "tuner/measure/error_bound.h"

namespace tw {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using enum FillPattern;

constexpr TypeSet kBf16{DType::kBf16, DType::kBf16, DType::kF32};

// A verifier on a fake device of its own.
class Rig {
 public:
  Rig(const GemmProblem& problem, const VerifierOptions& options) {
    device_.SetProblem(problem);
    support_ = std::make_unique<SupportKernels>(SupportKernels::Load(device_, {}).value());
    verifier_ = Verifier::Open(device_, *support_, problem, options).value();
  }

  Verdict Check(const Contestant& contestant) { return verifier_->Check(contestant).value(); }

  Verifier& verifier() { return *verifier_; }

 private:
  FakeDevice device_{FakeScript{}};
  std::unique_ptr<SupportKernels> support_;
  std::unique_ptr<Verifier> verifier_;
};

GemmProblem InPlaceProblem() {
  GemmProblem problem = Product(16, 24, 32, kBf16);
  problem.beta = ScalarKind::kOther;
  return Normalize(problem).value();
}

TEST(Verify, EveryPatternPassesOnARightCandidate) {
  for (const TypeSet& types : kTypeSets) {
    for (const GemmProblem& problem : VariantsOf(types)) {
      Rig rig(problem, {.trials = PatternsFor(problem)});
      const Verdict verdict = rig.Check(HostContestant(problem));
      EXPECT_TRUE(verdict.ok()) << CanonicalText(problem) << verdict.rule << verdict.detail;
      EXPECT_EQ(verdict.coverage, "all of D");
    }
  }
}

// A candidate that is wrong on one pattern only is named with that pattern.
TEST(Verify, TheReportNamesRuleElementAmountAndOperands) {
  const GemmProblem problem = Normalize(Product(16, 24, 32, kBf16)).value();
  const HostContestant near_ones(problem, [](const GemmParams&, const HostOutput& d) {
    if (d.Get({0, 3, 5}) == 32)
      d.Set({0, 3, 5}, 32.25);
  });
  Rig rig(problem, {.trials = {kNormal, kOnes}});
  const Verdict verdict = rig.Check(near_ones);
  EXPECT_EQ(verdict.rule, "wrong_element");
  EXPECT_THAT(verdict.detail,
              AllOf(HasSubstr("D[item 0, row 3, column 5] = 32.25, want 32 within 0.125"),
                    HasSubstr("1 of 384 elements, all-ones operands")));
  EXPECT_EQ(verdict.wrong_count, 1U);
  EXPECT_EQ(verdict.bound, 0.125);
  EXPECT_EQ(verdict.error_ratio, 2);
}

// Sums that return to zero: an error that drowns elsewhere is far beyond the bound.
TEST(Verify, CancellingSumsAreZeroWhateverTheirPath) {
  const GemmProblem problem = Normalize(Product(16, 24, 64, kBf16)).value();
  int zeros = 0;
  int runs = 0;
  const HostContestant rounds(problem, [&](const GemmParams&, const HostOutput& d) {
    ++runs;
    zeros += d.Get({0, 7, 7}) == 0 ? 1 : 0;
  });
  Rig rig(problem, {.trials = {kNormal, kCancelling}});
  EXPECT_TRUE(rig.Check(rounds).ok());
  EXPECT_GE(zeros, 2);  // every run of the cancelling trial, none of the other
  EXPECT_EQ(zeros, runs - 1);
}

// An absolute error that is small beside most elements is large beside those of small scale.
TEST(Verify, MagnitudesSpreadOverTheElements) {
  const GemmProblem problem = Normalize(Product(32, 32, 64, kBf16)).value();
  const HostContestant absolute(problem, [](const GemmParams&, const HostOutput& d) {
    for (std::int64_t row = 0; row < 32; ++row)
      d.Set({0, row, 0}, d.Get({0, row, 0}) + 1.0 / 128);
  });
  Rig rig(problem, {.trials = {kMagnitudes}});
  const Verdict verdict = rig.Check(absolute);
  EXPECT_EQ(verdict.rule, "wrong_element");
  EXPECT_THAT(verdict.detail, HasSubstr("scaled operands"));
  EXPECT_LT(verdict.wrong_count, 32U);
  EXPECT_GT(verdict.error_ratio, 4);
}

TEST(Verify, RunsThatDifferNameTheLines) {
  GemmProblem problem = Product(5000, 3, 2, {DType::kF32, DType::kF32, DType::kF32});
  problem = Normalize(problem).value();
  for (const int unlucky : {2, 5, 11}) {
    int runs = 0;
    const HostContestant racy(problem, [&](const GemmParams&, const HostOutput& d) {
      if (++runs == unlucky)
        d.SetBytes({0, 4801, 1}, std::byte{1});
    });
    Rig rig(problem, {});
    const Verdict verdict = rig.Check(racy);
    EXPECT_EQ(verdict.rule, "nondeterministic") << "run " << unlucky;
    EXPECT_THAT(verdict.detail, HasSubstr("rows 4800 to 4801 of item 0"));
  }
}

std::vector<std::byte> WorkspaceOf(const GemmParams& params) {
  const auto* first = static_cast<const std::byte*>(params.workspace);
  return {first, first + 64};
}

// Only what is promised to be zero, and on every candidate's first run.
TEST(Verify, ZerosAtTheWorkspacesStartAndPoisonBehind) {
  const GemmProblem problem = Normalize(Product(16, 24, 32, kBf16)).value();
  std::vector<std::vector<std::byte>> seen;
  const HostContestant::Spoil use = [&](const GemmParams& params, const HostOutput&) {
    seen.push_back(WorkspaceOf(params));
    auto* const workspace = static_cast<std::byte*>(params.workspace);
    std::fill_n(workspace + 48, 16, std::byte{7});
  };
  Rig rig(problem, {});
  for (int candidate = 0; candidate < 2; ++candidate) {
    seen.clear();
    EXPECT_TRUE(rig.Check(HostContestant(problem, use, 48)).ok());
    ASSERT_GE(seen.size(), 2U);
    for (std::size_t i = 0; i < 48; ++i)
      EXPECT_EQ(seen[0][i], std::byte{0}) << i;
    EXPECT_EQ(seen[0][48], std::byte{kFloatPoison});
    EXPECT_EQ(seen[1][48], std::byte{7});
  }
}

TEST(Verify, AnyByteThatIsNotZeroAgainIsNamed) {
  const GemmProblem problem = Normalize(Product(16, 24, 32, kBf16)).value();
  for (int at : {0, 17, 47}) {
    const HostContestant leaves(
        problem,
        [&](const GemmParams& params, const HostOutput&) {
          static_cast<std::byte*>(params.workspace)[at] = std::byte{0x80};
        },
        48);
    const Verdict verdict = Rig(problem, {}).Check(leaves);
    EXPECT_EQ(verdict.kind, OutcomeKind::kWrongResult);
    EXPECT_EQ(verdict.rule, "workspace_not_restored");
    EXPECT_EQ(verdict.wrong_count, 1U);
    EXPECT_THAT(verdict.detail, HasSubstr("first byte " + std::to_string(at) + ","));
  }
}

TEST(Verify, TheSecondRunMustRestoreTheWorkspaceToo) {
  const GemmProblem problem = Normalize(Product(16, 24, 32, kBf16)).value();
  int runs = 0;
  const HostContestant second(
      problem,
      [&](const GemmParams& params, const HostOutput&) {
        if (++runs == 2)
          *static_cast<std::byte*>(params.workspace) = std::byte{1};
      },
      4);
  EXPECT_EQ(Rig(problem, {}).Check(second).rule, "workspace_not_restored");
}

TEST(Verify, AnUnreadCIsNaN) {
  const GemmProblem problem = Normalize(Product(16, 24, 32, kBf16)).value();

  // Adds 0 * C.
  class Reader final : public Contestant {
   public:
    explicit Reader(const GemmProblem& problem) : problem_(problem) {}

    Status Launch(const GemmParams& params) const override {
      const double c = LoadElement(problem_.c.type, static_cast<const std::byte*>(params.c));
      FakeKernels(problem_).Candidate(params);
      const HostOutput d(problem_, params.d);
      d.Set({0, 0, 0}, d.Get({0, 0, 0}) + 0 * c);
      return OkStatus();
    }

    [[nodiscard]] std::int64_t workspace_bytes() const override { return 0; }

   private:
    GemmProblem problem_;
  };

  EXPECT_EQ(Rig(problem, {}).Check(Reader(problem)).rule, "nan");
}

TEST(Verify, CInPlaceOfDPasses) {
  const GemmProblem problem = InPlaceProblem();
  int in_place = 0;
  const HostContestant right(problem, [&](const GemmParams& params, const HostOutput&) {
    in_place += params.c == params.d ? 1 : 0;
  });
  Rig rig(problem, {});
  const Verdict verdict = rig.Check(right);
  EXPECT_TRUE(verdict.ok()) << verdict.detail;
  EXPECT_EQ(in_place, 1);
}

TEST(Verify, ReadingCAfterDIsWrittenIsWrongInPlace) {
  const GemmProblem problem = InPlaceProblem();
  // Adds C of the neighbour's place, which it has overwritten, and takes it off where it has not.
  const HostContestant late(problem, [](const GemmParams& params, const HostOutput& d) {
    if (params.c == params.d)
      d.Set({0, 4, 4}, d.Get({0, 4, 4}) + d.Get({0, 4, 3}));
  });
  Rig rig(problem, {});
  const Verdict verdict = rig.Check(late);
  EXPECT_EQ(verdict.rule, "wrong_element");
  EXPECT_THAT(verdict.detail, HasSubstr("C in place"));
}

TEST(Verify, OtherLayoutsOfCAreNeverInPlace) {
  GemmProblem problem = Product(16, 24, 32, kBf16);
  problem.beta = ScalarKind::kOne;
  problem.c.ld = 30;
  problem.c.align_bytes = 2;
  problem = Normalize(problem).value();
  const HostContestant right(
      problem, [](const GemmParams& params, const HostOutput&) { EXPECT_NE(params.c, params.d); });
  EXPECT_TRUE(Rig(problem, {}).Check(right).ok());
}

// A D that is sampled: 640 x 704, two items, everything the checksums must carry.
class Sampled : public testing::Test {
 protected:
  static GemmProblem Problem() {
    GemmProblem problem = Product(640, 704, 8, kBf16);
    problem.batch = 2;
    problem.b.batch_stride = 0;
    problem.alpha = problem.beta = ScalarKind::kOther;
    problem.epilogue.bias = BiasKind::kCol;
    return Normalize(problem).value();
  }

  Verdict CheckSpoiled(const HostContestant::Spoil& spoil) {
    return rig_.Check(HostContestant(problem_, spoil));
  }

  // An element, off the edges, that no tile covers.
  Position Uncovered() const {
    std::set<std::pair<int64, int64>> covered;
    for (const Position& tile : SampledTiles(problem_, VerifierOptions{}.seed)) {
      for (std::int64_t i = 0; tile.item == 1 && i < kTileSlots; ++i)
        covered.emplace(tile.row + i / kReferenceTile, tile.col + i % kReferenceTile);
    }
    for (std::int64_t at = 0; at < problem_.m * problem_.n; ++at) {
      if (!covered.contains({at / problem_.n, at % problem_.n}))
        return {1, at / problem_.n, at % problem_.n};
    }
    return {};
  }

  GemmProblem problem_ = Problem();
  Rig rig_{problem_, {.trials = {kNormal, kIntegers}, .sampled = true}};
};

TEST_F(Sampled, ARightCandidatePasses) {
  const Verdict verdict = CheckSpoiled({});
  EXPECT_TRUE(verdict.ok()) << verdict.rule << verdict.detail;
  EXPECT_LT(verdict.error_ratio, 1);
  EXPECT_THAT(verdict.coverage, AllOf(HasSubstr("sampled: "), HasSubstr("checksums")));
}

TEST_F(Sampled, AWrongElementAtAnEdgeIsFound) {
  for (const Position& at : {Position{1, 639, 350}, {0, 320, 703}, {1, 0, 3}, {0, 63, 63}}) {
    const Verdict verdict =
        CheckSpoiled([&](const GemmParams&, const HostOutput& d) { d.Set(at, d.Get(at) + 8); });
    EXPECT_EQ(verdict.rule, "wrong_element");
    EXPECT_THAT(verdict.detail,
                HasSubstr("D[item " + std::to_string(at.item) + ", row " + std::to_string(at.row) +
                          ", column " + std::to_string(at.col) + "]"));
  }
}

TEST_F(Sampled, UnwrittenAndNanAreFoundAnywhere) {
  const Position at = Uncovered();
  ASSERT_GT(at.row, 0);
  const std::string where = "row " + std::to_string(at.row) + ", column " + std::to_string(at.col);
  Verdict verdict = CheckSpoiled(
      [&](const GemmParams&, const HostOutput& d) { d.SetBytes(at, std::byte{kFloatPoison}); });
  EXPECT_EQ(verdict.rule, "unwritten");
  EXPECT_THAT(verdict.detail, HasSubstr(where));
  verdict = CheckSpoiled([&](const GemmParams&, const HostOutput& d) {
    d.Set(at, std::numeric_limits<double>::quiet_NaN());
  });
  EXPECT_EQ(verdict.rule, "nan");
  EXPECT_THAT(verdict.detail, HasSubstr(where));
}

TEST_F(Sampled, AWrongElementOutsideTheSampleIsFoundByAChecksum) {
  const Position at = Uncovered();
  const Verdict verdict =
      CheckSpoiled([&](const GemmParams&, const HostOutput& d) { d.Set(at, d.Get(at) + 200); });
  EXPECT_EQ(verdict.rule, "checksum");
  EXPECT_THAT(verdict.detail, AllOf(HasSubstr("row " + std::to_string(at.row) + " of item 1"),
                                    HasSubstr("1 of 1280 rows, normal operands")));
  EXPECT_EQ(verdict.wrong_count, 1U);
  EXPECT_GT(verdict.error_ratio, 1);
}

// Sums without signs would not notice.
TEST(VerifyChecksums, SwappedTilesAreFound) {
  GemmProblem problem = Normalize(Product(640, 704, 64, kBf16)).value();
  FakeDevice device{FakeScript{}};
  device.SetProblem(problem);
  SupportKernels support = SupportKernels::Load(device, {}).value();
  const Trial trial = Trial::Make(device, support, problem, {}).value();
  Checksums::Scratch scratch = Checksums::Scratch::Make(device, problem).value();
  Checksums checksums = Checksums::Make(device, support, problem, scratch, trial).value();
  std::vector<std::byte> d(static_cast<std::size_t>(problem.m * problem.n * 2));
  const auto address = std::bit_cast<DeviceAddress>(d.data());
  const HostOutput output(problem, d.data());
  ASSERT_TRUE(HostContestant(problem).Launch(trial.Params(address, 0)).ok());
  EXPECT_TRUE(checksums.Check(trial, address).value().ok());
  for (std::int64_t i = 0; i < kTileSlots; ++i)
    output.Swap({0, 128 + i / 64, 64 + i % 64}, {0, 128 + i / 64, 256 + i % 64});
  const Verdict verdict = checksums.Check(trial, address).value();
  EXPECT_EQ(verdict.rule, "checksum");
  EXPECT_GT(verdict.wrong_count, 32U);
}

// Every layout, type and epilogue without activation: the two ways to sum agree.
TEST(VerifyChecksums, HoldForEveryTypeAndLayout) {
  for (const TypeSet& types : kTypeSets) {
    for (GemmProblem problem : VariantsOf(types)) {
      problem.epilogue.activation = "none";
      Rig rig(problem, {.trials = {kNormal, kIntegers}, .sampled = true});
      const Verdict verdict = rig.Check(HostContestant(problem));
      EXPECT_TRUE(verdict.ok()) << CanonicalText(problem) << verdict.rule << verdict.detail;
      const Position last{problem.batch - 1, problem.m - 1, problem.n - 1};
      const HostContestant off(problem, [&](const GemmParams&, const HostOutput& d) {
        // Away from where the type saturates.
        d.Set(last, d.Get(last) + (d.Get(last) > 0 ? -1000 : 1000));
      });
      EXPECT_EQ(rig.Check(off).rule, "wrong_element");
    }
  }
}

TEST(VerifyChecksums, IntegersMustAgreeExactly) {
  const GemmProblem problem =
      Normalize(Product(80, 90, 40, {DType::kS8, DType::kS32, DType::kS32})).value();
  EXPECT_EQ(ChecksumBound(BoundForNormal(problem), 1e9, 0, 90), 0);
}

TEST(VerifyChecksums, AnActivationLeavesTheSample) {
  GemmProblem problem = Product(64, 64, 8, kBf16);
  problem.epilogue.activation = "relu";
  problem = Normalize(problem).value();
  Rig rig(problem, {.sampled = true});
  const Verdict verdict = rig.Check(HostContestant(problem));
  EXPECT_TRUE(verdict.ok());
  EXPECT_THAT(verdict.coverage, testing::Not(HasSubstr("checksums")));
}

}  // namespace
}  // namespace tw
