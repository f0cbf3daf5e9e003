// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/wgmma_tma.h"

#include <algorithm>
#include <array>

#include "codegen/families/common.h"
#include "codegen/families/split_k.h"
#include "codegen/families/wgmma_tma_grid.h"

namespace tw {

namespace {

// Steps of 8 up to the widest wgmma.
constexpr auto kTile = [] {
  std::array<int, 32> values{};
  for (int i = 0; i < 32; ++i)
    values.at(static_cast<std::size_t>(i)) = 8 * (i + 1);
  return values;
}();
constexpr std::array kFlag{0, 1};
constexpr std::array kConsumers{1, 2, 3};
constexpr std::array kStages{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
constexpr std::array kCluster{1, 2, 4};
constexpr std::array kGroupM{1, 2, 4, 8, 16};
constexpr std::array kSplitK{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr std::array kReduce{0, 1, 2, 3};  // wgmma_tma::Reduce
constexpr std::array kBlocks{1, 2, 3};
constexpr std::array kTemporaries{0, 1, 2};
constexpr std::array kUnroll{1, 2, 4, 8};

constexpr std::array<KnobDomain, 16> kKnobs{{
    {"tile_m", kTile},
    {"tile_n", kTile},
    {"swap", kFlag},
    {"consumers", kConsumers},
    {"pingpong", kFlag},
    {"stages", kStages},
    {"cluster_m", kCluster},
    {"cluster_n", kCluster},
    {"group_m", kGroupM},
    {"split_k", kSplitK},
    {"reduce", kReduce},
    {"deferred", kFlag},
    {"tma_store", kFlag},
    {"blocks", kBlocks},
    {"temporaries", kTemporaries},
    {"unroll", kUnroll},
}};

int StoreBytes(const GemmProblem& problem, const KernelConfig& config) {
  if (!wgmma_tma::SumsInSecondKernel(config))
    return AlignedElements(problem.d, problem.batch) * BytesOf(problem.d.type);
  return PartialStoreBytes(problem);
}

int MapRank(const Operand& op, std::int64_t batch) {
  return batch > 1 && op.batch_stride != 0 ? 3 : 2;
}

std::optional<std::string> Unsupported(const GemmProblem& problem, const DeviceSpec&) {
  const DType in = problem.a.type;
  if (in == DType::kF64 || in == DType::kF32)
    return "type of A and B: f16, bf16, tf32, e4m3, e5m2 or s8";
  if (problem.acc != (in == DType::kS8 ? DType::kS32 : DType::kF32))
    return "accumulator must be f32, of s8 s32";
  const bool k_major = problem.a.major == Major::kRow && problem.b.major == Major::kCol;
  if (BytesOf(in) != 2 && !k_major)
    return "A and B must be contiguous along k unless their type has 16 bits";
  if (problem.k == 0 || problem.alpha == ScalarKind::kZero)
    return "nothing to multiply";
  if (RowAlignment(problem.a, problem.batch) < wgmma_tma::kTmaAlignment ||
      RowAlignment(problem.b, problem.batch) < wgmma_tma::kTmaAlignment)
    return "rows of A and B must be multiples of 16 bytes";
  if (std::max({problem.m, problem.n, problem.k, problem.batch}) > wgmma_tma::kMostCount)
    return "dimensions of at most " + std::to_string(wgmma_tma::kMostCount);
  return std::nullopt;
}

PlanResult Plan(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  // A value outside of the domain has no meaning that was ever tested.
  if (!InDomain(kKnobs, config))
    return Reject("knobs", Text(config));
  if (const auto rejection = wgmma_tma::Reject(problem, device, config))
    return Reject(rejection->rule, rejection->detail);
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  Resources r;
  r.threads = wgmma_tma::Threads(plan);
  r.smem_bytes = wgmma_tma::SmemBytes(plan);
  r.regs_estimate = wgmma_tma::LaunchRegisters(plan);
  r.blocks = wgmma_tma::BlocksOf(problem, config);
  r.tiles = r.blocks / plan.split_k;
  r.split_k = plan.split_k;
  r.stages = plan.stages;
  r.tile_m = config.Get("tile_m");
  r.tile_n = config.Get("tile_n");
  r.tile_k = BlockK(plan);
  r.workspace_bytes = *wgmma_tma::WorkspaceBytes(problem, device, config);
  PlanResult result;
  result.resources = r;
  return result;
}

EntryParts Emit(const GemmProblem& problem, const DeviceSpec&, const KernelConfig& config) {
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  EntryParts parts;
  parts.entry = WgmmaTmaEntryName(problem, config);
  const std::string products = IsFp8(problem.a.type) ? "fp8" : std::string(Name(problem.a.type));
  parts.includes = {"tw/ptx/wgmma_" + products + ".cuh", "tw/families/wgmma_tma.cuh"};
  parts.candidate_struct = WgmmaTmaPlanText(plan);
  parts.static_asserts = "using Kernel = tw::wgmma_tma::Gemm<Problem, Candidate>;\n" +
                         HostAgrees("kThreads", wgmma_tma::Threads(plan)) +
                         HostAgrees("kSmemBytes", wgmma_tma::SmemBytes(plan));
  parts.kernels.append("extern \"C\" __global__ void __launch_bounds__(Kernel::kThreads, ")
      .append(std::to_string(plan.blocks_per_sm))
      .append(")\n")
      .append(parts.entry)
      .append("(const __grid_constant__ tw::TmaParams<tw::wgmma_tma::kMaps> params) {\n")
      .append("  Kernel::Run(params);\n}\n");
  if (wgmma_tma::SumsInSecondKernel(config))
    parts.kernels.append("\n").append(SplitKReduceKernel(problem, parts.entry, plan.split_k));
  return parts;
}

LaunchPlan Launch(const GemmProblem& problem,
                  const DeviceSpec& device,
                  const KernelConfig& config) {
  LaunchPlan launch;
  if (IsEmpty(problem))
    return launch;
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  launch.workspace_bytes = *wgmma_tma::WorkspaceBytes(problem, device, config);
  launch.workspace_zero_bytes =
      wgmma_tma::Counters(problem, device, config) * wgmma_tma::kCounterBytes;
  KernelLaunch main;
  main.entry = WgmmaTmaEntryName(problem, config);
  main.grid[0] = static_cast<std::uint32_t>(wgmma_tma::GridOf(problem, device, config));
  main.block[0] = static_cast<std::uint32_t>(wgmma_tma::Threads(plan));
  main.dynamic_smem_bytes = static_cast<std::uint32_t>(wgmma_tma::SmemBytes(plan));
  main.cluster[0] = static_cast<std::uint32_t>(wgmma_tma::ClusterBlocks(plan));
  main.cooperative = launch.workspace_zero_bytes > 0;
  main.tensor_maps = WgmmaTmaMaps(problem, plan);
  launch.launches.push_back(main);
  if (wgmma_tma::SumsInSecondKernel(config))
    launch.launches.push_back(SplitKReduceLaunch(problem, main.entry));
  return launch;
}

}  // namespace

wgmma_tma::Plan MakeWgmmaTmaPlan(const GemmProblem& problem, const KernelConfig& config) {
  const bool swap = config.Get("swap") != 0;
  const Operand& rows = swap ? problem.b : problem.a;
  const Operand& cols = swap ? problem.a : problem.b;
  const bool a_k_major = problem.a.major == Major::kRow;
  const bool b_k_major = problem.b.major == Major::kCol;
  wgmma_tma::Plan plan{};
  plan.tile_rows = config.Get(swap ? "tile_n" : "tile_m");
  plan.tile_cols = config.Get(swap ? "tile_m" : "tile_n");
  plan.consumers = config.Get("consumers");
  plan.pingpong = config.Get("pingpong") != 0;
  plan.stages = config.Get("stages");
  plan.cluster_rows = config.Get(swap ? "cluster_n" : "cluster_m");
  plan.cluster_cols = config.Get(swap ? "cluster_m" : "cluster_n");
  plan.group = config.Get("group_m");
  plan.split_k = config.Get("split_k");
  plan.reduce = static_cast<wgmma_tma::Reduce>(config.Get("reduce"));
  plan.swap = swap;
  plan.deferred = config.Get("deferred") != 0;
  plan.tma_store = config.Get("tma_store") != 0;
  plan.blocks_per_sm = config.Get("blocks");
  plan.temporaries = config.Get("temporaries");
  plan.unroll = config.Get("unroll");
  plan.element_bytes = BytesOf(problem.a.type);
  plan.integers = Info(problem.a.type).integer;
  plan.row_k_major = swap ? b_k_major : a_k_major;
  plan.col_k_major = swap ? a_k_major : b_k_major;
  // In a grid that sums its slices everybody reads at the same time, and the sums want the L2.
  const bool grid = plan.reduce == wgmma_tma::Reduce::kGrid;
  plan.row_once = grid || plan.tile_cols >= (swap ? problem.m : problem.n);
  plan.col_once = grid || plan.tile_rows >= (swap ? problem.n : problem.m);
  // Partial sums are row-major.
  const bool partial = wgmma_tma::SumsInSecondKernel(config);
  plan.lines_are_rows = (partial || problem.d.major == Major::kRow) != swap;
  plan.out_bytes = BytesOf(partial ? problem.acc : problem.d.type);
  plan.store_bytes = StoreBytes(problem, config);
  plan.row_map_rank = MapRank(rows, problem.batch);
  plan.col_map_rank = MapRank(cols, problem.batch);
  plan.out_map_rank = MapRank(problem.d, problem.batch);
  return plan;
}

const KernelFamily kWgmmaTmaFamily{
    .name = "wgmma_tma",
    .summary =
        "warpgroup tensor cores fed by TMA: f16, bf16 in every layout; tf32, e4m3, e5m2, s8 along "
        "k",
    .min_cc = 90,
    .max_cc = 90,
    .knobs = kKnobs,
    .unsupported = Unsupported,
    .plan = Plan,
    .emit = Emit,
    .launch = Launch,
    .enumerate = EnumerateWgmmaTma,
    .waits_for_dependencies = true,
};

}  // namespace tw
