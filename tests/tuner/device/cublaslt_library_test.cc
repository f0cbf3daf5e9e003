// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cublaslt_library.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_cublaslt.h"
#include "tests/tuner/measure/problems.h"
#include "tuner/device/host_elements.h"

namespace tw {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kLimit = 64 << 20;

int Anything() {
  return 0;
}

GemmProblem Biased() {
  GemmProblem problem = Product(8, 24, 16, {DType::kBf16, DType::kBf16, DType::kF32});
  problem.epilogue = {BiasKind::kCol, "relu", ScaleKind::kNone};
  problem.a.align_bytes = 8;
  problem.b.align_bytes = 64;
  problem.batch = 3;
  problem.alpha = ScalarKind::kOther;
  return Normalize(problem).value();
}

const void* At(std::uint64_t address) {
  return std::bit_cast<const void*>(address);
}

TEST(CublasLtApi, NamesAMissingSymbol) {
  const auto api = BindCublasLt([](const char* symbol) {
    return std::string(symbol) == "cublasLtMatmul" ? nullptr : reinterpret_cast<void*>(&Anything);
  });
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(api.status().message(), HasSubstr("cublasLtMatmul"));
}

TEST(CublasLtApi, NamesWhereItLooked) {
  const auto api = LoadCublasLt({.file = "/no/such/libcublasLt.so", .directories = {}});
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(api.status().message(), HasSubstr("/no/such/libcublasLt.so"));
}

TEST(CublasLtApi, StatusesKeepTheirMeaning) {
  EXPECT_TRUE(CublasStatus("x", kCublasSuccess).ok());
  EXPECT_EQ(CublasStatus("x", kCublasNotSupported).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(CublasStatus("x", kCublasAllocFailed).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(CublasStatus("x", kCublasExecutionFailed).message(),
            "x: cuBLAS status 13 (execution failed)");
}

// The installed library, which needs no device for this.
TEST(CublasLtApi, TheInstalledLibraryTellsItsVersion) {
  const std::string directory = "/usr/local/cuda/lib64";
  if (!std::filesystem::exists(directory + "/libcublasLt.so.13"))
    GTEST_SKIP() << "no toolkit";
  const auto api = LoadCublasLt({.file = "", .directories = {directory}});
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  EXPECT_THAT(CublasLtVersion(*api).value(), testing::StartsWith("cublaslt 1"));
}

TEST(CublasLtLibrary, AsksForAlgorithmsThatSuitThePromises) {
  FakeCublasLt fake;
  CublasLtHeuristic good{};
  good.algo.data[0] = 100;
  good.workspace_bytes = 4096;
  CublasLtHeuristic bad = good;
  bad.state = kCublasNotSupported;
  fake.heuristics = {good, bad, good};
  const CublasLtApi api = fake.Table();
  const auto library = OpenCublasLt(api, nullptr, Biased()).value();
  EXPECT_EQ(library->Version(), "cublaslt 13.1.0");
  const auto algorithms = library->Algorithms(kLimit).value();
  ASSERT_EQ(algorithms.size(), 2U);
  EXPECT_EQ(algorithms[1].index, 2);
  EXPECT_EQ(algorithms[0].workspace_bytes, 4096);
  EXPECT_EQ(algorithms[0].description,
            "id 100 tile 101 stages 106 split-k 102 reduction 103 swizzle 104 custom 105 inner 107 "
            "cluster 108");
  EXPECT_EQ(fake.preference[kCublasLtMaxWorkspaceBytes], std::uint64_t{kLimit});
  EXPECT_EQ(fake.preference[kCublasLtMinAlignmentA], 64U);  // D by rows: the first is our B
  EXPECT_EQ(fake.preference[kCublasLtMinAlignmentB], 8U);
  // Only whole elements are promised of a bias.
  EXPECT_EQ(fake.bias_at_heuristic % 4, 2U);
  EXPECT_EQ(fake.operation[kCublasLtEpilogue], kCublasLtEpilogueRelu | kCublasLtEpilogueBias);
  EXPECT_EQ(fake.operation[kCublasLtBiasDataType], 14U);
  EXPECT_EQ(fake.calls["preference_destroy"], 1);
}

TEST(CublasLtLibrary, PassesThePointersOfEveryCall) {
  FakeCublasLt fake;
  fake.heuristics.resize(1);
  fake.heuristics[0].algo.data[0] = 7;
  fake.heuristics[0].workspace_bytes = 512;
  const CublasLtApi api = fake.Table();
  const auto library = OpenCublasLt(api, nullptr, Biased()).value();
  const auto algorithms = library->Algorithms(kLimit).value();
  GemmParams params{};
  params.a = At(0x1000);
  params.b = At(0x2000);
  params.c = At(0x3000);
  params.bias = At(0x4000);
  params.alpha = 1.25;
  for (const std::uint64_t d : {0x5000U, 0x6000U}) {
    params.d = std::bit_cast<void*>(d);
    ASSERT_TRUE(library->Enqueue(algorithms[0], params).ok());
    const FakeCublasLt::Call& call = fake.matmuls.back();
    EXPECT_EQ(call.a, At(0x2000));
    EXPECT_EQ(call.b, At(0x1000));
    EXPECT_EQ(call.c, At(d)) << "beta is 0: C is not to be touched";
    EXPECT_EQ(call.d, At(d));
    EXPECT_EQ(call.bias, 0x4000U);
    EXPECT_EQ(call.algo, 7U);
    EXPECT_EQ(call.workspace_bytes, 512U);
    EXPECT_EQ(LoadElement(DType::kF32, call.alpha.data()), 1.25);
  }
}

TEST(CublasLtLibrary, WhatItDoesNotComputeIsUnimplemented) {
  for (const int code : {kCublasNotSupported, kCublasInvalidValue}) {
    FakeCublasLt fake;
    fake.results["heuristic"] = code;
    const CublasLtApi api = fake.Table();
    const auto library = OpenCublasLt(api, nullptr, Biased()).value();
    EXPECT_EQ(library->Algorithms(kLimit).status().code(), StatusCode::kUnimplemented);
    EXPECT_EQ(fake.calls["preference_destroy"], 1);
  }
}

TEST(CublasLtLibrary, DestroysWhatItMadeHoweverFarItCame) {
  for (const char* failing : {"", "create", "layout_create", "operation_create", "operation_set"}) {
    FakeCublasLt fake;
    fake.results[failing] = kCublasInternalError;
    const CublasLtApi api = fake.Table();
    const bool opened = OpenCublasLt(api, nullptr, Biased()).ok();
    EXPECT_EQ(opened, *failing == '\0') << failing;
    const auto made = [&](const std::string& name) {
      return failing == name ? fake.calls[name] - 1 : fake.calls[name];
    };
    EXPECT_EQ(fake.calls["destroy"], made("create")) << failing;
    EXPECT_EQ(fake.calls["layout_destroy"], made("layout_create")) << failing;
    EXPECT_EQ(fake.calls["operation_destroy"], made("operation_create")) << failing;
  }
}

TEST(CublasLtLibrary, ARefusedProductSaysWhy) {
  FakeCublasLt fake;
  fake.results["matmul"] = kCublasExecutionFailed;
  const CublasLtApi api = fake.Table();
  const auto library = OpenCublasLt(api, nullptr, Biased()).value();
  EXPECT_EQ(library->Enqueue({}, {}).message(),
            "cublasLtMatmul: cuBLAS status 13 (execution failed)");
}

}  // namespace
}  // namespace tw
