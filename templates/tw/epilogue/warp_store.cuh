// Stores a warp's mma accumulators: turned round in shared memory 16 lines at a time, so that each
// store writes consecutive elements of D.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/output.cuh"
#include "tw/families/mma_sync.plan.h"
#include "tw/operand_layout.h"
#include "tw/ptx/pack.cuh"
#include "tw/vector.cuh"

namespace tw::mma_sync {

template <class Out, bool kPacked>
struct WordOf {
  using Type = Out;
};

template <class Out>
struct WordOf<Out, true> {
  using Type = uint32;
};

// C gives: Acc, LayoutA, LayoutB, kWarpM, kWarpN, kStoreBytes.
template <class C, class Output>
struct WarpStore {
  using Acc = typename C::Acc;
  using Out = typename Output::Out;
  using LayoutA = typename C::LayoutA;
  using LayoutB = typename C::LayoutB;

  static constexpr bool kRows = Output::kLinesAreRows;
  static constexpr int kLineLength = kRows ? C::kWarpN : C::kWarpM;
  static constexpr int kPitch = EpiloguePitch(kRows, C::kWarpM, C::kWarpN);
  static constexpr int kSpace = kEpilogueLines * kPitch;  // accumulators
  static constexpr int kSlabs = (kRows ? C::kWarpM : C::kWarpN) / kEpilogueLines;
  static constexpr int kTilesM = C::kWarpM / 16;
  static constexpr int kTilesN = C::kWarpN / 8;
  static constexpr int kWidth = C::kStoreBytes / static_cast<int>(sizeof(Out));
  static constexpr int kReadWidth = kWidth < 4 ? kWidth : 4;
  static constexpr int kUnitsPerLine = kLineLength / kWidth;
  static constexpr int kUnitsPerLane = kEpilogueLines * kUnitsPerLine / kWarpThreads;
  static constexpr int kBatch = kUnitsPerLane < 4 ? kUnitsPerLane : 4;
  static_assert(kEpilogueLines * kUnitsPerLine % kWarpThreads == 0, "the warp stays together");

  // What a store moves: 16-bit outputs go in pairs.
  static constexpr bool kPacked = sizeof(Out) == 2 && kWidth > 1;
  using Word = typename WordOf<Out, kPacked>::Type;
  static constexpr int kWords = kPacked ? kWidth / 2 : kWidth;

  using Accumulators = Acc[kTilesM][kTilesN][4];

  const Output& output;
  Acc* space;      // of the warp: kSpace
  int64 row, col;  // of the warp's tile
  Out* origin;     // the same in the output
  int64 line_step;
  int lines_left, length_left;  // of the output from there on, at most 2^20
  int lane;

  TW_DEVICE WarpStore(const Output& to, Acc* warp_space, int64 warp_row, int64 warp_col)
      : output(to),
        space(warp_space),
        row(warp_row),
        col(warp_col),
        origin(to.Address(warp_row, warp_col)),
        line_step(to.LineStep()),
        lane(threadIdx.x % kWarpThreads) {
    int rows_left = static_cast<int>(Min(to.p.m - row, 1 << 20));
    int cols_left = static_cast<int>(Min(to.p.n - col, 1 << 20));
    lines_left = kRows ? rows_left : cols_left;
    length_left = kRows ? cols_left : rows_left;
  }

  // Requires: nobody else uses the space. May end with lanes apart.
  TW_DEVICE void Run(const Accumulators& acc) const {
    const bool whole = lines_left >= kSlabs * kEpilogueLines && length_left >= kLineLength;
#pragma unroll 1
    for (int slab = 0; slab < kSlabs; ++slab) {
      if (slab > 0)
        __syncwarp();
      PutSlab(acc, slab);
      __syncwarp();
      if (whole) {
        TakeWhole(slab);
      } else {
        TakeEdge(slab);
      }
    }
  }

 private:
  // Registers have no run-time index: one branch a slab.
  TW_DEVICE void PutSlab(const Accumulators& acc, int slab) const {
#pragma unroll
    for (int i = 0; i < kSlabs; ++i) {
      if (i == slab) {
        if constexpr (kRows) {
          PutRows(acc, i);
        } else {
          PutColumns(acc, i);
        }
      }
    }
  }

  // Slab = one mma tile of rows; lines = its 16 rows.
  TW_DEVICE void PutRows(const Accumulators& acc, int slab) const {
    int index = lane / 4;
    int pair = lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < kTilesN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Acc* line = space + (half * 8 + index) * kPitch;
        if constexpr (LayoutB::kInterleaved) {
          line[LayoutB::OctetMn(j, pair)] = acc[slab][j][half * 2];
          line[LayoutB::OctetMn(j, pair + 1)] = acc[slab][j][half * 2 + 1];
        } else {
          Vec<Acc, 2> both;
          both.v[0] = acc[slab][j][half * 2];
          both.v[1] = acc[slab][j][half * 2 + 1];
          StoreVec<2>(line + LayoutB::OctetMn(j, pair), both);
        }
      }
    }
  }

  // Slab = two octets of columns; lines = their 16 columns.
  TW_DEVICE void PutColumns(const Accumulators& acc, int slab) const {
    int index = lane / 4;
    int pair = lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int position = LayoutA::OctetMn(i * 2 + half, index);
#pragma unroll
        for (int octet = 0; octet < 2; ++octet) {
          Acc* line = space + (octet * 8 + pair) * kPitch + position;
          line[0] = acc[i][slab * 2 + octet][half * 2];
          line[kPitch] = acc[i][slab * 2 + octet][half * 2 + 1];
        }
      }
    }
  }

  // Where a unit lies in the warp's tile: its line and its first element of the line.
  struct Unit {
    const Acc* sums;
    int across, along;
  };

  TW_DEVICE Unit UnitAt(int slab, int index) const {
    int unit = index * kWarpThreads + lane;
    int line = unit / kUnitsPerLine;
    int along = unit % kUnitsPerLine * kWidth;
    int octet = slab * 2 + line / 8;
    int across = kRows ? LayoutA::OctetMn(octet, line % 8) : LayoutB::OctetMn(octet, line % 8);
    return {space + line * kPitch + along, across, along};
  }

  // All the values before all the stores: what the epilogue reads (C) is in flight at once.
  TW_DEVICE void TakeWhole(int slab) const {
#pragma unroll 1
    for (int first = 0; first < kUnitsPerLane; first += kBatch) {
      Vec<Word, kWords> out[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        out[i] = Finish(UnitAt(slab, first + i));
#pragma unroll
      for (int i = 0; i < kBatch; ++i)
        StoreUnit(UnitAt(slab, first + i), out[i]);
    }
  }

  // The same at the edges of the output, where units may be cut short.
  TW_DEVICE void TakeEdge(int slab) const {
#pragma unroll 1
    for (int index = 0; index < kUnitsPerLane; ++index) {
      Unit unit = UnitAt(slab, index);
      int left = unit.across < lines_left ? length_left - unit.along : 0;
      if (left >= kWidth) {
        StoreUnit(unit, Finish(unit));
      } else {
#pragma unroll 1
        for (int i = 0; i < left; ++i)
          AddressOf(unit)[i] = Finish(unit.sums[i], unit.across, unit.along + i);
      }
    }
  }

  TW_DEVICE Out* AddressOf(const Unit& unit) const {
    return origin + unit.across * line_step + unit.along;
  }

  TW_DEVICE void StoreUnit(const Unit& unit, const Vec<Word, kWords>& words) const {
    StoreVec<kWords>(reinterpret_cast<Word*>(AddressOf(unit)), words);
  }

  TW_DEVICE Vec<Word, kWords> Finish(const Unit& unit) const {
    Word words[kWords];
#pragma unroll
    for (int first = 0; first < kWidth; first += kReadWidth) {
      Vec<Acc, kReadWidth> sums = LoadVec<kReadWidth>(unit.sums + first);
      Out out[kReadWidth];
#pragma unroll
      for (int i = 0; i < kReadWidth; ++i)
        out[i] = Finish(sums.v[i], unit.across, unit.along + first + i);
      if constexpr (kPacked) {
#pragma unroll
        for (int i = 0; i < kReadWidth; i += 2)
          words[(first + i) / 2] = PackPair(out[i].bits, out[i + 1].bits);
      } else {
#pragma unroll
        for (int i = 0; i < kReadWidth; ++i)
          words[first + i] = out[i];
      }
    }
    return PackVec<kWords>(words);
  }

  TW_DEVICE Out Finish(Acc sum, int across, int along) const {
    return output.Finish(sum, row + (kRows ? across : along), col + (kRows ? along : across));
  }
};

}  // namespace tw::mma_sync
