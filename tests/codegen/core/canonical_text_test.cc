// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/core/gemm_problem.h"
#include "codegen/core/outcome.h"
#include "codegen/core/problem_names.h"
#include "tests/codegen/core/random_problem.h"

namespace tw {
namespace {

using testing::Random;
using testing::RandomProblem;

GemmProblem Valid() {
  GemmProblem p{.m = 10, .n = 20, .k = 30, .batch = 3};
  for (Operand* op : {&p.a, &p.b, &p.c, &p.d})
    op->type = DType::kBf16;
  p.beta = ScalarKind::kOther;
  return Normalize(p).value();
}

constexpr std::string_view kText =
    "gemm1 m=10 n=20 k=30 batch=3 a=bf16,row,ld=packed,bs=packed,al=16 "
    "b=bf16,row,ld=packed,bs=packed,al=16 c=bf16,row,ld=packed,bs=packed,al=16 "
    "d=bf16,row,ld=packed,bs=packed,al=16 acc=f32 alpha=1 beta=other bias=none act=none "
    "scale=none fp8fast=0";

TEST(CanonicalText, KnownText) {
  EXPECT_EQ(CanonicalText(Valid()), kText);
}

TEST(CanonicalText, ExactNumbersWhereNotPacked) {
  GemmProblem p = Valid();
  p.a.ld = 32;
  p.b.major = Major::kCol;
  p.b.ld = 30;
  p.b.batch_stride = 0;
  p.d.align_bytes = 64;
  const std::string text = CanonicalText(Normalize(p).value());
  EXPECT_NE(text.find(" a=bf16,row,ld=32,bs=300,al=16 "), std::string::npos) << text;
  EXPECT_NE(text.find(" b=bf16,col,ld=packed,bs=0,al=16 "), std::string::npos) << text;
  EXPECT_NE(text.find(" d=bf16,row,ld=packed,bs=packed,al=64 "), std::string::npos) << text;
}

TEST(CanonicalText, RoundTripsAndSeparatesRandomProblems) {
  Random random(11);
  std::map<std::string, GemmProblem> seen;
  for (int i = 0; i < 5000; ++i) {
    const GemmProblem p = Normalize(RandomProblem(random)).value();
    const std::string text = CanonicalText(p);
    const Result<GemmProblem> parsed = ParseCanonicalText(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
    ASSERT_EQ(*parsed, p) << text;
    const auto [it, is_new] = seen.emplace(text, p);
    ASSERT_EQ(it->second, p) << "equal texts of different problems: " << text;
  }
  EXPECT_GT(seen.size(), 4000U);
}

using Change = std::function<void(GemmProblem&)>;

// One change to each field of GemmProblem, Operand and Epilogue.
std::vector<Change> EveryFieldChanged() {
  std::vector<Change> changes = {
      [](auto& p) { p.m += 1; },
      [](auto& p) { p.n += 1; },
      [](auto& p) { p.k += 1; },
      [](auto& p) { p.batch += 1; },
      [](auto& p) { p.acc = DType::kF64; },
      [](auto& p) { p.alpha = ScalarKind::kOther; },
      [](auto& p) { p.alpha = ScalarKind::kZero; },
      [](auto& p) { p.beta = ScalarKind::kOne; },
      [](auto& p) { p.beta = ScalarKind::kZero; },
      [](auto& p) { p.epilogue.bias = BiasKind::kCol; },
      [](auto& p) { p.epilogue.bias = BiasKind::kRow; },
      [](auto& p) { p.epilogue.activation = "relu"; },
      [](auto& p) { p.epilogue.scale = ScaleKind::kTensor; },
      [](auto& p) { p.epilogue.scale = ScaleKind::kRowCol; },
      [](auto& p) { p.epilogue.scale = ScaleKind::kBlock128; },
      [](auto& p) { p.fp8_fast_accumulate = true; },
  };
  for (Operand GemmProblem::*op :
       {&GemmProblem::a, &GemmProblem::b, &GemmProblem::c, &GemmProblem::d}) {
    changes.emplace_back([op](auto& p) { (p.*op).type = DType::kF16; });
    changes.emplace_back([op](auto& p) { (p.*op).major = Major::kCol; });
    changes.emplace_back([op](auto& p) { (p.*op).ld = 99; });
    changes.emplace_back([op](auto& p) { (p.*op).batch_stride = 12345; });
    changes.emplace_back([op](auto& p) { (p.*op).batch_stride = 0; });
    changes.emplace_back([op](auto& p) { (p.*op).align_bytes = 32; });
  }
  return changes;
}

TEST(CanonicalText, EveryFieldChangesTheKey) {
  const auto key_text = [](const GemmProblem& p) {
    return Text(ResultKey{CanonicalText(p), "sm_90a/132sm/144gb", "det", "cold"});
  };
  std::set<std::string> texts = {key_text(Valid())};
  for (const Change& change : EveryFieldChanged()) {
    GemmProblem p = Valid();
    change(p);
    EXPECT_TRUE(texts.insert(key_text(p)).second) << CanonicalText(p);
  }
}

TEST(ParseCanonicalText, ReadsTheKnownText) {
  const Result<GemmProblem> parsed = ParseCanonicalText(kText);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  EXPECT_EQ(*parsed, Valid());
}

std::string Replaced(const std::string& from, const std::string& to) {
  std::string text(kText);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ParseCanonicalText, RejectsEverythingElse) {
  const std::vector<std::string> texts = {
      "",
      "gemm1",
      Replaced("gemm1", "gemm2"),
      Replaced("gemm1 ", " gemm1 "),
      Replaced("m=10", "m=010"),
      Replaced("m=10", "m=+10"),
      Replaced("m=10", "m=-10"),
      Replaced("m=10", "m=1e1"),
      Replaced("m=10", "m=10x"),
      Replaced("m=10", "m="),
      Replaced("m=10", "m=99999999999999999999"),
      Replaced("m=10 n=20", "n=20 m=10"),
      Replaced("m=10 ", ""),
      Replaced("m=10 ", "m=10 m=10 "),
      Replaced("m=10 ", "m=10  "),
      Replaced("batch=3", "batch=packed"),
      Replaced("a=bf16", "a=bfloat16"),
      Replaced("a=bf16,row", "a=bf16,diagonal"),
      Replaced("a=bf16,row,", "a=bf16,"),
      Replaced("ld=packed", "ld=30"),  // packed has one spelling
      Replaced("bs=packed", "bs=300"),
      Replaced("ld=packed", "ld=29"),
      Replaced("al=16", "al=3"),
      Replaced("al=16", "al=16,x=1"),
      Replaced("acc=f32", "acc=f64"),
      Replaced("alpha=1", "alpha=2"),
      Replaced("beta=other", "beta=Other"),
      Replaced("bias=none", "bias="),
      Replaced("act=none", "act=swish"),
      Replaced("act=none", "act=swish"),
      Replaced("scale=none", "scale=some"),
      Replaced("fp8fast=0", "fp8fast=1"),  // only fp8 has it
      Replaced("fp8fast=0", "fp8fast=2"),
      Replaced("fp8fast=0", "fp8fast=0 "),
      Replaced("fp8fast=0", "fp8fast=0 more=1"),
      Replaced(" fp8fast=0", ""),
      Replaced(" fp8fast=0", "\nfp8fast=0"),
  };
  for (const std::string& text : texts) {
    const Result<GemmProblem> parsed = ParseCanonicalText(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.status().code(), StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(parsed.status().field(), "problem") << text;
  }
}

void ExpectRefusedOrAnother(const std::string& damaged) {
  const Result<GemmProblem> parsed = ParseCanonicalText(damaged);
  EXPECT_TRUE(!parsed.ok() || CanonicalText(*parsed) == damaged) << damaged;
}

// Every prefix is refused; every change of a character is, or gives another problem's text.
TEST(ParseCanonicalText, NeverReadsADamagedTextAsTheSameProblem) {
  constexpr std::string_view kReplacements("0917 =,-xp\0", 11);
  const std::string text(kText);
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(ParseCanonicalText(text.substr(0, i)).ok()) << i;
    for (const char c : kReplacements) {
      std::string damaged = text;
      damaged[i] = c;
      ExpectRefusedOrAnother(damaged);
    }
  }
}

TEST(ProblemNames, ParseIsTheInverseOfName) {
  EXPECT_EQ(ParseEnum<Major>("col"), Major::kCol);
  EXPECT_EQ(ParseEnum<ScalarKind>("other"), ScalarKind::kOther);
  EXPECT_EQ(ParseEnum<BiasKind>("row"), BiasKind::kRow);
  EXPECT_EQ(ParseEnum<ScaleKind>("block128"), ScaleKind::kBlock128);
  EXPECT_EQ(ParseEnum<Objective>("warm"), Objective::kWarm);
  EXPECT_FALSE(ParseEnum<ScaleKind>("block"));
  EXPECT_EQ(EnumName(ScaleKind::kRowCol), "row-col");
  EXPECT_EQ(EnumName(BiasKind::kCol), "col");
}

}  // namespace
}  // namespace tw
