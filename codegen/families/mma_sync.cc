// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/mma_sync.h"

#include <algorithm>
#include <array>
#include <limits>

#include "codegen/core/check.h"
#include "codegen/families/common.h"
#include "codegen/families/split_k.h"
#include "codegen/occupancy.h"

namespace tw {

namespace {

constexpr std::array kTileM{16, 32, 64, 128, 256};
constexpr std::array kTileN{16, 32, 64, 128, 256};
constexpr std::array kTileK{16, 32, 64, 128, 256};
constexpr std::array kWarpTile{16, 32, 64};
constexpr std::array kStages{2, 3, 4, 5, 6, 8};
constexpr std::array kGroupM{1, 4, 8, 16};
constexpr std::array kSplitK{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

constexpr std::array<KnobDomain, 8> kKnobs{{
    {"tile_m", kTileM},
    {"tile_n", kTileN},
    {"tile_k", kTileK},
    {"warp_m", kWarpTile},
    {"warp_n", kWarpTile},
    {"stages", kStages},
    {"group_m", kGroupM},
    {"split_k", kSplitK},
}};

constexpr std::int64_t kMaxGrid = std::numeric_limits<std::int32_t>::max();

// The register file deals out registers to threads in units of 8.
constexpr int kRegisterUnit = 8;

std::int64_t Tiles(const GemmProblem& problem, const mma_sync::Plan& plan) {
  return CeilDiv(problem.m, plan.tile_m) * CeilDiv(problem.n, plan.tile_n) * problem.batch;
}

// cp.async moves 4, 8 or 16 bytes; rows that allow none of them are loaded element by element.
int CopyBytes(const Operand& op, std::int64_t batch) {
  int alignment = RowAlignment(op, batch);
  return alignment >= mma_sync::kMinAsyncBytes ? alignment : BytesOf(op.type);
}

// A warp writes 16 lines of its tile at a time, all of its lanes a piece.
int StoreBytes(const GemmProblem& problem, const mma_sync::Plan& plan) {
  if (plan.split_k > 1)
    return PartialStoreBytes(problem);
  const int line = problem.d.major == Major::kRow ? plan.warp_n : plan.warp_m;
  const int most = std::max(1, line * mma_sync::kEpilogueLines / mma_sync::kWarpThreads);
  return std::min(AlignedElements(problem.d, problem.batch), most) * BytesOf(problem.d.type);
}

// As many as the device can hold by the estimate of the registers and a few more, so that the
// compiler does not lose one of them to those few.
int MinBlocks(const mma_sync::Plan& plan, const DeviceSpec& device) {
  const BlockNeeds needs{.threads = mma_sync::Threads(plan),
                         .registers_per_thread = mma_sync::RegistersEstimate(plan) + kRegisterUnit,
                         .smem_bytes = mma_sync::SmemBytes(plan)};
  return std::max(ComputeOccupancy(device, needs).blocks_per_sm, 1);
}

// Rules of the plan header, which the kernel asserts too.
std::optional<Rejection> CheckShape(const mma_sync::Plan& plan) {
  switch (mma_sync::Check(plan)) {
    case mma_sync::Rule::kNone:
      return std::nullopt;
    case mma_sync::Rule::kTile:
      return Rejection{"tile", "tiles must be powers of two"};
    // A swizzled row is 64 to 256 bytes of k, an even number of mma steps.
    case mma_sync::Rule::kTileK:
      return Rejection{"tile_k", "the k block is not 64, 128 or 256 bytes"};
    // Fragments need 16 rows, and 32 where bytes are transposed in registers.
    case mma_sync::Rule::kWarpTile:
      return Rejection{"warp_tile", "the warp's tile exceeds the block's or is too small"};
    case mma_sync::Rule::kThreads:
      return Rejection{"threads", Exceeds(mma_sync::Threads(plan), mma_sync::kMaxThreads)};
    case mma_sync::Rule::kStages:
      return Rejection{"stages", "fewer than 2"};
    // Narrow copies of large tiles leave a thread too many of them.
    case mma_sync::Rule::kCopy:
      return Rejection{"alignment", "too many narrow copies for the threads"};
  }
  TW_CHECK(false);
}

// Hard limits of the device.
std::optional<Rejection> CheckDevice(const mma_sync::Plan& plan, const DeviceSpec& device) {
  // A block's shared memory beyond the opt-in limit cannot be launched.
  if (mma_sync::SmemBytes(plan) > device.smem_per_block_optin)
    return Rejection{"smem", Exceeds(mma_sync::SmemBytes(plan), device.smem_per_block_optin)};
  if (mma_sync::Threads(plan) > device.max_threads_per_block)
    return Rejection{"threads", Exceeds(mma_sync::Threads(plan), device.max_threads_per_block)};
  // The register file caps a thread; beyond the cap accumulators would spill.
  int cap = device.regs_per_block / mma_sync::Threads(plan) / kRegisterUnit * kRegisterUnit;
  cap = std::min(cap, device.max_regs_per_thread);
  if (mma_sync::RegistersEstimate(plan) > cap)
    return Rejection{"registers", Exceeds(mma_sync::RegistersEstimate(plan), cap)};
  return std::nullopt;
}

// Limits that follow from the problem's size.
std::optional<Rejection> CheckProblem(const mma_sync::Plan& plan, const GemmProblem& problem) {
  // A tile of which half would do wastes half of its multiply-adds.
  if (plan.tile_m > mma_sync::MinWarpExtent(plan, plan.k_major_a) && plan.tile_m / 2 >= problem.m)
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_m / 2, problem.m - 1)};
  if (plan.tile_n > mma_sync::MinWarpExtent(plan, plan.k_major_b) && plan.tile_n / 2 >= problem.n)
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

std::optional<std::string> Unsupported(const GemmProblem& problem, const DeviceSpec& device) {
  constexpr int kFirstFp8Arch = 89;
  DType in = problem.a.type;
  bool fp8 = IsFp8(in);
  if (in == DType::kF64 || in == DType::kF32)
    return "type of A and B: f16, bf16, tf32, e4m3, e5m2 or s8";
  if (fp8 && device.cc() < kFirstFp8Arch)
    return "e4m3 and e5m2 from sm_89 on";
  DType acc = in == DType::kS8 ? DType::kS32 : DType::kF32;
  if (problem.acc != acc)
    return "accumulator must be " + std::string(Name(acc));
  return std::nullopt;
}

PlanResult Plan(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  // A value outside of the domain has no meaning that was ever tested.
  if (!InDomain(kKnobs, config))
    return Reject("knobs", Text(config));
  mma_sync::Plan plan = MakeMmaSyncPlan(problem, device, config);
  std::optional<Rejection> rejection = CheckShape(plan);
  if (!rejection)
    rejection = CheckDevice(plan, device);
  if (!rejection)
    rejection = CheckProblem(plan, problem);
  if (rejection)
    return Reject(rejection->rule, rejection->detail);
  Resources r;
  r.threads = mma_sync::Threads(plan);
  r.smem_bytes = mma_sync::SmemBytes(plan);
  r.regs_estimate = mma_sync::RegistersEstimate(plan);
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
std::string EntryName(const GemmProblem& problem, const mma_sync::Plan& plan) {
  return "tw_mma_sync_" + TypeLetters(problem) + "_" + LayoutLetters(problem) + "_" +
         X(plan.tile_m, plan.tile_n) + "x" + std::to_string(plan.tile_k) + "_w" +
         X(plan.warp_m, plan.warp_n) + "_s" + std::to_string(plan.stages) + "_g" +
         std::to_string(plan.group_m) + "_k" + std::to_string(plan.split_k);
}

std::string PlanText(const mma_sync::Plan& plan) {
  return "  static constexpr tw::mma_sync::Plan kPlan{\n" + PlanField("tile_m", plan.tile_m) +
         PlanField("tile_n", plan.tile_n) + PlanField("tile_k", plan.tile_k) +
         PlanField("warp_m", plan.warp_m) + PlanField("warp_n", plan.warp_n) +
         PlanField("stages", plan.stages) + PlanField("group_m", plan.group_m) +
         PlanField("split_k", plan.split_k) + PlanField("element_bytes", plan.element_bytes) +
         PlanFlag("k_major_a", plan.k_major_a) + PlanFlag("k_major_b", plan.k_major_b) +
         PlanField("copy_bytes_a", plan.copy_bytes_a) +
         PlanField("copy_bytes_b", plan.copy_bytes_b) + PlanField("store_bytes", plan.store_bytes) +
         PlanField("min_blocks", plan.min_blocks) + PlanFlag("huge", plan.huge) + "  };";
}

EntryParts Emit(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  mma_sync::Plan plan = MakeMmaSyncPlan(problem, device, config);
  EntryParts parts;
  parts.entry = EntryName(problem, plan);
  parts.includes = {"tw/families/mma_sync.cuh"};
  parts.candidate_struct = PlanText(plan);
  parts.static_asserts = "using Kernel = tw::mma_sync::Gemm<Problem, Candidate>;\n" +
                         HostAgrees("kThreads", mma_sync::Threads(plan)) +
                         HostAgrees("kSmemBytes", mma_sync::SmemBytes(plan));
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
  LaunchPlan launch;
  if (IsEmpty(problem))
    return launch;
  mma_sync::Plan plan = MakeMmaSyncPlan(problem, device, config);
  launch.workspace_bytes = *SplitKWorkspaceBytes(problem, plan.split_k);
  KernelLaunch main;
  main.entry = EntryName(problem, plan);
  main.grid[0] =
      static_cast<std::uint32_t>(std::min(Tiles(problem, plan) * plan.split_k, kMaxGrid));
  main.block[0] = static_cast<std::uint32_t>(mma_sync::Threads(plan));
  main.dynamic_smem_bytes = static_cast<std::uint32_t>(mma_sync::SmemBytes(plan));
  launch.launches.push_back(main);
  if (plan.split_k > 1)
    launch.launches.push_back(SplitKReduceLaunch(problem, main.entry));
  return launch;
}

}  // namespace

mma_sync::Plan MakeMmaSyncPlan(const GemmProblem& problem,
                               const DeviceSpec& device,
                               const KernelConfig& config) {
  mma_sync::Plan plan{};
  plan.tile_m = config.Get("tile_m");
  plan.tile_n = config.Get("tile_n");
  plan.tile_k = config.Get("tile_k");
  plan.warp_m = config.Get("warp_m");
  plan.warp_n = config.Get("warp_n");
  plan.stages = config.Get("stages");
  plan.group_m = config.Get("group_m");
  plan.split_k = config.Get("split_k");
  plan.element_bytes = BytesOf(problem.a.type);
  plan.k_major_a = problem.a.major == Major::kRow;
  plan.k_major_b = problem.b.major == Major::kCol;
  plan.copy_bytes_a = CopyBytes(problem.a, problem.batch);
  plan.copy_bytes_b = CopyBytes(problem.b, problem.batch);
  plan.store_bytes = StoreBytes(problem, plan);
  plan.min_blocks = 1;
  if (mma_sync::Check(plan) == mma_sync::Rule::kNone)
    plan.min_blocks = MinBlocks(plan, device);
  plan.huge = Tiles(problem, plan) > kMaxGrid / plan.group_m / plan.split_k;
  return plan;
}

constexpr int kMinArch = 80;
constexpr int kMaxArch = 999;

constinit const KernelFamily kMmaSyncFamily{
    .name = "mma_sync",
    .summary = "tensor cores by mma.sync: f16, bf16, tf32, s8; any size, layout and alignment",
    .min_cc = kMinArch,
    .max_cc = kMaxArch,
    .knobs = kKnobs,
    .unsupported = Unsupported,
    .plan = Plan,
    .emit = Emit,
    .launch = Launch,
    .enumerate = EnumerateMmaSync,
};

}  // namespace tw
