// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/wgmma_tma.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "codegen/core/check.h"
#include "codegen/families/common.h"
#include "codegen/families/split_k.h"
#include "codegen/occupancy.h"

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

constexpr std::array<KnobDomain, 14> kKnobs{{
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
}};

constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();

// Rows of a matrix that TMA can step over.
constexpr int kTmaAlignment = 16;

std::int64_t ClustersOf(const GemmProblem& problem, const KernelConfig& config) {
  const auto across = [&](std::int64_t extent, std::string_view tile, std::string_view cluster) {
    return CeilDiv(extent, std::int64_t{config.Get(tile)} * config.Get(cluster));
  };
  return across(problem.m, "tile_m", "cluster_m") * across(problem.n, "tile_n", "cluster_n") *
         problem.batch * config.Get("split_k");
}

std::int64_t BlocksOf(const GemmProblem& problem, const KernelConfig& config) {
  return ClustersOf(problem, config) * config.Get("cluster_m") * config.Get("cluster_n");
}

std::int64_t ResidentBlocks(const DeviceSpec& device, const KernelConfig& config) {
  return std::int64_t{device.sm_count} * config.Get("blocks");
}

wgmma_tma::Reduce ReduceOf(const KernelConfig& config) {
  return static_cast<wgmma_tma::Reduce>(config.Get("reduce"));
}

// What a persistent grid holds at a time, in whole clusters; blocks that sum slices together have
// one each.
std::int64_t GridOf(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const KernelConfig& config) {
  const wgmma_tma::Reduce reduce = ReduceOf(config);
  if (reduce == wgmma_tma::Reduce::kGrid || reduce == wgmma_tma::Reduce::kCluster)
    return BlocksOf(problem, config);
  if (reduce == wgmma_tma::Reduce::kStream)
    return ResidentBlocks(device, config);
  const std::int64_t cluster = std::int64_t{config.Get("cluster_m")} * config.Get("cluster_n");
  const std::int64_t resident = ResidentBlocks(device, config);
  return std::min(BlocksOf(problem, config),
                  std::max(resident / cluster, std::int64_t{1}) * cluster);
}

bool SumsInSecondKernel(const KernelConfig& config) {
  return config.Get("split_k") > 1 && config.Get("reduce") == 0;
}

int StoreBytes(const GemmProblem& problem, const KernelConfig& config) {
  if (!SumsInSecondKernel(config))
    return AlignedElements(problem.d, problem.batch) * BytesOf(problem.d.type);
  constexpr int kMaxBytes = 16;
  int bytes = kMaxBytes;
  while (problem.n * BytesOf(problem.acc) % bytes != 0)
    bytes /= 2;
  return bytes;
}

// Counters of blocks that wait for each other: one a tile, or one a block.
std::int64_t Counters(const GemmProblem& problem,
                      const DeviceSpec& device,
                      const KernelConfig& config) {
  switch (ReduceOf(config)) {
    case wgmma_tma::Reduce::kGrid:
      return BlocksOf(problem, config) / config.Get("split_k");
    case wgmma_tma::Reduce::kStream:
      return GridOf(problem, device, config);
    case wgmma_tma::Reduce::kKernel:
    case wgmma_tma::Reduce::kCluster:
      return 0;
  }
  TW_CHECK(false);
}

// Bytes of the workspace, 0 for none; nullopt beyond kMaxWorkspaceBytes.
std::optional<std::int64_t> WorkspaceBytes(const GemmProblem& problem,
                                           const DeviceSpec& device,
                                           const KernelConfig& config) {
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  if (SumsInSecondKernel(config))
    return SplitKWorkspaceBytes(problem, plan.split_k);
  const std::int64_t counters = Counters(problem, device, config);
  if (counters == 0)
    return 0;
  const std::int64_t blocks = GridOf(problem, device, config);
  if (blocks > kMaxWorkspaceBytes / wgmma_tma::SliceBytes(plan))
    return std::nullopt;
  return counters * wgmma_tma::kCounterBytes + blocks * wgmma_tma::SliceBytes(plan);
}

int MapRank(const Operand& op, std::int64_t batch) {
  return batch > 1 && op.batch_stride != 0 ? 3 : 2;
}

// Rules of the plan header, which the kernel asserts too.
std::optional<Rejection> CheckShape(const wgmma_tma::Plan& plan) {
  switch (wgmma_tma::Check(plan)) {
    case wgmma_tma::Rule::kNone:
      return std::nullopt;
    case wgmma_tma::Rule::kRows:
      return Rejection{"tile", "rows are not 64 for each consumer"};
    case wgmma_tma::Rule::kCols:
      return Rejection{"tile", "columns are not a step of wgmma: 8, or 64 where contiguous"};
    case wgmma_tma::Rule::kConsumers:
      return Rejection{"consumers", "turns are taken by two"};
    case wgmma_tma::Rule::kStages:
      return Rejection{"stages", "fewer than 2"};
    case wgmma_tma::Rule::kCluster:
      return Rejection{"cluster", "a tile cannot be shared out in whole swizzle patterns"};
    case wgmma_tma::Rule::kBox:
      return Rejection{"box",
                       Exceeds(std::max(plan.tile_rows, plan.tile_cols), wgmma_tma::kMostBox)};
    case wgmma_tma::Rule::kRegisters:
      return Rejection{"registers", Exceeds(wgmma_tma::RegistersNeeded(plan),
                                            wgmma_tma::ConsumerRegisters(plan))};
    case wgmma_tma::Rule::kBlocks:
      return Rejection{"blocks", "too few registers for each"};
    case wgmma_tma::Rule::kReduce:
      return Rejection{"reduce", "slices have no room, or nobody to sum them"};
  }
  TW_CHECK(false);
}

// Hard limits of the device.
std::optional<Rejection> CheckDevice(const wgmma_tma::Plan& plan, const DeviceSpec& device) {
  // A block's shared memory beyond the opt-in limit cannot be launched.
  if (wgmma_tma::SmemBytes(plan) > device.smem_per_block_optin)
    return Rejection{"smem", Exceeds(wgmma_tma::SmemBytes(plan), device.smem_per_block_optin)};
  const Occupancy occupancy =
      ComputeOccupancy(device, {.threads = wgmma_tma::Threads(plan),
                                .registers_per_thread = wgmma_tma::LaunchRegisters(plan),
                                .smem_bytes = wgmma_tma::SmemBytes(plan)});
  // The plan deals out registers for that many.
  if (occupancy.blocks_per_sm < plan.blocks_per_sm)
    return Rejection{"blocks", Exceeds(plan.blocks_per_sm, occupancy.blocks_per_sm)};
  return std::nullopt;
}

// A tile that a smaller step would cover as well.
bool Wasteful(std::int64_t extent, int tile, int step) {
  return tile > step && tile - step >= extent;
}

// Runs of k blocks are for tiles that do not come out even over the device, and long enough to be
// worth the exchange.
std::optional<Rejection> CheckStream(const wgmma_tma::Plan& plan,
                                     const GemmProblem& problem,
                                     const DeviceSpec& device,
                                     const KernelConfig& config) {
  constexpr std::int64_t kLeastRun = 4;
  const std::int64_t blocks = ResidentBlocks(device, config);
  const std::int64_t tiles = BlocksOf(problem, config);
  if (tiles % blocks == 0)
    return Rejection{"stream", "tiles come out even"};
  const std::int64_t run = tiles % blocks * CeilDiv(problem.k, BlockK(plan)) / blocks;
  if (tiles < blocks && run < kLeastRun)
    return Rejection{"stream", Exceeds(kLeastRun, run)};
  return std::nullopt;
}

// Slices are whole k blocks, and an empty slice only adds traffic.
std::optional<Rejection> CheckSlices(const wgmma_tma::Plan& plan,
                                     const GemmProblem& problem,
                                     const DeviceSpec& device,
                                     const KernelConfig& config) {
  const std::int64_t k_blocks = CeilDiv(problem.k, BlockK(plan));
  if (plan.split_k > k_blocks)
    return Rejection{"split_k", Exceeds(plan.split_k, k_blocks)};
  // Blocks that wait for each other must all be there.
  if (plan.reduce == wgmma_tma::Reduce::kGrid &&
      BlocksOf(problem, config) > ResidentBlocks(device, config)) {
    return Rejection{"resident",
                     Exceeds(BlocksOf(problem, config), ResidentBlocks(device, config))};
  }
  // Partial sums must fit in the workspace.
  if (!WorkspaceBytes(problem, device, config))
    return Rejection{"split_k", "workspace exceeds " + std::to_string(kMaxWorkspaceBytes)};
  return std::nullopt;
}

// Tiles and clusters beyond D compute nothing.
std::optional<Rejection> CheckExtents(const wgmma_tma::Plan& plan,
                                      const GemmProblem& problem,
                                      const KernelConfig& config) {
  const std::int64_t rows = plan.swap ? problem.n : problem.m;
  const std::int64_t cols = plan.swap ? problem.m : problem.n;
  if (Wasteful(rows, plan.tile_rows, wgmma_tma::kStripRows))
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_rows, rows)};
  if (Wasteful(cols, plan.tile_cols, plan.col_k_major ? 8 : wgmma_tma::kStripRows))
    return Rejection{"tile_exceeds_problem", Exceeds(plan.tile_cols, cols)};
  for (const auto& [extent, tile, cluster] :
       {std::tuple{problem.m, config.Get("tile_m"), config.Get("cluster_m")},
        std::tuple{problem.n, config.Get("tile_n"), config.Get("cluster_n")}}) {
    if (cluster > 1 && cluster > CeilDiv(extent, tile))
      return Rejection{"cluster", Exceeds(cluster, CeilDiv(extent, tile))};
  }
  // Items are counted in 32 bits.
  if (BlocksOf(problem, config) > kMaxInt)
    return Rejection{"grid", Exceeds(BlocksOf(problem, config), kMaxInt)};
  return std::nullopt;
}

// Limits that follow from the problem.
std::optional<Rejection> CheckProblem(const wgmma_tma::Plan& plan,
                                      const GemmProblem& problem,
                                      const DeviceSpec& device,
                                      const KernelConfig& config) {
  if (std::optional<Rejection> rejection = CheckExtents(plan, problem, config))
    return rejection;
  const bool aligned = RowAlignment(problem.d, problem.batch) >= kTmaAlignment;
  if (plan.tma_store && (plan.split_k > 1 || !aligned)) {
    return Rejection{"tma_store", plan.split_k > 1 ? "partial sums do not go to D"
                                                   : "rows of D are not multiples of 16 bytes"};
  }
  if (plan.reduce == wgmma_tma::Reduce::kStream)
    return CheckStream(plan, problem, device, config);
  return plan.split_k > 1 ? CheckSlices(plan, problem, device, config) : std::nullopt;
}

std::optional<std::string> Unsupported(const GemmProblem& problem, const DeviceSpec&) {
  const DType in = problem.a.type;
  if (problem.b.type != in || (in != DType::kF16 && in != DType::kBf16))
    return "type of A and B: f16 or bf16";
  if (problem.acc != DType::kF32)
    return "accumulator must be f32";
  if (problem.d.type != in && problem.d.type != DType::kF32)
    return "type of D: A's, or f32";
  if (problem.epilogue.scale != ScaleKind::kNone)
    return "scales are not carried";
  if (problem.k == 0 || problem.alpha == ScalarKind::kZero)
    return "nothing to multiply";
  if (RowAlignment(problem.a, problem.batch) < kTmaAlignment ||
      RowAlignment(problem.b, problem.batch) < kTmaAlignment)
    return "rows of A and B must be multiples of 16 bytes";
  if (std::max({problem.m, problem.n, problem.k, problem.batch}) > kMaxInt)
    return "dimensions of at most " + std::to_string(kMaxInt);
  return std::nullopt;
}

PlanResult Plan(const GemmProblem& problem, const DeviceSpec& device, const KernelConfig& config) {
  // A value outside of the domain has no meaning that was ever tested.
  if (!InDomain(kKnobs, config))
    return Reject("knobs", Text(config));
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  std::optional<Rejection> rejection = CheckShape(plan);
  if (!rejection)
    rejection = CheckDevice(plan, device);
  if (!rejection)
    rejection = CheckProblem(plan, problem, device, config);
  if (rejection)
    return Reject(rejection->rule, rejection->detail);
  Resources r;
  r.threads = wgmma_tma::Threads(plan);
  r.smem_bytes = wgmma_tma::SmemBytes(plan);
  r.regs_estimate = wgmma_tma::LaunchRegisters(plan);
  r.blocks = BlocksOf(problem, config);
  r.tiles = r.blocks / plan.split_k;
  r.split_k = plan.split_k;
  r.stages = plan.stages;
  r.tile_m = config.Get("tile_m");
  r.tile_n = config.Get("tile_n");
  r.tile_k = BlockK(plan);
  r.workspace_bytes = *WorkspaceBytes(problem, device, config);
  PlanResult result;
  result.resources = r;
  return result;
}

// Every knob is in the name, so that a profiler's list tells candidates apart.
std::string EntryName(const GemmProblem& problem, const KernelConfig& config) {
  const auto knob = [&](std::string_view name) { return std::to_string(config.Get(name)); };
  const auto flag = [&](std::string_view name, std::string_view text) {
    return config.Get(name) != 0 ? "_" + std::string(text) : std::string();
  };
  return "tw_wgmma_tma_" + std::string(Name(problem.a.type)) + "_" + LayoutLetters(problem) + "_" +
         knob("tile_m") + "x" + knob("tile_n") + flag("swap", "swap") + "_c" + knob("consumers") +
         flag("pingpong", "pp") + "_s" + knob("stages") + "_cl" + knob("cluster_m") + "x" +
         knob("cluster_n") + "_g" + knob("group_m") + "_k" + knob("split_k") + "r" +
         knob("reduce") + flag("deferred", "d") + flag("tma_store", "t") + "_b" + knob("blocks");
}

std::string Field(std::string_view name, int value) {
  return "      ." + std::string(name) + " = " + std::to_string(value) + ",\n";
}

std::string Flag(std::string_view name, bool value) {
  return "      ." + std::string(name) + " = " + (value ? "true" : "false") + ",\n";
}

std::string_view Name(wgmma_tma::Reduce reduce) {
  switch (reduce) {
    case wgmma_tma::Reduce::kKernel:
      return "tw::wgmma_tma::Reduce::kKernel";
    case wgmma_tma::Reduce::kGrid:
      return "tw::wgmma_tma::Reduce::kGrid";
    case wgmma_tma::Reduce::kCluster:
      return "tw::wgmma_tma::Reduce::kCluster";
    case wgmma_tma::Reduce::kStream:
      return "tw::wgmma_tma::Reduce::kStream";
  }
  TW_CHECK(false);
}

std::string PlanText(const wgmma_tma::Plan& plan) {
  return "  static constexpr tw::wgmma_tma::Plan kPlan{\n" + Field("tile_rows", plan.tile_rows) +
         Field("tile_cols", plan.tile_cols) + Field("consumers", plan.consumers) +
         Flag("pingpong", plan.pingpong) + Field("stages", plan.stages) +
         Field("cluster_rows", plan.cluster_rows) + Field("cluster_cols", plan.cluster_cols) +
         Field("group", plan.group) + Field("split_k", plan.split_k) +
         "      .reduce = " + std::string(Name(plan.reduce)) + ",\n" + Flag("swap", plan.swap) +
         Flag("deferred", plan.deferred) + Flag("tma_store", plan.tma_store) +
         Field("blocks_per_sm", plan.blocks_per_sm) + Field("element_bytes", plan.element_bytes) +
         Flag("row_k_major", plan.row_k_major) + Flag("col_k_major", plan.col_k_major) +
         Flag("row_once", plan.row_once) + Flag("col_once", plan.col_once) +
         Flag("lines_are_rows", plan.lines_are_rows) + Field("out_bytes", plan.out_bytes) +
         Field("store_bytes", plan.store_bytes) + Field("row_map_rank", plan.row_map_rank) +
         Field("col_map_rank", plan.col_map_rank) + Field("out_map_rank", plan.out_map_rank) +
         "  };";
}

std::string HostAgrees(std::string_view constant, int value) {
  return "static_assert(Kernel::" + std::string(constant) + " == " + std::to_string(value) +
         ", \"as the host planned\");\n";
}

EntryParts Emit(const GemmProblem& problem, const DeviceSpec&, const KernelConfig& config) {
  const wgmma_tma::Plan plan = MakeWgmmaTmaPlan(problem, config);
  EntryParts parts;
  parts.entry = EntryName(problem, config);
  parts.includes = {"tw/ptx/wgmma_" + std::string(Name(problem.a.type)) + ".cuh",
                    "tw/families/wgmma_tma.cuh"};
  parts.candidate_struct = PlanText(plan);
  parts.static_asserts = "using Kernel = tw::wgmma_tma::Gemm<Problem, Candidate>;\n" +
                         HostAgrees("kThreads", wgmma_tma::Threads(plan)) +
                         HostAgrees("kSmemBytes", wgmma_tma::SmemBytes(plan));
  parts.kernels.append("extern \"C\" __global__ void __launch_bounds__(Kernel::kThreads, ")
      .append(std::to_string(plan.blocks_per_sm))
      .append(")\n")
      .append(parts.entry)
      .append("(const __grid_constant__ tw::TmaParams<tw::wgmma_tma::kMaps> params) {\n")
      .append("  Kernel::Run(params);\n}\n");
  if (SumsInSecondKernel(config))
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
  launch.workspace_bytes = *WorkspaceBytes(problem, device, config);
  launch.workspace_zero_bytes = Counters(problem, device, config) * wgmma_tma::kCounterBytes;
  KernelLaunch main;
  main.entry = EntryName(problem, config);
  main.grid[0] = static_cast<std::uint32_t>(GridOf(problem, device, config));
  main.block[0] = static_cast<std::uint32_t>(wgmma_tma::Threads(plan));
  main.dynamic_smem_bytes = static_cast<std::uint32_t>(wgmma_tma::SmemBytes(plan));
  main.cluster[0] = static_cast<std::uint32_t>(wgmma_tma::ClusterBlocks(plan));
  main.cooperative = launch.workspace_zero_bytes > 0;
  main.tensor_maps = WgmmaTmaMaps(problem, plan);
  launch.launches.push_back(main);
  if (SumsInSecondKernel(config))
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
  plan.reduce = ReduceOf(config);
  plan.swap = swap;
  plan.deferred = config.Get("deferred") != 0;
  plan.tma_store = config.Get("tma_store") != 0;
  plan.blocks_per_sm = config.Get("blocks");
  plan.element_bytes = BytesOf(problem.a.type);
  plan.row_k_major = swap ? b_k_major : a_k_major;
  plan.col_k_major = swap ? a_k_major : b_k_major;
  // In a grid that sums its slices everybody reads at the same time, and the sums want the L2.
  const bool grid = plan.reduce == wgmma_tma::Reduce::kGrid;
  plan.row_once = grid || plan.tile_cols >= (swap ? problem.m : problem.n);
  plan.col_once = grid || plan.tile_rows >= (swap ? problem.n : problem.m);
  // Partial sums are row-major.
  const bool partial = SumsInSecondKernel(config);
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
    .summary = "warpgroup tensor cores fed by TMA: f16, bf16; rows of 16 bytes, every layout",
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
