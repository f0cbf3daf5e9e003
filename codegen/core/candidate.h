// A candidate on its way from the space to the GPU: configuration, resources, source, machine
// code, launch plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/core/dtype.h"
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

// The pointer of tw::GemmParams that a tensor map describes.
enum class MapOperand : std::uint8_t { kA, kB, kD };

// What cuTensorMapEncodeTiled is given, without the address: no interleaving, element strides of 1,
// zeros out of bounds. The innermost dimension comes first; places past `rank` mean nothing.
struct TensorMapRecipe {
  MapOperand operand = MapOperand::kA;
  DType type = DType::kBf16;
  int rank = 2;                           // 2 to 5
  std::array<std::int64_t, 5> dims{};     // elements
  std::array<std::int64_t, 4> strides{};  // bytes; [i] belongs to dimension i + 1
  std::array<std::int32_t, 5> box{};      // elements
  int swizzle_bytes = 0;                  // 0, 32, 64, 128
  int l2_promotion_bytes = 0;             // 0, 64, 128, 256

  friend bool operator==(const TensorMapRecipe&, const TensorMapRecipe&) = default;
};

// One kernel launch of a candidate. Every kernel takes exactly one argument by value:
// tw::GemmParams (templates/tw/params.h); where the launch has tensor maps, a struct alignas(64) of
// GemmParams padded to a multiple of 64 bytes and then the maps, 128 bytes each, in their order.
// A programmatic launch, which may begin before the launch before it on the stream has ended, waits
// (griddepcontrol.wait) before it touches an operand or the workspace: products follow each other
// on one stream and share the workspace.
struct KernelLaunch {
  std::string entry;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_smem_bytes = 0;
  std::array<std::uint32_t, 3> cluster{1, 1, 1};  // blocks
  bool cooperative = false;   // every block resident at once, or the launch is refused
  bool programmatic = false;  // programmatic stream serialisation
  std::vector<TensorMapRecipe> tensor_maps{};

  friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};

// Launched in order on one stream. The workspace may not be shared by launches in flight at the
// same time. Its first bytes are zero before the first launch, and left zero by the last; the rest
// need not be cleared.
struct LaunchPlan {
  std::vector<KernelLaunch> launches;
  std::int64_t workspace_bytes = 0;
  std::int64_t workspace_zero_bytes = 0;  // at most workspace_bytes

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
