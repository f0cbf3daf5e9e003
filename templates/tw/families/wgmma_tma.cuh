// Family wgmma_tma: Hopper's warpgroup products fed by the bulk copy engine (sm_90a). Operands
// whose rows are multiples of 16 bytes: 16-bit floats in every layout; 8-bit floats, s8 and tf32
// that are contiguous along k.
//
// Persistent blocks, each of one producer warpgroup, of which one thread loads, and one to three
// consumers:
//
//   producer   for each tile, for each k block:  wait empty, TMA into the ring (operand_boxes.cuh)
//   consumers  for each tile:  for each k block:  wait full, wgmma, give back    (wgmma_loop.cuh,
//                                                                           promoted_loop.cuh)
//                              sums -> slab in shared memory -> D by TMA         (slab_store.cuh)
//
// Cooperative consumers share each tile's rows. Ping-pong consumers take whole tiles in turn: one
// multiplies while the other stores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/fragment_reduce.cuh"
#include "tw/epilogue/slab_store.cuh"
#include "tw/families/wgmma_tma.plan.h"
#include "tw/mainloop/operand_boxes.cuh"
#include "tw/mainloop/promoted_loop.cuh"
#include "tw/mainloop/wgmma_loop.cuh"
#include "tw/ptx/grid_dependency.cuh"
#include "tw/schedule/cluster_tiles.cuh"
#include "tw/schedule/stream_tiles.cuh"

namespace tw::wgmma_tma {

// Order of the tensor maps: operand of the rows, of the columns, D in whole pieces, D's last piece.
constexpr int kMaps = 4;

template <class Pieces, bool kStream>
struct TilesOf {
  using Type = ClusterTiles<Pieces>;
};

template <class Pieces>
struct TilesOf<Pieces, true> {
  using Type = StreamTiles<Pieces>;
};

template <class Pieces, bool kPromoted>
struct LoopOf {
  using Type = WgmmaLoop<Pieces>;
};

template <class Pieces>
struct LoopOf<Pieces, true> {
  using Type = PromotedLoop<Pieces>;
};

// The operands' types in the kernel's sense.
template <class P, bool kSwap>
struct OperandTypes {
  using Row = typename P::A;
  using Col = typename P::B;
};

template <class P>
struct OperandTypes<P, true> {
  using Row = typename P::B;
  using Col = typename P::A;
};

// P: the problem's traits (linear.cuh). C: the candidate, `static constexpr Plan kPlan`.
template <class P, class C>
struct Gemm {
  static constexpr Plan kPlan = C::kPlan;
  static constexpr int kThreads = Threads(kPlan);
  static constexpr int kSmemBytes = SmemBytes(kPlan);
  static_assert(Check(kPlan) == Rule::kNone, "the plan is legal");
  static_assert(kPlan.element_bytes == sizeof(typename P::A), "the plan is for this type");

  static TW_DEVICE void Run(const TmaParams<kMaps>& p) {
    extern __shared__ __align__(1024) char shared[];
    const uint32 start = static_cast<uint32>(__cvta_generic_to_shared(shared));
    const uint32 base = (start + kSwizzlePattern - 1) / kSwizzlePattern * kSwizzlePattern;
    const Ring ring{base, base + BarrierOffset(kPlan)};
    // By a warp that does nothing else: the producer finds its first tile meanwhile.
    constexpr unsigned kInitiator = 32;
    if (threadIdx.x == kInitiator) {
      // Every consumer of every block that this block loads for.
      constexpr int kSharers = kPlan.cluster_rows + kPlan.cluster_cols - 1;
      ring.Init((kPlan.pingpong ? 1 : kPlan.consumers) * kSharers);
      PrefetchMaps(p);
    }
    const Tiles tiles(p.gemm);
    const TileWork first = tiles.First() < tiles.items ? tiles.At(tiles.First()) : TileWork{};
    Meet();
    LaunchDependents();
    const int warpgroup = WarpUniform(static_cast<int>(threadIdx.x) / kWarpgroup);
    if (warpgroup == 0) {
      if constexpr (MovesRegisters(kPlan))
        ReleaseRegisters<ProducerRegisters(kPlan)>();
      if (threadIdx.x == 0)
        Produce(p, ring, tiles, first);
      // As the consumers do before they read each other's sums.
      if constexpr (kPlan.reduce == Reduce::kCluster) {
        __syncwarp();
        ClusterSync();
      }
    } else {
      if constexpr (MovesRegisters(kPlan))
        ClaimRegisters<ConsumerRegisters(kPlan)>();
      const uint32 slabs = base + SlabOffset(kPlan) + (warpgroup - 1) * kSlabs * kSlabBytes;
      if constexpr (UsesSlabs(kPlan)) {
        Consume(p, ring, tiles, warpgroup - 1, slabs);
      } else {
        ConsumeSlice(p, ring, tiles, warpgroup - 1, base);
      }
    }
    // A block that ends while another still arrives at its barriers takes the other down.
    if constexpr (ClusterBlocks(kPlan) > 1) {
      __syncwarp();
      ClusterSync();
    }
  }

 private:
  // What the pieces are made for.
  struct Pieces {
    using RowType = typename OperandTypes<P, kPlan.swap>::Row;
    using ColType = typename OperandTypes<P, kPlan.swap>::Col;
    using Acc = typename P::Acc;
    static constexpr int kTileM = kPlan.swap ? kPlan.tile_cols : kPlan.tile_rows;
    static constexpr int kTileN = kPlan.swap ? kPlan.tile_rows : kPlan.tile_cols;
    static constexpr int kClusterRows = kPlan.cluster_rows;
    static constexpr int kClusterCols = kPlan.cluster_cols;
    static constexpr int kClusterM = kPlan.swap ? kClusterCols : kClusterRows;
    static constexpr int kClusterN = kPlan.swap ? kClusterRows : kClusterCols;
    static constexpr int kGroup = kPlan.group;
    static constexpr int kSplitK = kPlan.split_k;
    static constexpr bool kClusterSlices = kPlan.reduce == Reduce::kCluster;
    static constexpr bool kInterleaved = kPlan.reduce == Reduce::kGrid;
    static constexpr int kConsumers = kPlan.consumers;
    static constexpr int kTileRows = kPlan.tile_rows;
    static constexpr int kBlockK = BlockK(kPlan);
    static constexpr int kStages = kPlan.stages;
    static constexpr int kStageBytes = StageBytes(kPlan);
    static constexpr int kRowBytes = RowBytes(kPlan);
    static constexpr int kStrips = Strips(kPlan);
    static constexpr int kCols = kPlan.tile_cols;
    static constexpr bool kRowKMajor = kPlan.row_k_major;
    static constexpr bool kColKMajor = kPlan.col_k_major;
    static constexpr bool kDeferred = kPlan.deferred;
    static constexpr int kTemporaries = kPlan.temporaries;
    static constexpr int kUnroll = kPlan.unroll;
    static constexpr bool kSwap = kPlan.swap;
    static constexpr bool kTmaStore = kPlan.tma_store;
    static constexpr int kStoreBytes = kPlan.store_bytes;
    static constexpr int kRank = kPlan.out_map_rank;
  };

  using Acc = typename P::Acc;
  using Ring = TmaRing<kPlan.stages, StageBytes(kPlan)>;
  using Position = RingPosition<kPlan.stages>;
  using Tiles = typename TilesOf<Pieces, kPlan.reduce == Reduce::kStream>::Type;
  using Loop = typename LoopOf<Pieces, (kPlan.temporaries > 0)>::Type;
  using Output = typename OutputOf<P, (kPlan.split_k > 1 && kPlan.reduce == Reduce::kKernel)>::Type;
  using Store = SlabStore<P, Pieces, Output>;
  using Sum = FragmentReduce<P, Pieces, Output>;
  static_assert(Store::kLinesAreRows == kPlan.lines_are_rows, "the plan is for this layout of D");
  static_assert(Store::kOutBytes == kPlan.out_bytes, "the plan is for this type of D");
  static_assert(Store::kSlabs * Store::kSlabBytes == kSlabs * kSlabBytes, "slabs fit");

  // Named barriers: one a consumer, then whose turn it is to multiply.
  static constexpr int kStoreBarrier = 1;
  static constexpr int kTurnBarrier = 4;
  static constexpr int kConsumersBarrier = 6;

  static TW_DEVICE int RankRow(const Tiles& tiles) {
    return kPlan.swap ? tiles.rank_n : tiles.rank_m;
  }

  static TW_DEVICE int RankCol(const Tiles& tiles) {
    return kPlan.swap ? tiles.rank_m : tiles.rank_n;
  }

  // A block's number in its cluster, as ClusterTiles counts.
  static TW_DEVICE int RankOf(int rank_row, int rank_col) {
    const int m = kPlan.swap ? rank_col : rank_row;
    const int n = kPlan.swap ? rank_row : rank_col;
    return m * Pieces::kClusterN + n;
  }

  static TW_DEVICE void Meet() {
    if constexpr (SharingBlocks(kPlan) > 1) {
      __syncwarp();  // cluster barriers take whole warps
      ClusterSync();
    } else {
      __syncthreads();
    }
  }

  static TW_DEVICE void PrefetchMaps(const TmaParams<kMaps>& p) {
    TmaPrefetchMap(p.maps[0]);
    TmaPrefetchMap(p.maps[1]);
    // Of D: for whole pieces and for a narrower one, as far as there are any.
    constexpr int kPiece = kLineBytes / kPlan.out_bytes;
    if constexpr (kPlan.tma_store && kPlan.tile_cols >= kPiece)
      TmaPrefetchMap(p.maps[2]);
    if constexpr (kPlan.tma_store && kPlan.tile_cols % kPiece != 0)
      TmaPrefetchMap(p.maps[3]);
  }

  // `work`: the block's first tile, if it has one.
  static TW_DEVICE void Produce(const TmaParams<kMaps>& p,
                                const Ring& ring,
                                const Tiles& tiles,
                                TileWork work) {
    using Rows = OperandBoxes<kPlan.tile_rows, BlockK(kPlan), kPlan.row_k_major, kPlan.cluster_cols,
                              kPlan.row_map_rank>;
    using Cols = OperandBoxes<kPlan.tile_cols, BlockK(kPlan), kPlan.col_k_major, kPlan.cluster_rows,
                              kPlan.col_map_rank>;
    const int rank_row = RankRow(tiles);
    const int rank_col = RankCol(tiles);
    const uint16 row_peers = RowPeers(rank_row);
    const uint16 col_peers = ColPeers(rank_col);
    Position at;
    WaitForDependencies();
    for (uint32 index = tiles.First(); index < tiles.items;) {
      const int row = kPlan.swap ? work.n : work.m;
      const int col = kPlan.swap ? work.m : work.n;
#pragma unroll 1
      for (int i = 0; i < work.blocks; ++i) {
        const uint32 full = ring.Full(at.stage);
        const uint32 tile = ring.Tile(at.stage);
        const int k = (work.first_block + i * work.block_step) * BlockK(kPlan);
        MbarrierWait(ring.Empty(at.stage), at.parity ^ 1);
        MbarrierArriveExpect(full, StageBytes(kPlan));
        Rows::Load(tile, p.maps[0], full, row, k, work.batch, rank_col, row_peers,
                   HintFor(kPlan.row_once));
        Cols::Load(tile + RowBytes(kPlan), p.maps[1], full, col, k, work.batch, rank_row, col_peers,
                   HintFor(kPlan.col_once));
        at.Next();
      }
      index += tiles.Step();
      if (index < tiles.items)
        work = tiles.At(index);
    }
  }

  TW_HD static constexpr L2Hint HintFor(bool once) {
    return once ? L2Hint::kEvictFirst : L2Hint::kNormal;
  }

  // The cluster's blocks in this row (column): they need the same rows (columns).
  static TW_DEVICE uint16 RowPeers(int rank_row) {
    int peers = 0;
    for (int i = 0; i < kPlan.cluster_cols; ++i)
      peers |= 1 << RankOf(rank_row, i);
    return static_cast<uint16>(peers);
  }

  static TW_DEVICE uint16 ColPeers(int rank_col) {
    int peers = 0;
    for (int i = 0; i < kPlan.cluster_rows; ++i)
      peers |= 1 << RankOf(i, rank_col);
    return static_cast<uint16>(peers);
  }

  static TW_DEVICE void Consume(
      const TmaParams<kMaps>& p, const Ring& ring, const Tiles& tiles, int consumer, uint32 slabs) {
    const int first_strip = kPlan.pingpong ? 0 : consumer * Strips(kPlan);
    const Loop loop{{ring, first_strip, tiles.rank_m, tiles.rank_n}};
    Position at;
    uint32 slab = 0;
    uint32 index = tiles.First();
    if constexpr (kPlan.pingpong) {
      // The first tile is consumer 0's.
      if (consumer == 1) {
        NamedBarrierArrive(kTurnBarrier, 2 * kWarpgroup);
        at.Skip(tiles.BlocksAt(index));
        index += tiles.Step();
      }
    }
    for (; index < tiles.items; index += Turns() * tiles.Step()) {
      const TileWork work = tiles.At(index);
      typename Loop::Accumulators acc;
      if constexpr (kPlan.pingpong) {
        NamedBarrierSync(kTurnBarrier + consumer, 2 * kWarpgroup);
        const uint32 last_stage = loop.Issue(acc, work.blocks, at);
        // The other's products queue up behind the last of ours.
        NamedBarrierArrive(kTurnBarrier + 1 - consumer, 2 * kWarpgroup);
        loop.Finish(last_stage);
        at.Skip(tiles.BlocksAt(index + tiles.Step()));
      } else {
        loop.Run(acc, work.blocks, at);
      }
      if constexpr (kPlan.reduce == Reduce::kStream) {
        if (!Complete(p, work, acc))
          continue;
      }
      const Output output{p.gemm, work.batch, work.slice};
      const int first_row = (kPlan.swap ? work.n : work.m) + first_strip * kStripRows;
      const int first_col = kPlan.swap ? work.m : work.n;
      const Store store{output,
                        p.maps + 2,
                        slabs,
                        kStoreBarrier + consumer,
                        first_row,
                        first_col,
                        static_cast<int>(kPlan.swap ? p.gemm.n : p.gemm.m),
                        static_cast<int>(kPlan.swap ? p.gemm.m : p.gemm.n)};
      store.Run(acc, slab);
    }
    if (threadIdx.x % kWarpgroup == 0)
      Store::Finish();
  }

  // Leaves the sums of a tile's later k blocks to who has the first: false. Gathers them: true.
  static TW_DEVICE bool Complete(const TmaParams<kMaps>& p,
                                 const TileWork& work,
                                 typename Loop::Accumulators& acc) {
    auto* workspace = static_cast<char*>(p.gemm.workspace);
    const auto counter = [&](int block) {
      return reinterpret_cast<uint32*>(workspace + int64{block} * kCounterBytes);
    };
    const WorkspacePieces<Acc> pieces{
        reinterpret_cast<Vec<Acc, 4>*>(workspace + int64{gridDim.x} * kCounterBytes), Sum::kPieces};
    const Output output{p.gemm, 0, 0};
    const Sum sum{output, 0, 0, 0, 0, static_cast<int>(threadIdx.x) - kWarpgroup};
    const int block = static_cast<int>(blockIdx.x);
    if (work.first_block > 0) {
      sum.Put(acc, pieces, block);
      NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
      if (sum.thread == 0)
        StoreRelease(counter(block), 1);
      return false;
    }
    for (int helper = block + 1; helper <= block + work.helpers; ++helper) {
      if (sum.thread == 0) {
        while (LoadAcquire(counter(helper)) == 0) {
        }
        StoreRelease(counter(helper), 0);
      }
      NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
      sum.Add(acc, pieces, helper);
    }
    return true;
  }

  // One slice of one tile: each block has its own.
  static TW_DEVICE void ConsumeSlice(
      const TmaParams<kMaps>& p, const Ring& ring, const Tiles& tiles, int consumer, uint32 base) {
    const Loop loop{{ring, consumer * Strips(kPlan), 0, 0}};
    const TileWork work = tiles.At(tiles.First());
    typename Loop::Accumulators acc;
    Position at;
    loop.Run(acc, work.blocks, at);
    const Output output{p.gemm, work.batch, 0};
    const Sum sum{output,
                  kPlan.swap ? work.n : work.m,
                  kPlan.swap ? work.m : work.n,
                  static_cast<int>(kPlan.swap ? p.gemm.n : p.gemm.m),
                  static_cast<int>(kPlan.swap ? p.gemm.m : p.gemm.n),
                  static_cast<int>(threadIdx.x) - kWarpgroup};
    if constexpr (kPlan.reduce == Reduce::kCluster) {
      SumInCluster(sum, acc, work.slice, base);
    } else {
      SumInGrid(sum, acc, work, tiles, static_cast<char*>(p.gemm.workspace));
    }
  }

  static TW_DEVICE void SumInCluster(const Sum& sum,
                                     const typename Loop::Accumulators& acc,
                                     int slice,
                                     uint32 base) {
    const ClusterPieces<Acc> pieces{base};
    // The ring is drained once every consumer has come here.
    NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
    sum.Put(acc, pieces, slice);
    ClusterSync();
    sum.Take(pieces, slice);
  }

  static TW_DEVICE void SumInGrid(const Sum& sum,
                                  const typename Loop::Accumulators& acc,
                                  const TileWork& work,
                                  const Tiles& tiles,
                                  char* workspace) {
    const uint32 all = tiles.items / kPlan.split_k;
    auto* counter = reinterpret_cast<uint32*>(workspace + int64{work.tile} * kCounterBytes);
    char* sums = workspace + int64{all} * kCounterBytes;
    const WorkspacePieces<Acc> pieces{
        reinterpret_cast<Vec<Acc, 4>*>(sums + work.tile * kPlan.split_k * SliceBytes(kPlan)),
        Sum::kPieces};
    // Every slice arrives with its sums and again when it has read the others'.
    constexpr uint32 kLast = 2 * kPlan.split_k - 1;
    sum.Put(acc, pieces, work.slice);
    NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
    if (sum.thread == 0) {
      ArriveAndWrap(counter, kLast);
      while (LoadAcquire(counter) < kPlan.split_k) {
      }
    }
    NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
    sum.Take(pieces, work.slice);
    NamedBarrierSync(kConsumersBarrier, Sum::kThreads);
    if (sum.thread == 0)
      ArriveAndWrap(counter, kLast);
  }

  // Tiles from one of a consumer's to its next.
  static TW_DEVICE uint32 Turns() {
    return kPlan.pingpong ? 2 : 1;
  }
};

}  // namespace tw::wgmma_tma
