// SPDX-License-Identifier: Apache-2.0
#include "conflict_kernel.h"

#include <string_view>

#include "codegen/source_builder.h"
#include "codegen/source_text.h"

namespace tw {
namespace {

constexpr int kRows = 16;
constexpr int kWarpColumnBytes = 32;  // two of the 16-byte chunks of a row: a warp's four 8x8 tiles
constexpr std::uint32_t kWarpThreads = 32;

constexpr const char* kConflictBody = R"cuda(
#include "tw/ptx/ldmatrix.cuh"
#include "tw/swizzle.h"

extern "C" __global__ void @ENTRY@(unsigned* out) {
  constexpr int kPitch = @PITCH@;
  constexpr tw::Swizzle kSwizzle = @SWIZZLE@;
  // Never written: stores would count on their own, and the values do not matter.
  __shared__ __align__(1024) unsigned char tile[@ROWS@ * kPitch];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = lane % 16;
  const int byte = warp * @WARP_BYTES@ + lane / 16 * tw::kChunkBytes;
  unsigned words[4];
  tw::Ldmatrix4(static_cast<unsigned>(__cvta_generic_to_shared(tile)) +
                    static_cast<unsigned>(kSwizzle.Offset(kPitch, row, byte)),
                words);
  // Global stores pass through the same banks: only when every read is over.
  __syncthreads();
  out[threadIdx.x] = words[0] ^ words[1] ^ words[2] ^ words[3];
}
)cuda";

ConflictCase Case(int row_bytes, int pad_bytes, bool swizzled) {
  const std::string how = swizzled         ? "_swizzled"
                          : pad_bytes != 0 ? "_padded_by_" + std::to_string(pad_bytes)
                                           : "";
  return {.name = "conflicts_rows_of_" + std::to_string(row_bytes) + how,
          .layout = {.row_bytes = row_bytes, .pad_bytes = pad_bytes, .swizzled = swizzled}};
}

}  // namespace

std::vector<ConflictCase> ConflictCases() {
  return {Case(64, 0, false),  Case(64, 16, false),  Case(64, 0, true),
          Case(128, 0, false), Case(128, 32, false), Case(128, 0, true),
          Case(256, 0, false), Case(256, 16, false), Case(256, 0, true)};
}

std::int64_t PhasesOf(const ConflictCase& layout) {
  return LdmatrixPhases(std::int64_t{kRows} * layout.layout.row_bytes);
}

std::int64_t PredictedConflicts(const ConflictCase& layout) {
  return ExtraWavefronts(LdmatrixWays(layout.layout), PhasesOf(layout));
}

KernelSource ConflictSource(const ConflictCase& layout, const std::string& arch) {
  const SharedLayout& rows = layout.layout;
  const std::string text = SubstituteMarks(
      kConflictBody, {{"ENTRY", layout.name},
                      {"PITCH", std::to_string(rows.row_bytes + rows.pad_bytes)},
                      {"SWIZZLE", rows.swizzled ? "tw::ChunkSwizzle(kPitch)" : "tw::Swizzle{}"},
                      {"ROWS", std::to_string(kRows)},
                      {"WARP_BYTES", std::to_string(kWarpColumnBytes)}});
  KernelSource source;
  source.entry = layout.name;
  source.text = FlattenIncludes(text, TemplateStore()).value();
  source.arch = arch;
  for (std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

std::uint32_t ConflictThreads(const ConflictCase& layout) {
  return static_cast<std::uint32_t>(layout.layout.row_bytes / kWarpColumnBytes) * kWarpThreads;
}

}  // namespace tw
