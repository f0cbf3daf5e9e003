// The generated part of fixed candidates, word for word, with the templates it includes left
// unexpanded. UPDATE_GOLDEN=1 rewrites the files; each compiles with
//   nvcc -std=c++20 -I templates -arch=ARCH -cubin FILE
// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"

namespace tw {
namespace {

struct GoldenCase {
  std::string_view name, arch, config;
  std::function<void(GemmProblem&)> problem;
};

void SetTypes(GemmProblem& p, DType in, DType acc, DType out) {
  p.a.type = p.b.type = in;
  p.acc = acc;
  p.c.type = p.d.type = out;
}

void SetSizes(GemmProblem& p, std::int64_t m, std::int64_t n, std::int64_t k) {
  p.m = m;
  p.n = n;
  p.k = k;
}

// Between them: all families, one and two kernels, every accumulator, scalars, bias, activation,
// odd leading dimensions, counts beyond 32 bits.
std::vector<GoldenCase> Cases() {
  return {
      {"simt_f32_nn", "sm_90a",
       "simt:tile_m=128,tile_n=128,tile_k=8,thread_m=8,thread_n=8,stages=3,group_m=8,min_blocks=2,"
       "split_k=1",
       [](GemmProblem& p) { SetSizes(p, 4096, 4096, 4096); }},
      {"simt_f64_tt_relu", "sm_80",
       "simt:tile_m=64,tile_n=64,tile_k=16,thread_m=4,thread_n=4,stages=4,group_m=8,min_blocks=1,"
       "split_k=1",
       [](GemmProblem& p) {
         SetSizes(p, 1000, 1000, 1000);
         SetTypes(p, DType::kF64, DType::kF64, DType::kF64);
         p.a.major = p.b.major = Major::kCol;
         p.alpha = p.beta = ScalarKind::kOther;
         p.epilogue.bias = BiasKind::kCol;
         p.epilogue.activation = "relu";
       }},
      {"simt_s8_nt_odd", "sm_75",
       "simt:tile_m=64,tile_n=64,tile_k=32,thread_m=4,thread_n=4,stages=2,group_m=8,min_blocks=1,"
       "split_k=1",
       [](GemmProblem& p) {
         SetSizes(p, 333, 777, 555);
         SetTypes(p, DType::kS8, DType::kS32, DType::kS32);
         p.b.major = Major::kCol;
         p.d.major = Major::kCol;
       }},
      {"simt_f32_tn_split", "sm_90a",
       "simt:tile_m=64,tile_n=64,tile_k=16,thread_m=8,thread_n=8,stages=3,group_m=8,min_blocks=1,"
       "split_k=16",
       [](GemmProblem& p) {
         SetSizes(p, 256, 256, 65536);
         p.a.major = Major::kCol;
         p.epilogue.bias = BiasKind::kRow;
       }},
      {"wgmma_tma_f16_nn", "sm_90a",
       "wgmma_tma:tile_m=64,tile_n=128,swap=1,consumers=2,pingpong=0,stages=4,cluster_m=2,"
       "cluster_n=1,group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1,temporaries=0,"
       "unroll=1",
       [](GemmProblem& p) {
         SetSizes(p, 4096, 4096, 4096);
         SetTypes(p, DType::kF16, DType::kF32, DType::kF16);
         p.beta = ScalarKind::kOne;
       }},
      {"wgmma_tma_e4m3_nt", "sm_90a",
       "wgmma_tma:tile_m=192,tile_n=128,swap=0,consumers=3,pingpong=0,stages=4,cluster_m=1,"
       "cluster_n=1,group_m=8,split_k=1,reduce=0,deferred=1,tma_store=1,blocks=1,temporaries=1,"
       "unroll=4",
       [](GemmProblem& p) {
         SetSizes(p, 4096, 4096, 4096);
         SetTypes(p, DType::kE4m3, DType::kF32, DType::kBf16);
         p.b.major = Major::kCol;
       }},
      {"simt_bf16_huge", "sm_90a",
       "simt:tile_m=16,tile_n=32,tile_k=16,thread_m=4,thread_n=4,stages=2,group_m=8,min_blocks=1,"
       "split_k=1",
       [](GemmProblem& p) {
         SetSizes(p, std::int64_t{1} << 36U, 32, 16);
         SetTypes(p, DType::kBf16, DType::kF32, DType::kBf16);
       }},
      {"mma_sync_bf16_nt", "sm_80",
       "mma_sync:tile_m=128,tile_n=128,tile_k=64,warp_m=64,warp_n=64,stages=3,group_m=8,split_k=1",
       [](GemmProblem& p) {
         SetSizes(p, 2048, 4096, 4096);
         SetTypes(p, DType::kBf16, DType::kF32, DType::kBf16);
         p.b.major = Major::kCol;
       }},
  };
}

// Drops what the source builder expanded: from the mark of a template to the next of the
// generated file. The digest of the templates changes with every edit of one and is left out.
std::string GeneratedPart(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    bool mark = line.starts_with("#line ");
    auto quote = line.find('"');
    if (mark && line.find("\"candidate.cu\"") != std::string::npos) {
      inside = false;
    } else if (mark && !inside) {
      inside = true;
      out += "#include " + line.substr(quote) + "\n";
    } else if (!inside && !line.starts_with("// templates ")) {
      out += line + "\n";
    }
  }
  return out;
}

Result<std::string> Build(const GoldenCase& golden) {
  GemmProblem problem;
  golden.problem(problem);
  TW_ASSIGN_OR_RETURN(problem, Normalize(problem));
  TW_ASSIGN_OR_RETURN(DeviceSpec device, ReferenceDevice(golden.arch));
  TW_ASSIGN_OR_RETURN(KernelConfig config, ParseKernelConfig(golden.config));
  const KernelFamily* family = FindFamily(config.family);
  if (family == nullptr)
    return Status(StatusCode::kNotFound, "no family " + config.family);
  PlanResult plan = family->plan(problem, device, config);
  if (!plan.resources)
    return Status(StatusCode::kInternal, plan.rejection.rule + ": " + plan.rejection.detail);
  TW_ASSIGN_OR_RETURN(KernelSource source,
                      BuildSource({*family, problem, device, config}, TemplateStore()));
  return GeneratedPart(source.text);
}

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Golden, GeneratedPartsAreAsRecorded) {
  const bool update = getenv("UPDATE_GOLDEN") != nullptr;
  for (const GoldenCase& golden : Cases()) {
    auto text = Build(golden);
    ASSERT_TRUE(text.ok()) << golden.name << ": " << text.status().ToString();
    std::filesystem::path file =
        std::filesystem::path(TW_SOURCE_DIR) / "tests/golden" / (std::string(golden.name) + ".cu");
    if (update)
      std::ofstream(file, std::ios::binary) << *text;
    EXPECT_EQ(*text, ReadAll(file)) << golden.name << ": UPDATE_GOLDEN=1 rewrites the file";
  }
}

}  // namespace
}  // namespace tw
