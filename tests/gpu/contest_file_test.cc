// SPDX-License-Identifier: Apache-2.0
#include "contest_file.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/core/device_spec.h"
#include "codegen/families/registry.h"
#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

Result<std::vector<ContestSection>> Read(const std::string& text) {
  const fakes::TempDir dir;
  const std::string path = dir / "file";
  std::ofstream(path) << text;
  return ReadContestFile(path);
}

TEST(ContestFile, ShapesAndTheirConfigurationsAreRead) {
  const auto sections = Read(
      "# two of them\nshape 64 32 16 3 bf16 nt\nmma_sync:tile_m=64\n\nsimt:tile_m=16\n"
      "shape 1 2 3 1 f64 tn\n");
  ASSERT_TRUE(sections.ok()) << sections.status().ToString();
  ASSERT_EQ(sections->size(), 2U);
  const GemmProblem& problem = sections->front().problem;
  EXPECT_EQ(problem.m, 64);
  EXPECT_EQ(problem.n, 32);
  EXPECT_EQ(problem.k, 16);
  EXPECT_EQ(problem.batch, 3);
  EXPECT_EQ(problem.a.major, Major::kRow);
  EXPECT_EQ(problem.b.major, Major::kCol);
  ASSERT_EQ(sections->front().entrants.size(), 2U);
  EXPECT_EQ(sections->front().entrants[1].what, "simt:tile_m=16");
  EXPECT_EQ(sections->front().entrants[1].config.Get("tile_m"), 16);
  EXPECT_TRUE(sections->back().entrants.empty());
}

TEST(ContestFile, WhatIsNeitherIsRefused) {
  for (const char* text :
       {"shape 1 2 3 1 bf17 nt\n", "shape 1 2 3 bf16 nt\n", "shape 1 2 3 1 bf16 n\n",
        "simt:tile_m=16\n", "shape 1 2 3 1 bf16 nt\nno configuration\n"})
    EXPECT_EQ(Read(text).status().code(), StatusCode::kInvalidArgument) << text;
  EXPECT_EQ(ReadContestFile("/no/such/file").status().code(), StatusCode::kNotFound);
}

// A knob that is added to a family must be added there.
TEST(ContestFile, ShippedConfigurationsAreLegal) {
  const DeviceSpec device = *ReferenceDevice("sm_90a");
  for (const char* name : {"slowest.txt", "counted.txt"}) {
    const auto sections = ReadContestFile(std::string(TW_SOURCE_DIR) + "/bench/shapes/" + name);
    ASSERT_TRUE(sections.ok()) << sections.status().ToString();
    EXPECT_FALSE(sections->empty()) << name;
    for (const ContestSection& section : *sections) {
      for (const Entrant& entrant : section.entrants) {
        const KernelFamily* family = FindFamily(entrant.config.family);
        ASSERT_NE(family, nullptr) << entrant.what;
        const PlanResult plan = family->plan(section.problem, device, entrant.config);
        EXPECT_TRUE(plan.resources.has_value()) << entrant.what << ": " << plan.rejection.rule;
      }
    }
  }
}

struct TypeCase {
  const char* type;
  DType sum, output;
};

class ShapeLineTypes : public testing::TestWithParam<TypeCase> {};

TEST_P(ShapeLineTypes, FollowFromTheOperands) {
  const TypeCase& c = GetParam();
  const auto problem = ParseShapeLine(std::string("shape 8 8 8 1 ") + c.type + " nt");
  ASSERT_TRUE(problem.ok()) << problem.status().ToString();
  EXPECT_EQ(problem->acc, c.sum);
  EXPECT_EQ(problem->c.type, c.output);
  EXPECT_EQ(problem->d.type, c.output);
}

INSTANTIATE_TEST_SUITE_P(All,
                         ShapeLineTypes,
                         testing::Values(TypeCase{"f64", DType::kF64, DType::kF64},
                                         TypeCase{"f32", DType::kF32, DType::kF32},
                                         TypeCase{"tf32", DType::kF32, DType::kF32},
                                         TypeCase{"f16", DType::kF32, DType::kF16},
                                         TypeCase{"e5m2", DType::kF32, DType::kBf16},
                                         TypeCase{"s8", DType::kS32, DType::kS32}),
                         [](const auto& test) { return std::string(test.param.type); });

}  // namespace
}  // namespace tw
