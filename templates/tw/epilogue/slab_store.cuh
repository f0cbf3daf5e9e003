// Stores a warpgroup's wgmma sums: turned round in shared memory a slab of 64 rows at a time, from
// where D takes whole lines by TMA, or by the threads where TMA cannot reach it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/strip_values.cuh"
#include "tw/ptx/pack.cuh"
#include "tw/ptx/shared.cuh"
#include "tw/ptx/stmatrix.cuh"
#include "tw/ptx/sum_bits.cuh"
#include "tw/ptx/thread_groups.cuh"
#include "tw/ptx/tma.cuh"
#include "tw/vector.cuh"
#include "tw/wgmma_descriptor.h"

namespace tw {

// C gives: kStrips, kCols, kSwap (rows are N), kTmaStore, kStoreBytes, kRank (of the maps).
//
// A slab's lines run along the output's contiguous dimension. They are the strip's 64 rows, of
// kPiece columns or fewer at the end (8-bit outputs: always so); or kPiece columns, of 64 rows (of
// twice 32 where those are 256 bytes). Lines of 128 bytes are swizzled; shorter ones are packed.
template <class P, class C, class Output>
struct SlabStore {
  using Values = StripValues<P, Output, C::kSwap>;
  using Out = typename Output::Out;
  static constexpr int kOutBytes = sizeof(Out);
  static constexpr bool kLinesAreRows = Output::kLinesAreRows != C::kSwap;
  static constexpr int kStripRows = 64;
  static constexpr int kPiece = kSwizzleSpan / kOutBytes;
  static constexpr int kPieces = (C::kCols + kPiece - 1) / kPiece;
  static constexpr int kHalves = kLinesAreRows ? 1 : kStripRows / kPiece;
  static constexpr int kSlabs = 2;
  static constexpr int kSlabBytes = kStripRows * kSwizzleSpan;

  using Acc = typename P::Acc;
  using Sums = Acc[C::kCols / 2];  // of a strip
  using Accumulators = Sums[C::kStrips];

  const Output& output;
  const TensorMap* maps;  // of D: for pieces of kPiece columns; for a narrower last one
  uint32 slabs;           // of this warpgroup
  int barrier;            // of this warpgroup
  int row, col;           // first of its sums
  int rows, cols;         // of D
  int thread = static_cast<int>(threadIdx.x) % kWarpgroupThreads;
  int lane = thread % 32;
  int warp_row = thread / 32 * 16;  // first row of the warp in a strip

  // `slab`: which of the two is free, kept from tile to tile.
  TW_DEVICE void Run(const Accumulators& acc, uint32& slab) const {
#pragma unroll
    for (int strip = 0; strip < C::kStrips; ++strip) {
      Values values(output, row + strip * kStripRows + warp_row + lane / 4, col + lane % 4 * 2,
                    rows, cols);
      StorePieces<0>(acc[strip], values, strip, slab);
    }
  }

  // Shared memory is free again: before the block ends.
  static TW_DEVICE void Finish() {
    if constexpr (C::kTmaStore)
      TmaStoreWaitRead<0>();
  }

 private:
  // Columns of a piece.
  TW_HD static constexpr int WidthOf(int piece) {
    return C::kCols - piece * kPiece < kPiece ? C::kCols - piece * kPiece : kPiece;
  }

  template <int kAt>
  TW_DEVICE void StorePieces(const Sums& acc, Values& values, int strip, uint32& slab) const {
    StorePiece<kAt>(acc, values, strip, slabs + slab * kSlabBytes);
    slab ^= 1;
    if constexpr (kAt + 1 < kPieces)
      StorePieces<kAt + 1>(acc, values, strip, slab);
  }

  template <int kAt>
  TW_DEVICE void StorePiece(const Sums& acc, Values& values, int strip, uint32 slab) const {
    // Before a slab is written again its last reader is done: TMA says so; threads have met once
    // since, at the other slab.
    if constexpr (C::kTmaStore) {
      if (thread == 0)
        TmaStoreWaitRead<kSlabs - 1>();
      NamedBarrierSync(barrier, kWarpgroupThreads);
    }
    values.Renew();
    if constexpr (kOutBytes == 1) {
      PutBytes<kAt>(acc, values, slab);
    } else if constexpr (kOutBytes == 2) {
      PutPairs<kAt>(acc, values, slab);
    } else {
      PutWords<kAt>(acc, values, slab);
    }
    if constexpr (C::kTmaStore)
      FenceProxyAsync();
    NamedBarrierSync(barrier, kWarpgroupThreads);
    if constexpr (C::kTmaStore) {
      // A group a slab, also where nothing of it is inside of D: the waits count them.
      if (thread == 0) {
        StoreBoxes<kAt>(strip, slab);
        TmaStoreCommit();
      }
    } else {
      TakeLines<kAt>(strip, slab);
    }
  }

  // Shared address of a byte of a line.
  template <int kAt>
  static TW_DEVICE uint32 Address(uint32 slab, int line, int byte) {
    constexpr int kWidth = WidthOf(kAt);
    if constexpr (!kLinesAreRows || kWidth == kPiece) {
      return slab + line * kSwizzleSpan + (byte ^ (line % 8 * 16));
    } else {
      return slab + line * kWidth * kOutBytes + byte;
    }
  }

  // Two columns of 8-column group `group`, of the thread's row in half `half` of the warp's 16.
  static TW_DEVICE uint32 Pair(const Sums& acc, const Values& values, int group, int half) {
    const Acc* sums = acc + group * 4 + half * 2;
    return PackPair(values.At(sums[0], half, group * 8).bits,
                    values.At(sums[1], half, group * 8 + 1).bits);
  }

  // 16-bit outputs: stmatrix writes 8x8 tiles, line by line.
  template <int kAt>
  TW_DEVICE void PutPairs(const Sums& acc, const Values& values, uint32 slab) const {
    constexpr bool kAcross = !kLinesAreRows;
    constexpr int kGroups = WidthOf(kAt) / 8;
    constexpr int kFirst = kAt * kPiece / 8;
    // Tiles of stmatrix: rows 0 to 7 and 8 to 15 of a group of columns, then of the next.
    const int half = lane / 8 % 2;
#pragma unroll
    for (int group = 0; group + 1 < kGroups; group += 2) {
      const uint32 words[4] = {
          Pair(acc, values, kFirst + group, 0), Pair(acc, values, kFirst + group, 1),
          Pair(acc, values, kFirst + group + 1, 0), Pair(acc, values, kFirst + group + 1, 1)};
      Stmatrix4<kAcross>(TileAddress<kAt>(slab, group + lane / 16, half), words);
    }
    if constexpr (kGroups % 2 != 0) {
      const uint32 words[2] = {Pair(acc, values, kFirst + kGroups - 1, 0),
                               Pair(acc, values, kFirst + kGroups - 1, 1)};
      Stmatrix2<kAcross>(TileAddress<kAt>(slab, kGroups - 1, half), words);
    }
  }

  // The lane's line of the 8x8 tile of a group of columns and a half of the warp's rows.
  template <int kAt>
  TW_DEVICE uint32 TileAddress(uint32 slab, int group, int half) const {
    const int tile_row = warp_row + half * 8;
    return kLinesAreRows ? Address<kAt>(slab, tile_row + lane % 8, group * 16)
                         : Address<kAt>(slab, group * 8 + lane % 8, tile_row * 2);
  }

  // 32-bit outputs.
  template <int kAt>
  TW_DEVICE void PutWords(const Sums& acc, const Values& values, uint32 slab) const {
    constexpr int kWidth = WidthOf(kAt);
#pragma unroll
    for (int group = 0; group < kWidth / 8; ++group) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int in_strip = warp_row + lane / 4 + half * 8;
        const int in_piece = group * 8 + lane % 4 * 2;
        const int offset = kAt * kPiece + group * 8;
        const Acc* sums = acc + offset / 2 + half * 2;
        const uint32 first = SumBits(values.At(sums[0], half, offset));
        const uint32 second = SumBits(values.At(sums[1], half, offset + 1));
        if constexpr (kLinesAreRows) {
          StoreSharedPair(Address<kAt>(slab, in_strip, in_piece * 4), first, second);
        } else {
          const int line = in_strip / kPiece * kWidth + in_piece;
          const int byte = in_strip % kPiece * 4;
          StoreSharedWord(Address<kAt>(slab, line, byte), first);
          StoreSharedWord(Address<kAt>(slab, line + 1, byte), second);
        }
      }
    }
  }

  // 8-bit outputs, whose lines are rows: two columns at a time.
  template <int kAt>
  TW_DEVICE void PutBytes(const Sums& acc, const Values& values, uint32 slab) const {
    static_assert(kLinesAreRows, "a piece's 128 columns are a line");
#pragma unroll
    for (int group = 0; group < WidthOf(kAt) / 8; ++group) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int offset = kAt * kPiece + group * 8;
        const Acc* sums = acc + offset / 2 + half * 2;
        const Out pair[2] = {values.At(sums[0], half, offset),
                             values.At(sums[1], half, offset + 1)};
        StoreSharedHalf(
            Address<kAt>(slab, warp_row + lane / 4 + half * 8, group * 8 + lane % 4 * 2),
            PackVec<2>(pair).raw);
      }
    }
  }

  template <int kAt>
  TW_DEVICE void StoreBoxes(int strip, uint32 slab) const {
    constexpr int kWidth = WidthOf(kAt);
    const int at_row = row + strip * kStripRows;
    const int at_col = col + kAt * kPiece;
    if (at_row >= rows || at_col >= cols)
      return;
    const TensorMap& map = maps[kWidth == kPiece ? 0 : 1];
    const int batch = static_cast<int>(output.batch);
    if constexpr (kLinesAreRows) {
      TmaStore<C::kRank>(map, slab, {at_col, at_row, batch});
    } else {
#pragma unroll
      for (int half = 0; half < kHalves; ++half) {
        TmaStore<C::kRank>(map, slab + half * kWidth * kSwizzleSpan,
                           {at_row + half * kPiece, at_col, batch});
      }
    }
  }

  template <int kAt>
  TW_DEVICE void TakeLines(int strip, uint32 slab) const {
    constexpr int kWidth = WidthOf(kAt);
    constexpr int kUnit = C::kStoreBytes / kOutBytes;
    constexpr int kLines = kLinesAreRows ? kStripRows : kHalves * kWidth;
    constexpr int kUnitsPerLine = (kLinesAreRows ? kWidth : kPiece) / kUnit;
    const int first_row = row + strip * kStripRows;
    const int first_col = col + kAt * kPiece;
#pragma unroll 1
    for (int unit = thread; unit < kLines * kUnitsPerLine; unit += kWarpgroupThreads) {
      const int line = unit / kUnitsPerLine;
      const int along = unit % kUnitsPerLine * kUnit;
      Vec<Out, kUnit> x;
      x.raw = LoadSharedRaw<C::kStoreBytes>(Address<kAt>(slab, line, along * kOutBytes));
      if constexpr (kLinesAreRows) {
        StoreUnit(x, first_row + line, first_col + along, rows, cols);
      } else {
        StoreUnit(x, first_col + line % kWidth, first_row + line / kWidth * kPiece + along, cols,
                  rows);
      }
    }
  }

  // `across` counts lines of D, `along` elements of a line; the limits are D's.
  template <int kWidth>
  TW_DEVICE void StoreUnit(
      const Vec<Out, kWidth>& x, int across, int along, int lines, int length) const {
    if (across >= lines)
      return;
    Out* to = output.Address(0, 0) + across * output.LineStep() + along;
    if (along + kWidth <= length) {
      StoreVec<kWidth>(to, x);
    } else {
#pragma unroll
      for (int i = 0; i < kWidth; ++i) {
        if (along + i < length)
          to[i] = x.v[i];
      }
    }
  }
};

}  // namespace tw
