// Split-K summed by the blocks that computed the slices: each leaves its sums as the threads hold
// them, in pieces of four, and then adds up its share of the tile's pieces over all slices, in the
// order of the slices, so that the bits do not depend on timing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/strip_values.cuh"
#include "tw/ptx/cluster_memory.cuh"
#include "tw/ptx/grid_sync.cuh"
#include "tw/ptx/thread_groups.cuh"

namespace tw {

// Pieces in the workspace: for each tile and slice, or for each block, `per_slice` of them behind
// each other. A thread's own lie at constant steps from its first: one address serves them all.
template <class Acc>
struct WorkspacePieces {
  Vec<Acc, 4>* first;
  int per_slice;

  struct Place {
    Vec<Acc, 4>* at;

    TW_DEVICE void Put(int step, const Vec<Acc, 4>& x) const { StoreThroughL2(at + step, x); }

    TW_DEVICE Vec<Acc, 4> Get(int step) const { return LoadThroughL2(at + step); }
  };

  TW_DEVICE Place From(int slice, int piece) const {
    return {AddressedFromHere(first + static_cast<int64>(slice) * per_slice + piece)};
  }
};

// Pieces in the shared memory of the cluster's blocks, whose ranks are the slices.
template <class Acc>
struct ClusterPieces {
  uint32 shared;

  struct Place {
    uint32 at;
    uint32 rank;

    TW_DEVICE void Put(int step, const Vec<Acc, 4>& x) const { StoreSharedFour(at + step * 16, x); }

    TW_DEVICE Vec<Acc, 4> Get(int step) const { return LoadClusterFour<Acc>(at + step * 16, rank); }
  };

  // Puts go to the block's own memory, whatever the slice.
  TW_DEVICE Place From(int slice, int piece) const {
    return {shared + piece * 16, static_cast<uint32>(slice)};
  }
};

// C gives: kTileRows, kCols, kStrips (of a consumer), kConsumers, kSplitK, kSwap, kStoreBytes.
template <class P, class C, class Output>
struct FragmentReduce {
  using Out = typename Output::Out;
  using Values = StripValues<P, Output, C::kSwap>;
  using Acc = typename P::Acc;
  using Accumulators = Acc[C::kStrips][C::kCols / 2];

  static constexpr int kThreads = C::kConsumers * kWarpgroupThreads;
  static constexpr int kGroups = C::kCols / 8;
  static constexpr int kPieces = C::kTileRows * C::kCols / 4;
  static constexpr bool kLinesAreRows = Output::kLinesAreRows != C::kSwap;
  // Two columns in one store.
  static constexpr bool kPairs =
      kLinesAreRows && C::kStoreBytes >= 2 * static_cast<int>(sizeof(Out));
  // Loads in flight at a time.
  static constexpr int kBatch = C::kSplitK < 16 ? C::kSplitK : 16;

  const Output& output;
  int row, col;    // first of the tile
  int rows, cols;  // of D
  int thread;      // of all consumers

  // This thread's sums.
  template <class Pieces>
  TW_DEVICE void Put(const Accumulators& acc, const Pieces& pieces, int slice) const {
    const auto place = pieces.From(slice, FirstPiece());
#pragma unroll
    for (int strip = 0; strip < C::kStrips; ++strip) {
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        Vec<Acc, 4> x;
#pragma unroll
        for (int i = 0; i < 4; ++i)
          x.v[i] = acc[strip][group * 4 + i];
        place.Put((strip * kGroups + group) * kWarpgroupThreads, x);
      }
    }
  }

  // Adds slice `slice` to this thread's sums.
  template <class Pieces>
  TW_DEVICE void Add(Accumulators& acc, const Pieces& pieces, int slice) const {
    const auto place = pieces.From(slice, FirstPiece());
#pragma unroll
    for (int strip = 0; strip < C::kStrips; ++strip) {
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        const Vec<Acc, 4> x = place.Get((strip * kGroups + group) * kWarpgroupThreads);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          acc[strip][group * 4 + i] += x.v[i];
      }
    }
  }

  // Adds up this slice's share of the pieces and stores it. Requires: all slices have been put.
  template <class Pieces>
  TW_DEVICE void Take(const Pieces& pieces, int slice) const {
    const int begin = static_cast<int>(static_cast<int64>(kPieces) * slice / C::kSplitK);
    const int end = static_cast<int>(static_cast<int64>(kPieces) * (slice + 1) / C::kSplitK);
#pragma unroll 1
    for (int piece = begin + thread; piece < end; piece += kThreads)
      Store(piece, Sum(pieces, piece));
  }

 private:
  // The tile's strips follow each other; of a strip the groups of columns, of those the threads.
  TW_DEVICE int FirstPiece() const {
    return thread / kWarpgroupThreads * C::kStrips * kGroups * kWarpgroupThreads +
           thread % kWarpgroupThreads;
  }

  template <class Pieces>
  static TW_DEVICE Vec<Acc, 4> Sum(const Pieces& pieces, int piece) {
    Vec<Acc, 4> sum;
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sum.v[i] = 0;
#pragma unroll
    for (int first = 0; first < C::kSplitK; first += kBatch) {
      Vec<Acc, 4> x[kBatch];
#pragma unroll
      for (int s = 0; s < kBatch; ++s) {
        if (first + s < C::kSplitK)
          x[s] = pieces.From(first + s, piece).Get(0);
      }
#pragma unroll
      for (int s = 0; s < kBatch; ++s) {
        if (first + s < C::kSplitK) {
#pragma unroll
          for (int i = 0; i < 4; ++i)
            sum.v[i] += x[s].v[i];
        }
      }
    }
    return sum;
  }

  TW_DEVICE void Store(int piece, const Vec<Acc, 4>& sum) const {
    const int holder = piece % kWarpgroupThreads;
    const int group = piece / kWarpgroupThreads % kGroups;
    const int strip = piece / kWarpgroupThreads / kGroups;
    const int at_row = row + strip * 64 + holder / 32 * 16 + holder % 32 / 4;
    const int at_col = col + group * 8 + holder % 4 * 2;
    const Values values(output, at_row, at_col, rows, cols);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Vec<Out, 2> x;
      x.v[0] = values.At(sum.v[half * 2], half, 0);
      x.v[1] = values.At(sum.v[half * 2 + 1], half, 1);
      StorePair(x, at_row + half * 8, at_col);
    }
  }

  TW_DEVICE void StorePair(const Vec<Out, 2>& x, int at_row, int at_col) const {
    if (at_row >= rows || at_col >= cols)
      return;
    Out* to = C::kSwap ? output.Address(at_col, at_row) : output.Address(at_row, at_col);
    const bool both = at_col + 1 < cols;
    if constexpr (kPairs) {
      if (both) {
        StoreVec<2>(to, x);
        return;
      }
    }
    to[0] = x.v[0];
    if (both)
      to[kLinesAreRows ? 1 : output.LineStep()] = x.v[1];
  }
};

}  // namespace tw
