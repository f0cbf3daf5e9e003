// SPDX-License-Identifier: Apache-2.0
#include "client/cli/problem_flags.h"

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <gtest/gtest.h>

#include "client/cli/tune_flags.h"

namespace tw::cli {
namespace {

Result<v1::Key> KeyOf(std::vector<std::string> arguments) {
  CLI::App app("test");
  ProblemFlags flags;
  AddProblemFlags(app, flags);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(std::move(arguments));
  return BuildKey(flags);
}

Result<v1::Key> KeyWith(std::vector<std::string> extra) {
  std::vector<std::string> arguments{"-m", "4", "-n", "5", "-k", "6"};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  return KeyOf(std::move(arguments));
}

TEST(ProblemFlags, LeaveUnsetWhatWasNotGiven) {
  const auto key = KeyWith({});
  ASSERT_TRUE(key.ok()) << key.status().message();
  const v1::GemmProblem& p = key->problem();
  EXPECT_EQ(p.m(), 4);
  EXPECT_EQ(p.n(), 5);
  EXPECT_EQ(p.k(), 6);
  EXPECT_FALSE(p.has_batch());
  EXPECT_EQ(p.a().type(), v1::DATA_TYPE_BF16);
  EXPECT_EQ(p.b().type(), v1::DATA_TYPE_BF16);
  EXPECT_EQ(p.d().type(), v1::DATA_TYPE_UNSPECIFIED);
  EXPECT_EQ(p.a().major(), v1::MATRIX_MAJOR_ROW);
  EXPECT_EQ(p.b().major(), v1::MATRIX_MAJOR_ROW);
  EXPECT_FALSE(p.a().has_leading_dimension());
  EXPECT_FALSE(p.a().has_batch_stride());
  EXPECT_FALSE(p.a().has_align_bytes());
  EXPECT_EQ(p.beta(), v1::SCALAR_KIND_UNSPECIFIED);
  EXPECT_TRUE(key->contract().deterministic());
  EXPECT_FALSE(key->contract().batch_invariant());
  EXPECT_TRUE(key->arch().empty());
}

TEST(ProblemFlags, CarryEveryFieldOfTheProblem) {
  const auto key =
      KeyWith({"--batch",    "3",        "--dtype",          "e4m3", "--dtype-b", "e5m2",
               "--acc",      "f32",      "--out-dtype",      "f16",  "--layout",  "tn",
               "--layout-c", "col",      "--layout-d",       "col",  "--alpha",   "0.5",
               "--beta",     "1",        "--bias",           "row",  "--act",     "silu",
               "--scale",    "block128", "--fp8-accumulate", "fast"});
  ASSERT_TRUE(key.ok()) << key.status().message();
  const v1::GemmProblem& p = key->problem();
  EXPECT_EQ(p.batch(), 3);
  EXPECT_EQ(p.a().type(), v1::DATA_TYPE_E4M3);
  EXPECT_EQ(p.b().type(), v1::DATA_TYPE_E5M2);
  EXPECT_EQ(p.accumulate(), v1::DATA_TYPE_F32);
  EXPECT_EQ(p.c().type(), v1::DATA_TYPE_F16);
  EXPECT_EQ(p.d().type(), v1::DATA_TYPE_F16);
  EXPECT_EQ(p.a().major(), v1::MATRIX_MAJOR_COLUMN);
  EXPECT_EQ(p.b().major(), v1::MATRIX_MAJOR_ROW);
  EXPECT_EQ(p.c().major(), v1::MATRIX_MAJOR_COLUMN);
  EXPECT_EQ(p.d().major(), v1::MATRIX_MAJOR_COLUMN);
  EXPECT_EQ(p.alpha(), v1::SCALAR_KIND_OTHER);
  EXPECT_EQ(p.beta(), v1::SCALAR_KIND_ONE);
  EXPECT_EQ(p.bias(), v1::BIAS_ROW);
  EXPECT_EQ(p.activation(), "silu");
  EXPECT_EQ(p.scale(), v1::SCALE_BLOCK128);
  EXPECT_TRUE(p.fp8_fast_accumulate());
}

TEST(ProblemFlags, CarryLeadingDimensionsStridesAndAlignments) {
  const struct {
    std::string letter;
    const v1::Operand& (v1::GemmProblem::*operand)() const;
  } rows[] = {{"a", &v1::GemmProblem::a},
              {"b", &v1::GemmProblem::b},
              {"c", &v1::GemmProblem::c},
              {"d", &v1::GemmProblem::d}};

  for (const auto& row : rows) {
    const auto key = KeyWith(
        {"--ld" + row.letter, "65", "--stride-" + row.letter, "0", "--align-" + row.letter, "2"});
    ASSERT_TRUE(key.ok()) << row.letter;
    for (const auto& other : rows) {
      const v1::Operand& operand = (key->problem().*other.operand)();
      const bool named = other.letter == row.letter;
      EXPECT_EQ(operand.has_leading_dimension(), named) << row.letter << other.letter;
      EXPECT_EQ(operand.has_batch_stride(), named) << row.letter << other.letter;
      EXPECT_EQ(operand.has_align_bytes(), named) << row.letter << other.letter;
      EXPECT_EQ(operand.leading_dimension(), named ? 65 : 0);
      EXPECT_EQ(operand.align_bytes(), named ? 2 : 0);
    }
  }
}

TEST(ProblemFlags, CarryTargetAndContract) {
  const auto key = KeyWith(
      {"--arch", "sm_80", "--device", "GPU-1", "--objective", "warm", "--nondeterministic"});
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->arch(), "sm_80");
  EXPECT_EQ(key->device_uuid(), "GPU-1");
  EXPECT_EQ(key->objective(), v1::OBJECTIVE_WARM);
  EXPECT_FALSE(key->contract().deterministic());
  EXPECT_TRUE(KeyWith({"--batch-invariant"})->contract().batch_invariant());
}

TEST(ProblemFlags, LayoutLettersAreStorage) {
  const struct {
    const char* text;
    v1::MatrixMajor a, b;
  } rows[] = {{"nn", v1::MATRIX_MAJOR_ROW, v1::MATRIX_MAJOR_ROW},
              {"nt", v1::MATRIX_MAJOR_ROW, v1::MATRIX_MAJOR_COLUMN},
              {"tn", v1::MATRIX_MAJOR_COLUMN, v1::MATRIX_MAJOR_ROW},
              {"tt", v1::MATRIX_MAJOR_COLUMN, v1::MATRIX_MAJOR_COLUMN}};

  for (const auto& row : rows) {
    const auto key = KeyWith({"--layout", row.text});
    ASSERT_TRUE(key.ok()) << row.text;
    EXPECT_EQ(key->problem().a().major(), row.a) << row.text;
    EXPECT_EQ(key->problem().b().major(), row.b) << row.text;
  }
}

TEST(ProblemFlags, ScalarsBecomeKinds) {
  EXPECT_EQ(KeyWith({"--alpha", "0"})->problem().alpha(), v1::SCALAR_KIND_ZERO);
  EXPECT_EQ(KeyWith({"--alpha", "-0.0"})->problem().alpha(), v1::SCALAR_KIND_ZERO);
  EXPECT_EQ(KeyWith({"--alpha", "1.0"})->problem().alpha(), v1::SCALAR_KIND_ONE);
  EXPECT_EQ(KeyWith({"--beta", "-1"})->problem().beta(), v1::SCALAR_KIND_OTHER);
}

TEST(ProblemFlags, EveryKnownTypeIsAccepted) {
  for (const char* type : {"f64", "f32", "tf32", "f16", "bf16", "e4m3", "e5m2", "s8"}) {
    const auto key = KeyWith({"--dtype", type});
    ASSERT_TRUE(key.ok()) << type;
    EXPECT_EQ(Name(key->problem().a().type()), type);
  }
}

TEST(ProblemFlags, ErrorsNameFieldValueAndTheKnownWords) {
  const struct {
    std::vector<std::string> arguments;
    std::string message;
  } rows[] = {
      {{"--dtype", "fp16"},
       "dtype = fp16: must be one of f64, f32, tf32, f16, bf16, e4m3, e5m2, s8, s32"},
      {{"--layout", "rc"}, "layout = rc: must be one of nn, nt, tn, tt"},
      {{"--layout-d", "n"}, "layout_d = n: must be one of row, col"},
      {{"--act", "gelu"}, "act = gelu: must be one of none, relu, gelu_erf, gelu_tanh, silu"},
      {{"--bias", "yes"}, "bias = yes: must be one of none, col, row"},
      {{"--scale", "x"}, "scale = x: must be one of none, tensor, row-col, block128"},
      {{"--objective", "hot"}, "objective = hot: must be one of cold, warm, graph, pdl"},
      {{"--fp8-accumulate", "x"}, "fp8_accumulate = x: must be one of precise, fast"},
      {{"--lda", "6.5"}, "lda = 6.5: must be a whole number"},
      {{"--stride-b", "x"}, "stride_b = x: must be a whole number"},
      {{"--align-c", "x"}, "align_c = x: must be a whole number"},
      {{"--batch", "9223372036854775808"},
       "batch = 9223372036854775808: must fit a signed 64-bit integer"},
      {{"--alpha", "one"}, "alpha = one: must be a finite number"},
  };

  for (const auto& row : rows) {
    const auto key = KeyWith(row.arguments);
    ASSERT_FALSE(key.ok()) << row.message;
    EXPECT_EQ(key.status().code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(key.status().message(), row.message);
  }
}

TEST(ProblemFlags, NegativeSizesReachTheDaemon) {
  const auto key = KeyOf({"-m", "-1", "-n", "5", "-k", "6"});
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->problem().m(), -1);
}

TEST(ProblemFlags, SizesAreRequired) {
  EXPECT_THROW((void)KeyOf({"-m", "1", "-n", "1"}), CLI::RequiredError);
}

TEST(ProblemFlags, ContractsExcludeEachOther) {
  EXPECT_THROW((void)KeyWith({"--nondeterministic", "--batch-invariant"}), CLI::ExcludesError);
}

Result<v1::StartTuneRequest> TuneOf(std::vector<std::string> arguments) {
  CLI::App app("test");
  TuneFlags flags;
  AddTuneFlags(app, flags);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(std::move(arguments));
  return BuildStartTune(flags);
}

TEST(TuneFlags, LeaveTheDefaultsToTheDaemon) {
  const auto request = TuneOf({});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->budget_s(), 0);
  EXPECT_EQ(request->max_candidates(), 0);
  EXPECT_EQ(request->seed(), 0U);
  EXPECT_EQ(request->policy(), v1::TUNE_POLICY_REUSE);
  EXPECT_FALSE(request->require_measured());
  EXPECT_EQ(request->baseline(), v1::BASELINE_UNSPECIFIED);
  EXPECT_EQ(request->regime(), v1::REGIME_UNSPECIFIED);
}

TEST(TuneFlags, CarryEveryFlag) {
  const auto request = TuneOf({"--budget", "2m", "--max-candidates", "7", "--seed", "42",
                               "--family", "simt", "--require-measured", "--retune"});
  ASSERT_TRUE(request.ok());
  EXPECT_DOUBLE_EQ(request->budget_s(), 120);
  EXPECT_EQ(request->max_candidates(), 7);
  EXPECT_EQ(request->seed(), 42U);
  EXPECT_EQ(request->family(), "simt");
  EXPECT_EQ(request->policy(), v1::TUNE_POLICY_RETUNE);
  EXPECT_TRUE(request->require_measured());
}

TEST(TuneFlags, AComparisonLeavesThePolicy) {
  const auto request = TuneOf({"--baseline", "cublaslt", "--regime", "alone"});
  ASSERT_TRUE(request.ok()) << request.status().message();
  EXPECT_EQ(request->baseline(), v1::BASELINE_CUBLASLT);
  EXPECT_EQ(request->regime(), v1::REGIME_ALONE);
  EXPECT_EQ(request->policy(), v1::TUNE_POLICY_REUSE);
}

TEST(TuneFlags, RefuseUnknownLibrariesAndRegimes) {
  EXPECT_EQ(TuneOf({"--baseline", "mkl"}).status().message(),
            "baseline = mkl: must be one of none, cublaslt");
  EXPECT_EQ(TuneOf({"--baseline", "cublaslt", "--regime", "warm"}).status().message(),
            "regime = warm: must be one of hot, cool, alone");
  EXPECT_EQ(TuneOf({"--regime", "hot"}).status().message(),
            "regime = hot: needs --baseline cublaslt");
}

TEST(TuneFlags, RefuseWhatIsNoNumber) {
  EXPECT_FALSE(TuneOf({"--budget", "soon"}).ok());
  EXPECT_FALSE(TuneOf({"--max-candidates", "0"}).ok());
  EXPECT_FALSE(TuneOf({"--seed", "-1"}).ok());
}

}  // namespace
}  // namespace tw::cli
