// The self-check's kernel compiles. A program of its own: the leak checker cannot stop a process
// in which NVRTC 12.4 and the simulated device's threads have both run.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "tuner/worker/timing_selftest.h"

namespace tw {
namespace {

TEST(WorkSource, CompilesWithoutSpills) {
  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  if (!api.ok())
    GTEST_SKIP() << api.status().ToString();
  NvrtcCompiler compiler(*std::move(api));
  const auto compiled = compiler.Compile(BuildWorkSource("sm_90a", TemplateStore()).value(), {});
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  ASSERT_EQ(compiled->entries.size(), 1U);
  EXPECT_EQ(compiled->entries[0].spill_store_bytes, 0);
}

}  // namespace
}  // namespace tw
