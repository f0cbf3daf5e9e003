// The tests' own kernel compiles for every set of types, with every fault that changes its types: a
// machine without a GPU finds out, not the first one with it.
// SPDX-License-Identifier: Apache-2.0
#include "naive_kernel.h"

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/core/device_spec.h"
#include "tests/tuner/measure/problems.h"

namespace tw {
namespace {

TEST(NaiveKernel, CompilesForEverySetOfTypes) {
  auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
  if (!api.ok())
    GTEST_SKIP() << api.status().ToString();
  NvrtcCompiler compiler(*api);
  const DeviceSpec device = *ReferenceDevice("sm_90a");
  for (const TypeSet& types : kTypeSets) {
    for (Fault fault : {Fault::kNone, Fault::kHalfPrecisionSums, Fault::kReadsPastA}) {
      const auto compiled = compiler.Compile(NaiveSource(VariantsOf(types)[1], device, fault), {});
      EXPECT_TRUE(compiled.ok()) << NameOf(types) << ": " << compiled.status().ToString();
    }
  }
}

}  // namespace
}  // namespace tw
