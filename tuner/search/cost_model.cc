// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "codegen/core/check.h"
#include "tuner/search/execution.h"
#include "tuner/search/smem_feed.h"
#include "tuner/search/traffic.h"

namespace tw {
namespace {

// Coefficients in SM clocks, bytes per SM clock or seconds. Sources: CUTLASS and DeepGEMM models
// and first measurements on an H200; they order candidates, they do not promise times.
constexpr double kIterationSyncClocks = 30;  // one block barrier per k block
constexpr double kEpilogueClocks = 150;      // address arithmetic, first store
constexpr double kL2PortBytesPerClock = 64;  // of one SM
// What the bulk copy engine gets of the L2 for each byte that plain loads get (DeviceSpec), per SM
// when all draw: 75 beside 42 bytes per clock.
constexpr double kBulkL2ShareBytesPerClock = 75;
constexpr double kPlainL2ShareBytesPerClock = 42;
constexpr double kDramPullBytesPerClock = 40;  // what one SM can draw from DRAM
constexpr double kDramEfficiency = 0.9;        // copy bandwidth over nominal
constexpr double kExtraLaunchSeconds = 1.5e-6;
// What a persistent block loses between tiles whose end nothing hides, besides the stores' traffic.
// Fitted to 16 tiles of 4096^3 and 8192^3 in turns on an H200, which then come out within 2 %.
constexpr double kTileTurnClocks = 800;
// Runs of k blocks (stream-K) start at different k, so that neighbours no longer read the same
// lines at the same time: 4096^3 and 2048^3 in turns with whole tiles.
constexpr double kStreamSlowdown = 1.06;
constexpr double kStreamFixUpSeconds = 5e-6;
// Of a box of 128-byte lines that start anywhere every line is in two of the L2's.
constexpr double kStraddle = 2;

// Clocks that one block's k block costs each unit of its SM.
struct BlockCosts {
  double math = 0, smem = 0, l2_bytes = 0;
  double epilogue_bytes = 0;
  double latency = 0;  // per k block, shared by all blocks of the SM
  double k_blocks = 0;
  bool persistent = false;       // the next tile's loads run under this tile's end
  bool hidden_epilogue = false;  // and so do the next tile's products
};

// What adding up temporary sums adds to a k block's products. One temporary makes a consumer wait
// for its own additions, which issue slowly beside other consumers' products; two take turns.
// Clocks by measurements of 128 x 128, 128 x 192 and 192 x 128 tiles on an H200.
double PromotionSlowdown(const Candidate& candidate) {
  constexpr double kInTurns = 1.04;
  constexpr double kClocksPerAddition = 3.5;
  constexpr double kWaits = 175;  // for the products' end, the barrier and the fence
  const int temporaries = KnobOr(candidate.config, "temporaries", 0);
  if (temporaries != 1) {
    return temporaries == 0 ? 1 : kInTurns;
  }
  const bool swap = KnobOr(candidate.config, "swap", 0) != 0;
  const double cols = swap ? candidate.resources.tile_m : candidate.resources.tile_n;
  const double products = 2 * cols;  // clocks of 64 rows, 128 of k
  const double alone = products + kWaits + kClocksPerAddition * cols / 2;
  const double together = products * KnobOr(candidate.config, "consumers", 1);
  return std::max(alone, together) / together;
}

BlockCosts CostsOf(const GemmProblem& problem,
                   const Candidate& candidate,
                   const ArithmeticUnits& units) {
  const Resources& r = candidate.resources;
  const int element_bytes = BytesOf(problem.a.type);
  const double tile_fma = static_cast<double>(r.tile_m) * r.tile_n * r.tile_k;
  const double stage_bytes = (static_cast<double>(r.tile_m) + r.tile_n) * r.tile_k * element_bytes;
  const WarpTile warp = WarpTileOf(candidate);
  const double warp_reads = tile_fma / FmaPerSmemByte(warp.m, warp.n, element_bytes);

  BlockCosts costs;
  costs.math = tile_fma / units.fma_per_clock * PromotionSlowdown(candidate);
  costs.smem = (stage_bytes + warp_reads) / kSmemBytesPerClock;
  costs.hidden_epilogue = KnobOr(candidate.config, "pingpong", 0) != 0;
  costs.persistent = KnobOr(candidate.config, "consumers", 0) != 0;
  const auto straddle = [&](const Operand& operand) {
    constexpr std::int64_t kLineBytes = 128;
    const bool straddles = costs.persistent && operand.ld * BytesOf(operand.type) % kLineBytes != 0;
    return straddles ? kStraddle : 1;
  };
  // Blocks of a cluster load for each other.
  costs.l2_bytes = (r.tile_m * straddle(problem.a) / KnobOr(candidate.config, "cluster_n", 1) +
                    r.tile_n * straddle(problem.b) / KnobOr(candidate.config, "cluster_m", 1)) *
                   r.tile_k * element_bytes;
  const int out_bytes = r.split_k > 1 ? BytesOf(problem.acc) : BytesOf(problem.d.type);
  costs.epilogue_bytes = static_cast<double>(r.tile_m) * r.tile_n * out_bytes;
  // Little's law: all but one stage are in flight; a single stage hides nothing.
  costs.latency = r.stages > 1 ? (kLoadLatencyClocks + costs.math / 2) / (r.stages - 1)
                               : kLoadLatencyClocks + costs.math;
  const double k_share = std::ceil(static_cast<double>(problem.k) / r.split_k);
  costs.k_blocks = std::ceil(k_share / r.tile_k);
  return costs;
}

struct Term {
  double clocks = 0;
  std::string_view bound;
};

struct WaveCost {
  double clocks = 0;  // of the main loop
  double ends = 0;    // of filling the pipeline and of the epilogue
  Term k_block;       // the term that bounds the main loop
};

// Time of activities that overlap: the longest, and a little of the others (by a norm; with the 6th
// two of equal length cost 12 % more than one). It also orders candidates that differ only in terms
// that do not bound them.
double Overlapped(std::initializer_list<double> times, double norm = 6) {
  const double longest = std::max(times);
  if (longest <= 0) {
    return 0;
  }
  double sum = 0;
  for (const double time : times) {
    sum += std::pow(time / longest, norm);
  }
  return longest * std::pow(sum, 1 / norm);
}

double BulkL2Share(const DeviceSpec& device) {
  return kBulkL2ShareBytesPerClock *
         (device.l2_bytes_per_clock_per_sm / kPlainL2ShareBytesPerClock);
}

// One wave of `blocks_per_sm` blocks on each of `active_sms` SMs.
WaveCost CostOfWave(const BlockCosts& costs,
                    double blocks_per_sm,
                    double active_sms,
                    const DeviceSpec& device) {
  const double share = costs.persistent ? BulkL2Share(device) : device.l2_bytes_per_clock_per_sm;
  const double l2_rate = std::min(kL2PortBytesPerClock, share * device.sm_count / active_sms);
  const std::array<Term, 4> terms = {
      Term{.clocks = blocks_per_sm * costs.math, .bound = "math"},
      Term{.clocks = blocks_per_sm * costs.smem, .bound = "smem"},
      Term{.clocks = blocks_per_sm * costs.l2_bytes / l2_rate, .bound = "l2"},
      Term{.clocks = costs.latency, .bound = "latency"}};
  const Term worst = *std::max_element(
      terms.begin(), terms.end(), [](const Term& x, const Term& y) { return x.clocks < y.clocks; });
  // What the copy engine and the warpgroups' products do they do beside each other.
  const double norm = costs.persistent ? 16 : 6;
  const double k_block =
      Overlapped({terms[0].clocks, terms[1].clocks, terms[2].clocks, terms[3].clocks}, norm);
  const double epilogue = (costs.persistent ? kTileTurnClocks : kEpilogueClocks) +
                          blocks_per_sm * costs.epilogue_bytes / l2_rate;
  const double sync = costs.persistent ? 0 : kIterationSyncClocks;
  const double main_loop = costs.k_blocks * (k_block + sync);
  return {.clocks = main_loop, .ends = kLoadLatencyClocks + epilogue, .k_block = worst};
}

// Of two ways that measure alike the simpler one goes first.
double Complications(const Candidate& candidate) {
  constexpr double kSwap = 0.002;
  constexpr double kCluster = 0.01;  // blocks wait for each other
  const int cluster =
      KnobOr(candidate.config, "cluster_m", 1) * KnobOr(candidate.config, "cluster_n", 1);
  return 1 + (cluster > 1 ? kCluster : 0) + (KnobOr(candidate.config, "swap", 0) != 0 ? kSwap : 0);
}

// What a wave that another follows adds to its main loop.
double EndsBetweenWaves(const BlockCosts& costs, const WaveCost& wave) {
  if (costs.hidden_epilogue) {
    return 0;
  }
  return costs.persistent ? wave.ends - kLoadLatencyClocks : wave.ends;
}

double DramSeconds(const GemmProblem& problem,
                   const DeviceSpec& device,
                   const Candidate& candidate,
                   double active_sms,
                   std::int64_t slots) {
  const double pull = active_sms * kDramPullBytesPerClock * device.sm_clock_hz;
  const double rate = std::min(kDramEfficiency * device.dram_bytes_per_s, pull);
  return DramBytes(TrafficShapeOf(problem), TileOrderOf(problem, candidate, slots),
                   device.l2_bytes) /
         rate;
}

// Split-K through a workspace: every split is written, read back and added, by a second kernel or
// by the blocks themselves, which then wait for each other; or without a workspace in a cluster.
double FixUpSeconds(const DeviceSpec& device, const Candidate& candidate) {
  const Resources& r = candidate.resources;
  constexpr double kClusterSumSeconds = 0.8e-6;
  constexpr double kGridSumSeconds = 1.2e-6;
  if (r.split_k <= 1) {
    return IsStream(candidate) ? kStreamFixUpSeconds : 0;
  }
  if (r.workspace_bytes == 0) {
    return kClusterSumSeconds;
  }
  const double fixed =
      KnobOr(candidate.config, "reduce", 0) != 0 ? kGridSumSeconds : kExtraLaunchSeconds;
  const double l2_rate = device.l2_bytes_per_clock_per_sm * device.sm_count * device.sm_clock_hz;
  const double workspace = static_cast<double>(r.workspace_bytes);
  const bool in_l2 = workspace < 0.5 * static_cast<double>(device.l2_bytes);
  const double rate = in_l2 ? l2_rate : kDramEfficiency * device.dram_bytes_per_s;
  return fixed + 2 * workspace / rate;
}

// What the blocks cost the SMs, wave by wave.
struct SmClocks {
  double main_loop = 0;
  double ends = 0;  // filling the pipeline, epilogues, as far as nothing hides them
  Term main_term;   // the term that bounds the main loop
};

SmClocks ClocksOfStream(const BlockCosts& costs, const WaveCost& wave, double waves) {
  return {.main_loop = kStreamSlowdown * waves * wave.clocks,
          .ends = std::ceil(waves) * EndsBetweenWaves(costs, wave) + wave.ends,
          .main_term = wave.k_block};
}

struct Waves {
  std::int64_t full = 0;
  std::int64_t tail = 0;  // blocks of the last, if it is not full
};

SmClocks ClocksOfWaves(const BlockCosts& costs,
                       const DeviceSpec& device,
                       const Waves& waves,
                       double per_sm,
                       double active_sms) {
  SmClocks clocks;
  if (waves.tail > 0) {
    const std::int64_t tail_per_sm = (waves.tail + device.sm_count - 1) / device.sm_count;
    const WaveCost wave = CostOfWave(costs, static_cast<double>(tail_per_sm), active_sms, device);
    clocks = {.main_loop = wave.clocks, .ends = wave.ends, .main_term = wave.k_block};
  }
  if (waves.full > 0) {
    const WaveCost wave = CostOfWave(costs, per_sm, active_sms, device);
    const double full = static_cast<double>(waves.full);
    clocks.main_loop += full * wave.clocks;
    clocks.ends += full * EndsBetweenWaves(costs, wave);
    // The last wave's ends have nothing to hide under; a tail's are counted above.
    if (waves.tail == 0) {
      clocks.ends += wave.ends - EndsBetweenWaves(costs, wave);
    }
    clocks.main_term = wave.k_block;
  }
  return clocks;
}

}  // namespace

double WaveEfficiency(std::int64_t tiles, std::int64_t slots) {
  TW_CHECK(tiles > 0 && slots > 0);
  const std::int64_t waves = (tiles + slots - 1) / slots;
  return static_cast<double>(tiles) / (static_cast<double>(waves) * static_cast<double>(slots));
}

Prediction PredictTime(const GemmProblem& problem,
                       const DeviceSpec& device,
                       const Candidate& candidate) {
  const Resources& r = candidate.resources;
  TW_CHECK(r.tile_m > 0 && r.tile_n > 0 && r.tile_k > 0 && r.split_k > 0 && device.sm_count > 0);
  const ArithmeticUnits units = UnitsOf(problem, device, candidate.config.family);
  const BlockCosts costs = CostsOf(problem, candidate, units);

  const int per_sm = std::max(1, OccupancyOf(device, r).blocks_per_sm);
  const std::int64_t slots = static_cast<std::int64_t>(per_sm) * device.sm_count;
  const std::int64_t full_waves = r.blocks / slots;
  const std::int64_t tail = r.blocks % slots;
  const double active_sms = static_cast<double>(
      full_waves > 0 ? device.sm_count : std::min<std::int64_t>(tail, device.sm_count));

  const SmClocks clocks =
      IsStream(candidate)
          ? ClocksOfStream(costs,
                           CostOfWave(costs, per_sm, static_cast<double>(device.sm_count), device),
                           static_cast<double>(r.blocks) / static_cast<double>(slots))
          : ClocksOfWaves(costs, device, {.full = full_waves, .tail = tail}, per_sm, active_sms);
  const double sm_seconds = (clocks.main_loop + clocks.ends) / device.sm_clock_hz;
  const double dram_seconds =
      DramSeconds(problem, device, candidate, std::max(1.0, active_sms), slots);
  const double fixed_seconds = device.launch_s + FixUpSeconds(device, candidate);
  const double work_seconds = Overlapped({sm_seconds, dram_seconds});

  Prediction prediction;
  prediction.terms = {.main_loop_ns = clocks.main_loop / device.sm_clock_hz * 1e9,
                      .ends_ns = clocks.ends / device.sm_clock_hz * 1e9,
                      .dram_ns = dram_seconds * 1e9,
                      .fixed_ns = fixed_seconds * 1e9,
                      .main_bound = std::string(clocks.main_term.bound),
                      .complication = Complications(candidate)};
  prediction.time_ns = (fixed_seconds + work_seconds) * 1e9 * prediction.terms.complication;
  if (fixed_seconds > work_seconds) {
    prediction.bound = "launch";
  } else if (dram_seconds > sm_seconds) {
    prediction.bound = "dram";
  } else if (clocks.main_term.bound == "math") {
    prediction.bound = units.tensor ? "tensor" : "fma";
  } else {
    prediction.bound = std::string(clocks.main_term.bound);
  }
  return prediction;
}

}  // namespace tw
