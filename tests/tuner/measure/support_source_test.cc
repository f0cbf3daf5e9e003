// The judging kernels compile for every problem type and architecture.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/support_source.h"

#include <iostream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "problems.h"

namespace tw {
namespace {

TEST(SupportSource, IsSelfContainedAndNamesTheProblem) {
  const GemmProblem problem = VariantsOf(kTypeSets[3]).front();
  const KernelSource source =
      BuildSupportSource(problem, *ReferenceDevice("sm_90a"), TemplateStore()).value();
  EXPECT_THAT(source.text, testing::Not(testing::HasSubstr("#include")));
  EXPECT_THAT(source.text, testing::HasSubstr(CanonicalText(problem)));
  EXPECT_EQ(source.arch, "sm_90a");
  EXPECT_EQ(source.digest.size(), 64U);
}

TEST(SupportSource, CompilesForEveryTypeAndGeneration) {
  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  if (!api.ok())
    GTEST_SKIP() << api.status().ToString();
  NvrtcCompiler compiler(*api);
  // Every type on one architecture, then one type on the others.
  for (const TypeSet& types : kTypeSets) {
    const GemmProblem problem = VariantsOf(types)[1];
    const auto source = BuildSupportSource(problem, *ReferenceDevice("sm_90a"), TemplateStore());
    const auto compiled = compiler.Compile(*source, {});
    ASSERT_TRUE(compiled.ok()) << CanonicalText(problem) << compiled.status().ToString();
    EXPECT_EQ(compiled->entries.size(), 15U);
    for (const EntryResources& entry : compiled->entries)
      EXPECT_EQ(entry.spill_store_bytes, 0) << entry.entry << " " << CanonicalText(problem);
  }
  const GemmProblem bf16 = VariantsOf(kTypeSets[5])[0];
  for (const char* arch : {"sm_75", "sm_80", "sm_100a", "sm_121a"}) {
    if (const Status known = CheckTargets(*api, arch); !known.ok()) {
      std::cout << "LEFT OUT: " << known.message() << "\n";
      continue;
    }
    const auto source = BuildSupportSource(bf16, *ReferenceDevice(arch), TemplateStore());
    const auto compiled = compiler.Compile(*source, {});
    EXPECT_TRUE(compiled.ok()) << arch << compiled.status().ToString();
  }
}

}  // namespace
}  // namespace tw
