// Every planted fault still finds its line, and what it makes compiles. No GPU needed; whether the
// verifier catches them is tests/gpu/mutants_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/core/device_spec.h"
#include "tests/mutants/mutants.h"

namespace tw {
namespace {

class MutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(MutantTest, ChangesASourceThatCompiles) {
  const Mutant& mutant = GetParam();
  const DeviceSpec device = ReferenceDevice("sm_90a").value();
  const GemmProblem problem = mutant.problem();
  std::mt19937_64 rng(1);
  const Candidate candidate = DrawCarrier(mutant, problem, device, rng);
  const TemplateStore healthy;
  const auto broken = Plant(mutant, healthy);
  ASSERT_TRUE(broken.ok()) << broken.status().ToString();
  const KernelSource before = SourceFrom(healthy, problem, device, candidate.config).value();
  const KernelSource after = SourceFrom(*broken, problem, device, candidate.config).value();
  EXPECT_NE(before.text, after.text);

  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  ASSERT_TRUE(api.ok()) << api.status().ToString();
  NvrtcCompiler compiler(*std::move(api));
  const auto kernel = compiler.Compile(after, {});
  EXPECT_TRUE(kernel.ok()) << kernel.status().ToString();
}

INSTANTIATE_TEST_SUITE_P(All,
                         MutantTest,
                         testing::ValuesIn(AllMutants().begin(), AllMutants().end()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Mutants, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Mutant& mutant : AllMutants())
    EXPECT_TRUE(names.insert(mutant.name).second) << mutant.name;
}

}  // namespace
}  // namespace tw
