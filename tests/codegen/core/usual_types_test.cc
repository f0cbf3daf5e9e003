// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/usual_types.h"

#include <gtest/gtest.h>

#include "codegen/core/gemm_problem.h"

namespace tw {
namespace {

constexpr DType kInputs[] = {DType::kF64,  DType::kF32,  DType::kTf32, DType::kF16,
                             DType::kBf16, DType::kE4m3, DType::kE5m2, DType::kS8};

TEST(UsualTypes, MakeALegalProductOfEveryInput) {
  for (const DType input : kInputs) {
    const UsualTypes usual = UsualTypesOf(input);
    GemmProblem p{.m = 16, .n = 16, .k = 16};
    p.a.type = p.b.type = input;
    p.acc = usual.accumulate;
    p.c.type = p.d.type = usual.output;
    EXPECT_TRUE(Normalize(p).ok()) << Name(input) << ": " << Normalize(p).status().ToString();
  }
}

TEST(UsualTypes, AreWhatTheContractSays) {
  EXPECT_EQ(UsualTypesOf(DType::kTf32).output, DType::kF32);
  EXPECT_EQ(UsualTypesOf(DType::kF16).output, DType::kF16);
  EXPECT_EQ(UsualTypesOf(DType::kE5m2).output, DType::kBf16);
  EXPECT_EQ(UsualTypesOf(DType::kS8).accumulate, DType::kS32);
}

}  // namespace
}  // namespace tw
