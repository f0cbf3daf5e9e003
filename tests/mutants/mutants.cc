// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutants.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "tuner/search/space.h"
#include "tw/base.cuh"

namespace tw {
namespace {

constexpr std::string_view kMma = "mma_sync";
constexpr std::string_view kSimt = "simt";
constexpr std::string_view kWgmma = "wgmma_tma";

// ---- problems ----------------------------------------------------------------------------------

GemmProblem Types(GemmProblem p, DType in, DType out, DType acc) {
  p.a.type = p.b.type = in;
  p.c.type = p.d.type = out;
  p.acc = acc;
  return p;
}

GemmProblem Bf16(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p = Types({.m = m, .n = n, .k = k}, DType::kBf16, DType::kBf16, DType::kF32);
  p.b.major = Major::kCol;
  return p;
}

GemmProblem F32(std::int64_t m, std::int64_t n, std::int64_t k) {
  return Types({.m = m, .n = n, .k = k}, DType::kF32, DType::kF32, DType::kF32);
}

GemmProblem S8(std::int64_t m, std::int64_t n, std::int64_t k) {
  return Types({.m = m, .n = n, .k = k}, DType::kS8, DType::kS32, DType::kS32);
}

GemmProblem Ready(const GemmProblem& p) {
  return Normalize(p).value();
}

GemmProblem PlainBf16() {
  return Ready(Bf16(384, 512, 512));
}

// Full of blocks and k tiles, so that a race has many chances.
GemmProblem BusyBf16() {
  return Ready(Bf16(2048, 2048, 2048));
}

GemmProblem BusyF32() {
  return Ready(F32(2048, 2048, 1024));
}

// Tiles of 128 x 128 and the like leave the last wave of a large device half empty.
GemmProblem WaveBf16() {
  return Ready(Bf16(1792, 1792, 1792));
}

// K fits no tile; 16-byte aligned rows, so that copies are asynchronous.
GemmProblem TailBf16() {
  return Ready(Bf16(256, 256, 1000));
}

GemmProblem TailF32() {
  return Ready(F32(128, 128, 173));
}

// Rows padded with what must not be read.
GemmProblem PaddedBf16() {
  GemmProblem p = Bf16(200, 264, 1000);
  p.a.ld = p.b.ld = 1064;
  return Ready(p);
}

// Edge tiles in both directions, gaps behind D's rows.
GemmProblem EdgeBf16() {
  GemmProblem p = Bf16(333, 301, 256);
  p.d.ld = 328;
  return Ready(p);
}

GemmProblem EdgeF32() {
  GemmProblem p = F32(333, 301, 96);
  p.d.ld = 328;
  return Ready(p);
}

GemmProblem LongKBf16() {
  return Ready(Bf16(64, 64, 16384));
}

GemmProblem LongKF32() {
  return Ready(F32(64, 64, 8192));
}

GemmProblem BiasBf16() {
  GemmProblem p = Bf16(256, 256, 128);
  p.epilogue.bias = BiasKind::kCol;
  return Ready(p);
}

GemmProblem BetaBf16() {
  GemmProblem p = Bf16(256, 256, 128);
  p.alpha = p.beta = ScalarKind::kOther;
  p.c.ld = 264;
  return Ready(p);
}

GemmProblem AlphaOnlyBf16() {
  GemmProblem p = Bf16(256, 256, 128);
  p.alpha = ScalarKind::kOther;
  return Ready(p);
}

GemmProblem ReluF32() {
  GemmProblem p = F32(200, 264, 136);
  p.epilogue.activation = "relu";
  return Ready(p);
}

// Half of the sums are negative: activated before the bias they are another value.
GemmProblem BiasAndSiluBf16() {
  GemmProblem p = Bf16(256, 256, 128);
  p.epilogue.bias = BiasKind::kCol;
  p.epilogue.activation = "silu";
  return Ready(p);
}

// Nearly every sum is beyond a byte.
GemmProblem NarrowS8() {
  GemmProblem p = S8(256, 256, 256);
  p.b.major = Major::kCol;
  p.c.type = p.d.type = DType::kS8;
  return Ready(p);
}

GemmProblem BatchBf16() {
  GemmProblem p = Bf16(96, 160, 128);
  p.batch = 4;
  return Ready(p);
}

// The fifth item of A starts 2^32 elements behind the first.
GemmProblem FarBatchS8() {
  GemmProblem p = S8(64, 64, 128);
  p.b.major = Major::kCol;
  p.batch = 5;
  p.a.batch_stride = std::int64_t{1} << 30;
  return Ready(p);
}

GemmProblem PlainS8() {
  GemmProblem p = S8(128, 192, 256);
  p.b.major = Major::kCol;
  return Ready(p);
}

GemmProblem PlainTf32() {
  GemmProblem p = Types({.m = 256, .n = 256, .k = 512}, DType::kTf32, DType::kF32, DType::kF32);
  p.b.major = Major::kCol;
  return Ready(p);
}

// Long enough for sums of 14 bits to be far from those of fp32.
GemmProblem LongFp8() {
  GemmProblem p = Types({.m = 256, .n = 512, .k = 4096}, DType::kE4m3, DType::kF32, DType::kF32);
  p.b.major = Major::kCol;
  return Ready(p);
}

GemmProblem ScaledBf16() {
  GemmProblem p = Bf16(256, 256, 256);
  p.epilogue.scale = ScaleKind::kRowCol;
  return Ready(p);
}

GemmProblem PlainF16Out() {
  GemmProblem p = Types({.m = 256, .n = 256, .k = 128}, DType::kF16, DType::kF16, DType::kF32);
  return Ready(p);
}

// ---- candidates that carry a fault -------------------------------------------------------------

bool Any(const GemmProblem& /*problem*/, const KernelConfig& /*config*/) {
  return true;
}

bool Split(const GemmProblem& /*problem*/, const KernelConfig& config) {
  return config.Get("split_k") > 1;
}

bool Unsplit(const GemmProblem& problem, const KernelConfig& config) {
  return !Split(problem, config);
}

// Slices of unequal length.
bool UnevenSplit(const GemmProblem& problem, const KernelConfig& config) {
  const int split = config.Get("split_k");
  return split > 1 && CeilDiv(problem.k, config.Get("tile_k")) % split != 0;
}

// K is no multiple of the tile: also in the last slice of many.
bool CutsK(const GemmProblem& problem, const KernelConfig& config) {
  return problem.k % config.Get("tile_k") != 0;
}

bool TwoTileColumns(const GemmProblem& problem, const KernelConfig& config) {
  return Unsplit(problem, config) && problem.n >= 2 * config.Get("tile_n");
}

bool CutsRows(const GemmProblem& problem, const KernelConfig& config) {
  return problem.m % config.Get("tile_m") != 0;
}

bool CutsColumns(const GemmProblem& problem, const KernelConfig& config) {
  return Unsplit(problem, config) && problem.n % config.Get("tile_n") != 0;
}

// Filling more stages takes longer than the first one's data take to come: nobody could then see on
// an H200 that they are not waited for.
bool FewStages(const GemmProblem& /*problem*/, const KernelConfig& config) {
  constexpr int kMost = 4;
  return config.Get("stages") <= kMost;
}

// Several warps share a tile: without the barrier they read what others have not yet brought.
bool ManyWarps(const GemmProblem& /*problem*/, const KernelConfig& config) {
  constexpr int kWarps = 4;
  return config.Get("tile_m") / config.Get("warp_m") *
             (config.Get("tile_n") / config.Get("warp_n")) >=
         kWarps;
}

// More warps than an SM has schedulers: with one each they keep step on an H200 even without the
// barrier, whatever else the device does.
bool ManyThreads(const GemmProblem& /*problem*/, const KernelConfig& config) {
  constexpr int kThreads = 256;
  return config.Get("tile_m") / config.Get("thread_m") *
             (config.Get("tile_n") / config.Get("thread_n")) >=
         kThreads;
}

// ---- of wgmma_tma

// Tiles of D over which persistent blocks walk; whole k blocks for all of them.
bool Persistent(const GemmProblem& /*problem*/, const KernelConfig& config) {
  return config.Get("reduce") == 0;
}

// Whole sums: a short slice is hardly worse without promotion, and may have no group of blocks.
bool Promoted(const GemmProblem& /*problem*/, const KernelConfig& config) {
  return config.Get("temporaries") > 0 && config.Get("split_k") == 1;
}

bool TakesTwoTemporaries(const GemmProblem& problem, const KernelConfig& config) {
  return Promoted(problem, config) && config.Get("temporaries") == 2;
}

bool Shared(const GemmProblem& problem, const KernelConfig& config) {
  return Persistent(problem, config) && config.Get("consumers") > 1 && config.Get("pingpong") == 0;
}

// D leaves by TMA in lines of 128 bytes of 16-bit elements, which are swizzled; shorter ones are
// not.
bool StoresLines(const GemmProblem& problem, const KernelConfig& config) {
  constexpr int kLine = 64;
  return Persistent(problem, config) && config.Get("swap") == 0 && config.Get("tma_store") != 0 &&
         config.Get("tile_n") >= kLine;
}

// And then in a shorter one.
bool CutsLine(const GemmProblem& problem, const KernelConfig& config) {
  constexpr int kLine = 64;
  return StoresLines(problem, config) && config.Get("tile_n") % kLine != 0 &&
         problem.n > config.Get("tile_n");
}

bool SummedByBlocks(const GemmProblem& problem, const KernelConfig& config) {
  return Split(problem, config) && config.Get("reduce") != 0;
}

bool SummedInGrid(const GemmProblem& /*problem*/, const KernelConfig& config) {
  return config.Get("reduce") == 1;
}

bool Stream(const GemmProblem& /*problem*/, const KernelConfig& config) {
  return config.Get("reduce") == 3;
}

// ---- faults ------------------------------------------------------------------------------------

constexpr std::string_view kPipeline = "tw/mainloop/cp_async_pipeline.cuh";
constexpr std::string_view kOperandCopy = "tw/mainloop/operand_copy.cuh";
constexpr std::string_view kSimtOperand = "tw/mainloop/simt_operand.cuh";
constexpr std::string_view kFragments = "tw/mainloop/fragments.cuh";
constexpr std::string_view kLinear = "tw/epilogue/linear.cuh";
constexpr std::string_view kWarpStore = "tw/epilogue/warp_store.cuh";
constexpr std::string_view kOutput = "tw/epilogue/output.cuh";
constexpr std::string_view kStripValues = "tw/epilogue/strip_values.cuh";
constexpr std::string_view kSlabStore = "tw/epilogue/slab_store.cuh";
constexpr std::string_view kFragmentReduce = "tw/epilogue/fragment_reduce.cuh";
constexpr std::string_view kWgmmaLoop = "tw/mainloop/wgmma_loop.cuh";
constexpr std::string_view kWgmmaBlocks = "tw/mainloop/wgmma_blocks.cuh";
constexpr std::string_view kPromotedLoop = "tw/mainloop/promoted_loop.cuh";
constexpr std::string_view kDescriptor = "tw/wgmma_descriptor.h";
constexpr std::string_view kClusterTiles = "tw/schedule/cluster_tiles.cuh";
constexpr std::string_view kWgmmaGemm = "tw/families/wgmma_tma.cuh";
constexpr std::string_view kReduce = "tw/schedule/split_k_reduce.cuh";
constexpr std::string_view kOrder = "tw/schedule/tile_order.cuh";
constexpr std::string_view kLayout = "tw/operand_layout.h";
constexpr std::string_view kTypes = "tw/dtype.cuh";
constexpr std::string_view kMmaGemm = "tw/families/mma_sync.cuh";
constexpr std::string_view kSimtGemm = "tw/families/simt.cuh";

constexpr std::array kMutants{
    Mutant{"dropped_k_tail", kMma, kPipeline, "int64 tiles = CeilDiv(k_left, LayoutA::kTileK);",
           "int64 tiles = k_left / LayoutA::kTileK;", TailBf16, CutsK},
    Mutant{"dropped_k_tail_simt", kSimt, kSimtOperand,
           "int left = k_left - k_ - KOf(c * Spec::kThreads);",
           "int left = k_left - 1 - k_ - KOf(c * Spec::kThreads);", TailF32, CutsK},
    Mutant{"swapped_edge_tiles", kMma, kMmaGemm, "at.row + warp_m, at.col + warp_n).Run(acc);",
           "at.row + warp_m, at.col + warp_n + (p.n - at.col <= kPlan.tile_n ? -kPlan.tile_n : "
           "p.n - at.col <= 2 * kPlan.tile_n ? kPlan.tile_n : 0)).Run(acc);",
           PlainBf16, TwoTileColumns},
    Mutant{"partial_sums_of_16_bits", kMma, kPipeline, "      read.Next();\n",
           "      read.Next(); for (auto& r : acc) for (auto& t : r) for (auto& x : t) "
           "x = __uint_as_float((__float_as_uint(x) + 0x8000u) & 0xffff0000u);\n",
           PlainBf16, Any},
    Mutant{"slices_of_16_bits", kMma, kOutput,
           "TW_DEVICE Out Finish(typename P::Acc acc, int64, int64) const { return acc; }",
           "TW_DEVICE Out Finish(typename P::Acc acc, int64, int64) const { "
           "return __uint_as_float((__float_as_uint(acc) + 0x8000u) & 0xffff0000u); }",
           LongKBf16, Split},
    Mutant{"stale_shared_memory", kMma, kPipeline, "CpAsyncWait<kStages - 2>();",
           "CpAsyncWait<kStages - 1>();", BusyBf16, FewStages},
    Mutant{"stale_stage", kMma, kPipeline, "      write.Next();\n      read.Next();",
           "      write.Next(); if (tiles != 3) read.Next();", PlainBf16, Unsplit},
    Mutant{"missing_barrier", kMma, kPipeline, "      __syncthreads();\n", "\n", BusyBf16,
           ManyWarps},
    Mutant{"missing_barrier_simt", kSimt, kSimtGemm,
           "      CpAsyncWait<kStages - 2>();\n    __syncthreads();",
           "      CpAsyncWait<kStages - 2>();", BusyF32, ManyThreads},
    Mutant{"bias_on_the_wrong_axis", kMma, kLinear, "Bias::kCol ? col : row]);",
           "Bias::kCol ? row : col]);", BiasBf16, Any},
    Mutant{"beta_applied_twice", kMma, kLinear, ": static_cast<Compute>(p.beta) * c;",
           ": static_cast<Compute>(p.beta) * static_cast<Compute>(p.beta) * c;", BetaBf16, Any},
    Mutant{"alpha_forgotten", kMma, kLinear, "scale *= static_cast<Compute>(p.alpha);", "",
           BetaBf16, Any},
    Mutant{"c_by_the_stride_of_d", kMma, kLinear,
           "(P::kCRowMajor ? row * p.ldc + col : col * p.ldc + row);",
           "(P::kCRowMajor ? row * p.ldd + col : col * p.ldd + row);", BetaBf16, Any},
    Mutant{"c_read_at_beta_0", kMma, kLinear, "return Combine(acc, scale, bias, c, p);",
           "return Combine(acc + 0 * Widen<Compute>(static_cast<const typename P::C*>(p.c)["
           "OffsetC(p, batch, row, col)]), scale, bias, c, p);",
           AlphaOnlyBf16, Any},
    Mutant{"activation_forgotten", kSimt, kLinear, "x = P::Activation::Apply(x);", "", ReluF32,
           Any},
    Mutant{"activation_before_bias", kMma, kLinear,
           "        x += bias;\n      x = P::Activation::Apply(x);",
           "        x = P::Activation::Apply(x) + bias;\n      else\n"
           "        x = P::Activation::Apply(x);",
           BiasAndSiluBf16, Any},
    Mutant{"saturation_missing", kMma, kTypes, "cvt.sat.s8.s32", "cvt.s8.s32", NarrowS8, Any},
    Mutant{"write_past_d", kMma, kWarpStore, "length_left = kRows ? cols_left : rows_left;",
           "length_left = (kRows ? cols_left : rows_left) + 1;", EdgeBf16, CutsColumns},
    Mutant{"write_past_d_simt", kSimt, kSimtGemm,
           "int valid = kOutRowMajor ? window.cols - col : window.rows - row;",
           "int valid = 1 + (kOutRowMajor ? window.cols - col : window.rows - row);", EdgeF32,
           CutsColumns},
    Mutant{"unwritten_tile", kSimt, kSimtGemm, "if (outside || valid <= 0)",
           "if (outside || valid <= 0 || (window.row + kPlan.tile_m >= p.m && window.col == 0))",
           EdgeF32, Unsplit},
    Mutant{"unwritten_last_row", kMma, kWarpStore, "lines_left = kRows ? rows_left : cols_left;",
           "lines_left = (kRows ? rows_left : cols_left) - 1;", EdgeBf16, CutsRows},
    Mutant{"wrong_batch_stride", kMma, kMmaGemm, "batch * p.stride_b;", "batch * p.stride_a;",
           BatchBf16, Any},
    Mutant{"offset_of_32_bits", kMma, kMmaGemm, "batch * p.stride_a;",
           "static_cast<uint32>(batch) * static_cast<uint32>(p.stride_a);", FarBatchS8, Any},
    Mutant{"rounding_towards_zero", kMma, kTypes, "cvt.rn.bf16.f32", "cvt.rz.bf16.f32", PlainBf16,
           Any},
    Mutant{"rounding_towards_zero_f16", kSimt, kTypes, "cvt.rn.f16.f32", "cvt.rz.f16.f32",
           PlainF16Out, Any},
    Mutant{"truncated_tf32", kMma, kFragments, "word = RoundToTf32(word);", "word = word;",
           PlainTf32, Any},
    Mutant{"nan_from_outside_k", kMma, kOperandCopy,
           "int bytes = Clamp(cursor.Bytes(k_left), kCopyBytes);", "int bytes = kCopyBytes;",
           PaddedBf16, CutsK},
    Mutant{"one_swizzle_bit", kMma, kLayout, "    return Offset(row, byte);\n",
           "    return Offset(row, byte) ^ (lane == 9 ? kChunkBytes : 0);\n", PlainBf16, Any},
    Mutant{"accumulators_not_cleared", kMma, kMmaGemm, "    Clear(acc);\n",
           "    Clear(acc); if (item.tile_n > 0) acc[0][0][0] = 1;\n", PlainBf16, TwoTileColumns},
    Mutant{"lost_slice", kMma, kReduce, "for (int s = 1; s < kSlices; ++s) {",
           "for (int s = 1; s < kSlices - 1; ++s) {", LongKBf16, Split},
    Mutant{"lost_slice_simt", kSimt, kReduce, "for (int s = 1; s < kSlices; ++s) {",
           "for (int s = 1; s < kSlices - 1; ++s) {", LongKF32, Split},
    Mutant{"shortened_slice", kMma, kOrder, "begin + length + (slice < longer ? 1 : 0)}",
           "begin + length}", TailBf16, UnevenSplit},
    Mutant{"unsigned_bytes", kSimt, kSimtGemm, "dp4a.s32.s32", "dp4a.u32.s32", PlainS8, Any},
    Mutant{"last_term_twice", kMma, kPipeline,
           "    Multiply(acc, a[1], b[1]);\n    CpAsyncWait<0>();",
           "    Multiply(acc, a[1], b[1]); Multiply(acc, a[1], b[1]);\n    CpAsyncWait<0>();",
           PlainBf16, Any},
    Mutant{"wgmma_stale_stage", kWgmma, kWgmmaBlocks, "ring.Tile(at.stage), accumulate",
           "ring.Tile(at.stage == 1 ? 0 : at.stage), accumulate", BusyBf16, Persistent},
    Mutant{"wgmma_first_block_lost", kWgmma, kWgmmaLoop, "at, block > 0);", "at, block > 1);",
           PlainBf16, Persistent},
    Mutant{"wgmma_promotion_skipped", kWgmma, kWgmmaGemm, "(kPlan.temporaries > 0)>", "false>",
           LongFp8, Promoted},
    Mutant{"wgmma_promoted_block_lost", kWgmma, kPromotedLoop,
           "      Add(acc, sums[(kBlocks - 1) % C::kTemporaries]);",
           "      if (kBlocks == 1) Add(acc, sums[0]);", LongFp8, TakesTwoTemporaries},
    Mutant{"wgmma_dropped_k_tail", kWgmma, kClusterTiles,
           "static_cast<int>(CeilDiv(p.k, C::kBlockK))", "static_cast<int>(p.k / C::kBlockK)",
           TailBf16, Persistent},
    Mutant{"wgmma_descriptor_step", kWgmma, kDescriptor, "k_major ? 2 : 32", "k_major ? 4 : 32",
           PlainBf16, Any},
    Mutant{"wgmma_rows_of_the_other_consumer", kWgmma, kWgmmaGemm, "+ first_strip * kStripRows;",
           "+ 0 * first_strip;", PlainBf16, Shared},
    Mutant{"wgmma_slab_swizzle", kWgmma, kSlabStore, "(line % 8 * 16)", "(line % 4 * 16)",
           PlainBf16, StoresLines},
    Mutant{"wgmma_narrow_piece_as_whole", kWgmma, kSlabStore, "maps[kWidth == kPiece ? 0 : 1]",
           "maps[0]", BusyBf16, CutsLine},
    Mutant{"wgmma_c_of_another_row", kWgmma, kStripValues, "row + half * 8;", "row + half * 7;",
           BetaBf16, Any},
    Mutant{"scale_of_the_first_row", kMma, kLinear, "p.scale_a[kEach ? row : 0]",
           "p.scale_a[0 * row]", ScaledBf16, Any},
    Mutant{"wgmma_scale_of_the_other_half", kWgmma, kStripValues, "kScaleEach ? row + 8 : 0",
           "kScaleEach ? row : 0", ScaledBf16, Any},
    Mutant{"wgmma_lost_slice", kWgmma, kFragmentReduce, "sum.v[i] += x[s].v[i];",
           "sum.v[i] += s > 0 ? x[s].v[i] : 0;", LongKBf16, SummedByBlocks},
    Mutant{"wgmma_counters_left_behind", kWgmma, kWgmmaGemm,
           "    if (sum.thread == 0)\n      ArriveAndWrap(counter, kLast);\n  }", "  }", LongKBf16,
           SummedInGrid},
    Mutant{"wgmma_lost_helper", kWgmma, kWgmmaGemm, "helper <= block + work.helpers;",
           "helper < block + work.helpers;", WaveBf16, Stream},
};

}  // namespace

void PrintTo(const Mutant& mutant, std::ostream* out) {
  *out << mutant.name;
}

std::span<const Mutant> AllMutants() {
  return kMutants;
}

Candidate DrawCarrier(const Mutant& mutant,
                      const GemmProblem& problem,
                      const DeviceSpec& device,
                      std::mt19937_64& rng) {
  std::vector<Candidate> candidates =
      BuildSpace(problem, device, {}, std::string(mutant.family)).candidates;
  std::erase_if(candidates, [&](const Candidate& c) { return !mutant.carries(problem, c.config); });
  TW_CHECK(!candidates.empty());
  return candidates[rng() % candidates.size()];
}

Result<KernelSource> SourceFrom(const TemplateStore& templates,
                                const GemmProblem& problem,
                                const DeviceSpec& device,
                                const KernelConfig& config) {
  return BuildSource({*FindFamily(config.family), problem, device, config}, templates);
}

Result<TemplateStore> Plant(const Mutant& mutant, const TemplateStore& templates) {
  return templates.Patched(std::string(mutant.file), mutant.text, mutant.replacement);
}

}  // namespace tw
