// A candidate on its way from the space to the GPU: configuration, resources, source, machine
// code, launch plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/core/kernel_config.h"

namespace tw {

// What a candidate needs, by the plan header, before any compilation.
struct Resources {
  int threads = 0;              // per block
  std::int64_t smem_bytes = 0;  // static + dynamic shared memory per block
  int regs_estimate = 0;        // per thread
  std::int64_t tiles = 0;       // output tiles over the whole problem, batch included
  std::int64_t blocks = 0;      // thread blocks launched (tiles * split)
  int split_k = 1;
  int stages = 1;
  int tile_m = 0, tile_n = 0, tile_k = 0;
  std::int64_t workspace_bytes = 0;

  friend bool operator==(const Resources&, const Resources&) = default;
};

// One kernel launch of a candidate. Every kernel takes exactly one argument: tw::GemmParams by
// value (templates/tw/params.h).
struct KernelLaunch {
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem_bytes = 0;

  friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};

// Launched in order on one stream. The workspace need not be cleared and may not be shared by
// launches in flight at the same time.
struct LaunchPlan {
  std::vector<KernelLaunch> launches;
  std::int64_t workspace_bytes = 0;

  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

struct Candidate {
  KernelConfig config;
  std::string id;  // CandidateId(config)
  Resources resources;
  double predicted_ns = 0;
  std::string predicted_bound;  // the term of the cost model that bounds it: "tensor", "dram", …
};

// Self-contained CUDA source: also compiles with plain nvcc.
struct KernelSource {
  std::string entry;  // name of the first kernel
  std::string text;
  std::string arch;                  // "sm_90a"
  std::vector<std::string> options;  // compile options besides the arch
  std::string digest;                // Sha256Hex over text, arch and options
};

struct EntryResources {
  std::string entry;
  int registers = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int stack_bytes = 0;
  int static_smem_bytes = 0;

  friend bool operator==(const EntryResources&, const EntryResources&) = default;
};

struct CompiledKernel {
  std::string arch;
  std::string cubin;  // ELF bytes
  std::vector<EntryResources> entries;
  std::vector<std::string> warnings;  // compiler messages, one a line
  std::string compiler;               // "nvrtc 13.0"
  double compile_seconds = 0;         // CPU seconds of the compilation; 0 from the artefact cache
  bool from_cache = false;
};

}  // namespace tw
