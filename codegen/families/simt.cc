// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/simt.h"

#include <algorithm>
#include <array>
#include <limits>

#include "codegen/core/check.h"
#include "codegen/families/common.h"
#include "codegen/families/split_k.h"
#include "tw/families/simt.plan.h"

namespace tw {

namespace {

constexpr std::array kTileM{16, 32, 64, 128, 256};
constexpr std::array kTileN{32, 64, 128, 256};
constexpr std::array kTileK{8, 16, 32};
constexpr std::array kThreadTile{4, 8, 16};
constexpr std::array kStages{2, 3, 4};
constexpr std::array kGroupM{1, 8};
constexpr std::array kMinBlocks{1, 2};
constexpr std::array kSplitK{1, 2, 4, 8, 16, 32, 64, 128};

constexpr std::array<KnobDomain, 9> kKnobs{{
    {"tile_m", kTileM},
    {"tile_n", kTileN},
    {"tile_k", kTileK},
    {"thread_m", kThreadTile},
    {"thread_n", kThreadTile},
    {"stages", kStages},
    {"group_m", kGroupM},
    {"min_blocks", kMinBlocks},
    {"split_k", kSplitK},
}};

constexpr std::int64_t kMaxGrid = std::numeric_limits<std::int32_t>::max();

// Signed bytes of one dp4a.
constexpr int kPackedS8 = 4;

std::int64_t Tiles(const GemmProblem& problem, const simt::Plan& plan) {
  return CeilDiv(problem.m, plan.tile_m) * CeilDiv(problem.n, plan.tile_n) * problem.batch;
}

// Elements of D, or of the workspace, per store.
int StoreElements(const GemmProblem& problem, const simt::Plan& plan) {
  int piece = simt::kMaxAccessBytes / plan.word_bytes;
  if (plan.split_k == 1)
    return std::min(piece, AlignedElements(problem.d, problem.batch));
  int width = piece;
  while (problem.n % width != 0)
    width /= 2;
  return width;
}

struct CopyTile {
  int k = 0, mn = 0, pack = 1;
};

// Of one access to an operand. What is packed along k but stored the other way is turned round in
// registers, a byte in each: blocks of pack x pack there.
int AccessElements(const Operand& op, std::int64_t batch, bool k_contiguous, const CopyTile& tile) {
  const int across = tile.pack > 1 ? std::min(tile.mn, tile.pack) : tile.mn;
  return std::min(AlignedElements(op, batch), k_contiguous ? tile.k : across);
}

simt::Plan MakePlan(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const KernelConfig& config) {
  simt::Plan plan{};
  plan.tile_m = config.Get("tile_m");
  plan.tile_n = config.Get("tile_n");
  plan.tile_k = config.Get("tile_k");
  plan.thread_m = config.Get("thread_m");
  plan.thread_n = config.Get("thread_n");
  plan.stages = config.Get("stages");
  plan.group_m = config.Get("group_m");
  plan.min_blocks = config.Get("min_blocks");
  plan.split_k = config.Get("split_k");
  plan.in_bytes = BytesOf(problem.a.type);
  plan.word_bytes = BytesOf(problem.acc);
  plan.pack = problem.a.type == DType::kS8 ? kPackedS8 : 1;
  plan.k_contiguous_a = problem.a.major == Major::kRow;
  plan.k_contiguous_b = problem.b.major == Major::kCol;
  plan.access_a = AccessElements(problem.a, problem.batch, plan.k_contiguous_a,
                                 {.k = plan.tile_k, .mn = plan.tile_m, .pack = plan.pack});
  plan.access_b = AccessElements(problem.b, problem.batch, plan.k_contiguous_b,
                                 {.k = plan.tile_k, .mn = plan.tile_n, .pack = plan.pack});
  plan.access_out = StoreElements(problem, plan);
  constexpr int kFirstAsyncArch = 80;
  plan.async = device.cc() >= kFirstAsyncArch && plan.pack == 1 &&
               plan.in_bytes == plan.word_bytes && problem.a.type != DType::kTf32;
  plan.huge = Tiles(problem, plan) > kMaxGrid / plan.group_m / plan.split_k ||
              CeilDiv(problem.k, plan.tile_k) > kMaxGrid - plan.stages;
  return plan;
}

// Rules of the plan header, which the kernel asserts too.
std::optional<Rejection> CheckShape(const simt::Plan& plan) {
  switch (simt::Check(plan)) {
    case simt::Rule::kNone:
      return std::nullopt;
    // Thread tiles must fill the block's tile with a power of two of whole warps.
    case simt::Rule::kThreads:
      return Rejection{"threads", "thread tiles do not fill the tile with 1 to 16 warps"};
    // A thread's unit of copy must lie within the k block.
    case simt::Rule::kTileK:
      return Rejection{"tile_k", "the k block is smaller than a copy"};
    // Without an asynchronous copy a third stage only costs shared memory.
    case simt::Rule::kStages:
      return Rejection{"stages", "more than two stages need an asynchronous copy"};
  }
  TW_CHECK(false);
}

// Registers per thread that `min_blocks` resident blocks leave.
int RegisterCap(const simt::Plan& plan, const DeviceSpec& device) {
  constexpr int kUnit = 8;
  int share = device.regs_per_sm / (simt::Threads(plan) * plan.min_blocks) / kUnit * kUnit;
  return std::min(share, device.max_regs_per_thread);
}

// Hard limits of the device.
std::optional<Rejection> CheckDevice(const simt::Plan& plan, const DeviceSpec& device) {
  // A block's shared memory beyond the opt-in limit cannot be launched.
  if (simt::SmemBytes(plan) > device.smem_per_block_optin)
    return Rejection{"smem", Exceeds(simt::SmemBytes(plan), device.smem_per_block_optin)};
  // The register file caps a thread; beyond the cap accumulators would spill.
  int cap = RegisterCap(plan, device);
  if (simt::RegistersMinimum(plan) > cap)
    return Rejection{"registers", Exceeds(simt::RegistersMinimum(plan), cap)};
  return std::nullopt;
}

// Limits that follow from the problem's size.
std::optional<Rejection> CheckProblem(const simt::Plan& plan, const GemmProblem& problem) {
  // A tile of which half would do wastes half of its multiply-adds.
  if (plan.tile_m > kTileM.front() && plan.tile_m / 2 >= problem.m)
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_m / 2, problem.m - 1)};
  if (plan.tile_n > kTileN.front() && plan.tile_n / 2 >= problem.n)
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_n / 2, problem.n - 1)};
  if (plan.split_k == 1)
    return std::nullopt;
  // Slices are whole k blocks, and an empty slice only adds traffic.
  std::int64_t blocks = problem.alpha == ScalarKind::kZero ? 0 : CeilDiv(problem.k, plan.tile_k);
  if (plan.split_k > blocks)
    return Rejection{"split_k", Exceeds(plan.split_k, blocks)};
  // Partial sums must fit in the workspace.
  if (!SplitKWorkspaceBytes(problem, plan.split_k))
    return Rejection{"split_k", "workspace exceeds " + std::to_string(kMaxWorkspaceBytes)};
  return std::nullopt;
}

std::optional<std::string> Unsupported(const GemmProblem& problem, const DeviceSpec&) {
  DType in = problem.a.type;
  DType acc = in == DType::kF64 ? DType::kF64 : in == DType::kS8 ? DType::kS32 : DType::kF32;
  if (problem.acc != acc)
    return "accumulator must be " + std::string(Name(acc));
  return std::nullopt;
}

PlanResult Plan(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  // A value outside of the domain has no meaning that was ever tested.
  if (!InDomain(kKnobs, config))
    return Reject("knobs", Text(config));
  simt::Plan plan = MakePlan(problem, device, config);
  std::optional<Rejection> rejection = CheckShape(plan);
  if (!rejection)
    rejection = CheckDevice(plan, device);
  if (!rejection)
    rejection = CheckProblem(plan, problem);
  if (rejection)
    return Reject(rejection->rule, rejection->detail);
  Resources r;
  r.threads = simt::Threads(plan);
  r.smem_bytes = simt::SmemBytes(plan);
  r.regs_estimate = std::min(simt::RegistersEstimate(plan), RegisterCap(plan, device));
  r.tiles = Tiles(problem, plan);
  r.split_k = plan.split_k;
  r.blocks = r.tiles * r.split_k;
  r.stages = plan.stages;
  r.tile_m = plan.tile_m;
  r.tile_n = plan.tile_n;
  r.tile_k = plan.tile_k;
  r.workspace_bytes = *SplitKWorkspaceBytes(problem, plan.split_k);
  PlanResult result;
  result.resources = r;
  return result;
}

std::string X(int a, int b) {
  return std::to_string(a) + "x" + std::to_string(b);
}

// Every knob is in the name, so that a profiler's list tells candidates apart.
std::string EntryName(const GemmProblem& problem, const simt::Plan& plan) {
  return "tw_simt_" + TypeLetters(problem) + "_" + LayoutLetters(problem) + "_" +
         X(plan.tile_m, plan.tile_n) + "x" + std::to_string(plan.tile_k) + "_t" +
         X(plan.thread_m, plan.thread_n) + "_s" + std::to_string(plan.stages) + "_g" +
         std::to_string(plan.group_m) + "_b" + std::to_string(plan.min_blocks) + "_k" +
         std::to_string(plan.split_k);
}

std::string PlanText(const simt::Plan& plan) {
  return "  static constexpr tw::simt::Plan kPlan{\n" + PlanField("tile_m", plan.tile_m) +
         PlanField("tile_n", plan.tile_n) + PlanField("tile_k", plan.tile_k) +
         PlanField("thread_m", plan.thread_m) + PlanField("thread_n", plan.thread_n) +
         PlanField("stages", plan.stages) + PlanField("group_m", plan.group_m) +
         PlanField("min_blocks", plan.min_blocks) + PlanField("split_k", plan.split_k) +
         PlanField("in_bytes", plan.in_bytes) + PlanField("word_bytes", plan.word_bytes) +
         PlanField("pack", plan.pack) + PlanField("access_a", plan.access_a) +
         PlanField("access_b", plan.access_b) + PlanField("access_out", plan.access_out) +
         PlanFlag("k_contiguous_a", plan.k_contiguous_a) +
         PlanFlag("k_contiguous_b", plan.k_contiguous_b) + PlanFlag("async", plan.async) +
         PlanFlag("huge", plan.huge) + "  };";
}

EntryParts Emit(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  simt::Plan plan = MakePlan(problem, device, config);
  EntryParts parts;
  parts.entry = EntryName(problem, plan);
  parts.includes = {"tw/families/simt.cuh"};
  parts.candidate_struct = PlanText(plan);
  parts.static_asserts = "using Kernel = tw::simt::Gemm<Problem, Candidate>;\n" +
                         HostAgrees("kThreads", simt::Threads(plan)) +
                         HostAgrees("kSmemBytes", simt::SmemBytes(plan));
  parts.kernels.append("extern \"C\" __global__ void __launch_bounds__(Kernel::kThreads, ")
      .append(std::to_string(plan.min_blocks))
      .append(")\n")
      .append(parts.entry)
      .append("(const __grid_constant__ tw::GemmParams params) {\n  Kernel::Run(params);\n}\n");
  if (plan.split_k > 1)
    parts.kernels.append("\n").append(SplitKReduceKernel(problem, parts.entry, plan.split_k));
  return parts;
}

LaunchPlan Launch(const GemmProblem& problem,
                  const DeviceSpec& device,
                  const KernelConfig& config) {
  simt::Plan plan = MakePlan(problem, device, config);
  std::int64_t blocks = std::min(Tiles(problem, plan) * plan.split_k, kMaxGrid);
  LaunchPlan launch;
  launch.workspace_bytes = *SplitKWorkspaceBytes(problem, plan.split_k);
  KernelLaunch main;
  main.entry = EntryName(problem, plan);
  main.grid[0] = static_cast<std::uint32_t>(blocks);
  main.block[0] = static_cast<std::uint32_t>(simt::Threads(plan));
  main.dynamic_smem_bytes = static_cast<std::uint32_t>(simt::SmemBytes(plan));
  launch.launches.push_back(main);
  if (plan.split_k > 1)
    launch.launches.push_back(SplitKReduceLaunch(problem, main.entry));
  return launch;
}

}  // namespace

constexpr int kMinArch = 75;
constexpr int kMaxArch = 999;

constinit const KernelFamily kSimtFamily{
    .name = "simt",
    .summary = "CUDA cores: any type, size, layout and alignment; true f32",
    .min_cc = kMinArch,
    .max_cc = kMaxArch,
    .knobs = kKnobs,
    .unsupported = Unsupported,
    .plan = Plan,
    .emit = Emit,
    .launch = Launch,
    .enumerate = EnumerateSimt,
};

}  // namespace tw
