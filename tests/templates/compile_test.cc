// Every family x type x layout x arch through NVRTC: syntax and assertions of the templates only,
// then a stratified sample to machine code. Needs the library, no GPU.
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_api.h"
#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "tuner/compiled_rules.h"

namespace tw {
namespace {

struct TypeCase {
  DType in, acc, out;
};

constexpr TypeCase kTypes[] = {
    {DType::kF64, DType::kF64, DType::kF64},   {DType::kF32, DType::kF32, DType::kF32},
    {DType::kTf32, DType::kF32, DType::kF32},  {DType::kF16, DType::kF32, DType::kF16},
    {DType::kBf16, DType::kF32, DType::kBf16}, {DType::kBf16, DType::kF32, DType::kF32},
    {DType::kS8, DType::kS32, DType::kS32},    {DType::kS8, DType::kS32, DType::kS8},
    {DType::kS8, DType::kS32, DType::kBf16},   {DType::kE4m3, DType::kF32, DType::kBf16},
    {DType::kE5m2, DType::kF32, DType::kE4m3},
};

constexpr std::string_view kLayouts[] = {"nn", "nt", "tn", "tt"};
constexpr std::string_view kArchs[] = {"sm_75", "sm_80", "sm_90a", "sm_120a"};

// Sizes, alignments and epilogues of three kinds, so that each meets some type and layout.
void SetKind(GemmProblem& p, int kind) {
  p.m = p.n = p.k = 4096;
  if (kind == 1) {
    p.m = 333;
    p.n = 555;
    p.k = 777;
    p.alpha = p.beta = ScalarKind::kOther;
    p.epilogue.bias = BiasKind::kCol;
    p.epilogue.activation = "gelu_erf";
    p.epilogue.scale = ScaleKind::kRowCol;
    p.d.major = Major::kCol;
  }
  if (kind == 2) {
    p.m = 256;
    p.n = 192;
    p.k = 65536;
    p.beta = ScalarKind::kOne;
    p.epilogue.bias = BiasKind::kRow;
    p.epilogue.activation = "silu";
    p.epilogue.scale = ScaleKind::kTensor;
  }
}

GemmProblem MakeProblem(const TypeCase& types, std::string_view layout, int kind) {
  GemmProblem p;
  p.a.type = p.b.type = types.in;
  p.acc = types.acc;
  p.d.type = types.out;
  p.a.major = layout[0] == 'n' ? Major::kRow : Major::kCol;
  p.b.major = layout[1] == 'n' ? Major::kRow : Major::kCol;
  SetKind(p, kind);
  p.c = p.d;
  return Normalize(p).value();
}

struct Sample {
  const KernelFamily* family;
  GemmProblem problem;
  DeviceSpec device;
  KernelConfig config;
};

std::string Describe(const Sample& s) {
  return Text(s.config) + " for " + CanonicalText(s.problem) + " on " + s.device.arch;
}

KernelSource SourceOf(const Sample& s) {
  return BuildSource({*s.family, s.problem, s.device, s.config}, TemplateStore()).value();
}

std::vector<KernelConfig> Legal(const KernelFamily& family,
                                const GemmProblem& problem,
                                const DeviceSpec& device) {
  std::vector<KernelConfig> configs;
  if (device.cc() < family.min_cc || device.cc() > family.max_cc ||
      family.unsupported(problem, device))
    return configs;
  family.enumerate(problem, device, [&](const KernelConfig& config) {
    if (family.plan(problem, device, config).resources)
      configs.push_back(config);
    return true;
  });
  return configs;
}

// One configuration per family, type, layout and arch; `index` walks through the space.
void AddSamples(const KernelFamily& family,
                const TypeCase& types,
                std::string_view layout,
                std::vector<Sample>& samples) {
  constexpr int kKinds = 3;
  constexpr std::size_t kStride = 37;
  for (std::string_view arch : kArchs) {
    const std::size_t index = samples.size();
    GemmProblem problem = MakeProblem(types, layout, static_cast<int>(index) % kKinds);
    DeviceSpec device = ReferenceDevice(arch).value();
    std::vector<KernelConfig> legal = Legal(family, problem, device);
    if (!legal.empty())
      samples.push_back({&family, problem, device, legal[index * kStride % legal.size()]});
  }
}

std::vector<Sample> Samples() {
  std::vector<Sample> samples;
  for (const KernelFamily* family : AllFamilies()) {
    for (const TypeCase& types : kTypes) {
      for (std::string_view layout : kLayouts)
        AddSamples(*family, types, layout, samples);
    }
  }
  return samples;
}

class CompileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto api = LoadNvrtc({});
    if (!api.ok())
      GTEST_SKIP() << api.status().ToString();
    api_ = *api;
  }

  // The compiler's log; empty where it accepts the source without a word.
  std::string CheckSyntax(const KernelSource& source) {
    NvrtcProgram program = nullptr;
    if (api_.create_program(&program, source.text.c_str(), "candidate.cu", 0, nullptr, nullptr) !=
        0)
      return "cannot create the program";
    std::string arch = "--gpu-architecture=" + source.arch;
    const std::vector<const char*> options{arch.c_str(), "--std=c++20", "--fdevice-syntax-only"};
    int code = api_.compile_program(program, static_cast<int>(options.size()), options.data());
    std::size_t size = 0;
    api_.log_size(program, &size);
    std::string log(size, '\0');
    if (size > 0)
      api_.log(program, log.data());
    api_.destroy_program(&program);
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n'))
      log.pop_back();
    return code == 0 ? log : "code " + std::to_string(code) + ": " + log;
  }

  [[nodiscard]] int Major() const {
    int major = 0, minor = 0;
    api_.version(&major, &minor);
    return major;
  }

  // Those for which this compiler makes code; says which architectures are left out.
  std::vector<Sample> Targeted() {
    std::set<std::string> left_out;
    std::vector<Sample> samples = Samples();
    std::erase_if(samples, [&](const Sample& sample) {
      const bool known = CheckTargets(api_, sample.device.arch).ok();
      if (!known)
        left_out.insert(sample.device.arch);
      return !known;
    });
    for (const std::string& arch : left_out)
      std::cout << "LEFT OUT: " << CheckTargets(api_, arch).message() << "\n";
    return samples;
  }

  NvrtcApi api_;
};

TEST_F(CompileTest, EveryFamilyTypeLayoutAndArchIsAccepted) {
  EXPECT_GE(Samples().size(), std::size(kTypes) * std::size(kLayouts) * std::size(kArchs));
  const std::vector<Sample> samples = Targeted();
  EXPECT_GE(samples.size(), std::size(kTypes) * std::size(kLayouts));
  for (const Sample& sample : samples)
    EXPECT_EQ(CheckSyntax(SourceOf(sample)), "") << Describe(sample);
}

TEST_F(CompileTest, ErrorsPointAtTheTemplate) {
  Sample sample = Samples().front();
  KernelSource source = SourceOf(sample);
  source.text += "static_assert(sizeof(tw::f16) == 3);\n";
  EXPECT_NE(CheckSyntax(source).find("candidate.cu("), std::string::npos);
  std::string mark = "#line 1 \"tw/dtype.cuh\"\n";
  auto at = source.text.find(mark);
  ASSERT_NE(at, std::string::npos);
  source.text.insert(at + mark.size(), "static_assert(false, \"here\");");
  EXPECT_NE(CheckSyntax(source).find("tw/dtype.cuh(1)"), std::string::npos);
}

// Every kStep-th sample: no warning, no spill, registers within what the launch leaves. The kernels
// are written for CUDA 13: an older ptxas serialises a few of them, which is then found out.
TEST_F(CompileTest, SampleCompilesWithoutSpillsOrWarnings) {
  constexpr std::size_t kStep = 13;
  NvrtcCompiler compiler(api_);
  const std::vector<Sample> samples = Targeted();
  for (std::size_t i = 0; i < samples.size(); i += kStep) {
    const Sample& sample = samples[i];
    auto kernel = compiler.Compile(SourceOf(sample), {});
    ASSERT_TRUE(kernel.ok()) << Describe(sample) << ": " << kernel.status().ToString();
    LaunchPlan plan = sample.family->launch(sample.problem, sample.device, sample.config);
    if (!kernel->warnings.empty() && Major() < 13) {
      const auto rejection = RejectCompiled(sample.device, *kernel, plan);
      ASSERT_TRUE(rejection) << Describe(sample) << ": " << kernel->warnings.front();
      EXPECT_EQ(rejection->rule, "serialised") << Describe(sample) << ": " << rejection->detail;
      continue;
    }
    EXPECT_TRUE(kernel->warnings.empty()) << Describe(sample) << ": " << kernel->warnings.front();
    ASSERT_EQ(kernel->entries.size(), plan.launches.size()) << Describe(sample);
    for (const EntryResources& entry : kernel->entries) {
      EXPECT_EQ(entry.spill_store_bytes + entry.spill_load_bytes, 0) << Describe(sample);
      EXPECT_EQ(entry.stack_bytes, 0) << Describe(sample);
    }
  }
}

// Sums that the compiler copies while products run cost speed, and NVRTC 13.0 even gets them wrong
// (sum_bits.cuh): one of each way to make and to gather them, for each kind of products.
TEST_F(CompileTest, NoSumIsCopiedWhileProductsRun) {
  if (Major() < 13)
    GTEST_SKIP() << "LEFT OUT: an older compiler serialises some";
  const KernelFamily& family = *FindFamily("wgmma_tma");
  const DeviceSpec device = ReferenceDevice("sm_90a").value();
  NvrtcCompiler compiler(api_);
  for (const TypeCase& types : kTypes) {
    // Others are converted first, which sets their registers apart.
    if (BytesOf(types.out) != 4 && !IsFp8(types.in))
      continue;
    std::map<std::vector<int>, KernelConfig> kinds;
    GemmProblem problem = MakeProblem(types, "nt", 0);
    for (const KernelConfig& config : Legal(family, problem, device)) {
      const int rows = config.Get(config.Get("swap") != 0 ? "tile_n" : "tile_m");
      const bool strips = rows / config.Get("consumers") > 64;
      kinds.emplace(std::vector{config.Get("reduce"), config.Get("pingpong"),
                                config.Get("temporaries"), static_cast<int>(strips)},
                    config);
    }
    for (const auto& [kind, config] : kinds) {
      const Sample sample{&family, problem, device, config};
      const auto kernel = compiler.Compile(SourceOf(sample), {});
      ASSERT_TRUE(kernel.ok()) << Describe(sample) << ": " << kernel.status().ToString();
      for (const std::string& message : kernel->warnings)
        EXPECT_EQ(message.find("(C75"), std::string::npos) << Describe(sample) << ": " << message;
    }
  }
}

}  // namespace
}  // namespace tw
