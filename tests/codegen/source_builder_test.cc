// Candidate to self-contained source.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/source_builder.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/families/simt.h"
#include "codegen/problem_traits.h"
#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FlattenTest : public ::testing::Test {
 protected:
  FlattenTest() { std::filesystem::create_directories(dir_.path() / "tw"); }

  void Write(std::string_view name, std::string_view text) {
    std::ofstream(dir_.path() / name, std::ios::binary) << text;
  }

  Result<std::string> Flatten(std::string_view text) {
    return FlattenIncludes(text, TemplateStore(dir_.path()));
  }

 private:
  fakes::TempDir dir_;
};

TEST_F(FlattenTest, EachFileComesOnceBeforeItsFirstUse) {
  Write("tw/a.cuh", "#pragma once\n#include \"tw/b.cuh\"\nA\n");
  Write("tw/b.cuh", "B\n");
  EXPECT_EQ(Flatten("#include \"tw/a.cuh\"\n#include \"tw/b.cuh\"\nend\n").value(),
            "#line 1 \"tw/a.cuh\"\n"
            "\n"
            "#line 1 \"tw/b.cuh\"\n"
            "B\n"
            "#line 3 \"tw/a.cuh\"\n"
            "A\n"
            "#line 8 \"candidate.cu\"\n"
            "\n"
            "end\n");
}

TEST_F(FlattenTest, IncludeOutsideOfTheTemplatesIsRefusedByName) {
  Write("tw/a.cuh", "\n# include <cstdint>\n");
  auto text = Flatten("#include \"tw/a.cuh\"\n");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(text.status().message(), HasSubstr("tw/a.cuh:2"));
  EXPECT_THAT(text.status().message(), HasSubstr("<cstdint>"));
}

TEST_F(FlattenTest, MissingFileIsNamedWithItsPlace) {
  auto text = Flatten("\n#include \"tw/none.cuh\"\n");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(text.status().message(), HasSubstr("candidate.cu:2"));
  EXPECT_THAT(text.status().message(), HasSubstr("tw/none.cuh"));
}

TEST_F(FlattenTest, FilesThatIncludeEachOtherEnd) {
  Write("tw/a.cuh", "#include \"tw/b.cuh\"\nA\n");
  Write("tw/b.cuh", "#include \"tw/a.cuh\"\nB\n");
  EXPECT_TRUE(Flatten("#include \"tw/a.cuh\"\n").ok());
}

GemmProblem SmallProblem() {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 64;
  problem.epilogue.bias = BiasKind::kRow;
  problem.epilogue.activation = "relu";
  problem.beta = ScalarKind::kOther;
  problem.b.major = Major::kCol;
  return Normalize(problem).value();
}

std::vector<KernelConfig> LegalConfigs(const GemmProblem& problem, const DeviceSpec& device) {
  std::vector<KernelConfig> configs;
  kSimtFamily.enumerate(problem, device, [&](const KernelConfig& config) {
    if (kSimtFamily.plan(problem, device, config).resources)
      configs.push_back(config);
    return true;
  });
  return configs;
}

class BuildSourceTest : public ::testing::Test {
 protected:
  BuildSourceTest()
      : problem_(SmallProblem()),
        device_(ReferenceDevice("sm_90").value()),
        configs_(LegalConfigs(problem_, device_)) {}

  KernelSource Build(std::size_t i) {
    return BuildSource({kSimtFamily, problem_, device_, configs_.at(i)}, TemplateStore()).value();
  }

  GemmProblem problem_;
  DeviceSpec device_;
  std::vector<KernelConfig> configs_;
};

TEST_F(BuildSourceTest, TextIsCompleteInItself) {
  KernelSource source = Build(0);
  EXPECT_THAT(source.text, Not(HasSubstr("#include")));
  EXPECT_THAT(source.text, Not(HasSubstr("#pragma once")));
  EXPECT_THAT(source.text, HasSubstr("\n" + source.entry + "(const __grid_constant__"));
}

TEST_F(BuildSourceTest, ProvenanceStandsAtTheTop) {
  KernelSource source = Build(0);
  std::string head = source.text.substr(0, source.text.find("#line"));
  EXPECT_THAT(head, HasSubstr(CanonicalText(problem_)));
  EXPECT_THAT(head, HasSubstr(Text(configs_[0])));
  EXPECT_THAT(head, HasSubstr(TemplateStore().Digest().value()));
  EXPECT_THAT(head, HasSubstr("-arch=sm_90a"));
}

TEST_F(BuildSourceTest, SameInputSameTextOtherConfigOtherDigest) {
  EXPECT_EQ(Build(0).text, Build(0).text);
  EXPECT_EQ(Build(0).digest, Build(0).digest);
  EXPECT_NE(Build(0).digest, Build(1).digest);
}

TEST_F(BuildSourceTest, OptionsAreGivenOneEach) {
  KernelSource source = Build(0);
  ASSERT_EQ(source.options.size(), CompileOptions().size());
  for (const std::string& option : source.options)
    EXPECT_THAT(option, Not(HasSubstr(","))) << "NVRTC refuses lists";
}

TEST(ProblemTraits, SayWhatTheEpilogueReads) {
  std::string traits = EmitProblemTraits(SmallProblem());
  EXPECT_THAT(traits, HasSubstr("using A = float;"));
  EXPECT_THAT(traits, HasSubstr("using Activation = tw::Relu;"));
  EXPECT_THAT(traits, HasSubstr("kBRowMajor = false;"));
  EXPECT_THAT(traits, HasSubstr("kARowMajor = true;"));
  EXPECT_THAT(traits, HasSubstr("kAlpha = tw::Scalar::kOne;"));
  EXPECT_THAT(traits, HasSubstr("kBeta = tw::Scalar::kOther;"));
  EXPECT_THAT(traits, HasSubstr("kBias = tw::Bias::kRow;"));
}

}  // namespace
}  // namespace tw
