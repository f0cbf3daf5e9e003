// Family simt: multiply-adds on the CUDA cores. Every type, size, layout and alignment.
//
// A block computes tile_m x tile_n of D; a warp's 4 x 8 lanes cover its part of the tile, each
// lane thread_m x thread_n in 16-byte pieces that lie a whole row of lanes apart:
//
//   for each k block:   global -> shared ring (simt_operand.cuh)
//     for each k:       shared -> fragments of the next k, multiply-add of this k
//   epilogue            accumulators -> D, or raw into the workspace of split-K
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/linear.cuh"
#include "tw/mainloop/simt_operand.cuh"
#include "tw/schedule/split_k_reduce.cuh"
#include "tw/schedule/tile_order.cuh"

namespace tw::simt {

TW_DEVICE float MulAdd(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}

TW_DEVICE double MulAdd(double a, double b, double c) {
  return __fma_rn(a, b, c);
}

// Four signed bytes each.
TW_DEVICE int MulAdd(int a, int b, int c) {
  int d;
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

template <bool kHuge>
struct CountOf {
  using Type = int;
};

template <>
struct CountOf<true> {
  using Type = int64;
};

// P: the problem's traits (linear.cuh). C: the candidate, `static constexpr Plan kPlan`.
template <class P, class C>
struct Gemm {
  static constexpr Plan kPlan = C::kPlan;
  static constexpr int kThreads = Threads(kPlan);
  static constexpr int kSmemBytes = SmemBytes(kPlan);
  static_assert(Check(kPlan) == Rule::kNone, "the plan is legal");
  static_assert(kPlan.in_bytes == sizeof(typename P::A), "the plan is for this type");
  static_assert(kPlan.k_contiguous_a == P::kARowMajor, "the plan is for this layout of A");
  static_assert(kPlan.k_contiguous_b != P::kBRowMajor, "the plan is for this layout of B");

  // grid.x: the work items, or fewer where they exceed a grid (Plan::huge).
  static TW_DEVICE void Run(const GemmParams& p) {
    WorkGrid<Count> grid{static_cast<Count>(CeilDiv(p.m, kPlan.tile_m)),
                         static_cast<Count>(CeilDiv(p.n, kPlan.tile_n)),
                         static_cast<Count>(kPlan.split_k), static_cast<Count>(p.batch)};
    if constexpr (kPlan.huge) {
      Count items = grid.tiles_m * grid.tiles_n * grid.slices * grid.batch;
      for (Count index = blockIdx.x; index < items; index += gridDim.x) {
        RunItem(p, MapWork<Count>(index, grid, kPlan.group_m));
        __syncthreads();
      }
    } else {
      RunItem(p, MapWork<Count>(blockIdx.x, grid, kPlan.group_m));
    }
  }

 private:
  using Acc = typename P::Acc;
  using Word = Acc;  // what a multiply-add reads
  using Count = typename CountOf<kPlan.huge>::Type;
  static_assert(kPlan.word_bytes == sizeof(Word), "the plan is for this type");

  static constexpr int kRows = WordRows(kPlan);
  static constexpr int kStages = kPlan.stages;
  static constexpr int kStageWords = StageWords(kPlan);
  static constexpr int kStageA = kRows * PitchA(kPlan);  // words of A in a stage; B follows
  static constexpr int kThreadM = kPlan.thread_m;
  static constexpr int kThreadN = kPlan.thread_n;
  static constexpr int kPieceM = Smaller(kThreadM, kMaxAccessBytes / kPlan.word_bytes);
  static constexpr int kPieceN = Smaller(kThreadN, kMaxAccessBytes / kPlan.word_bytes);
  static constexpr bool kSplit = kPlan.split_k > 1;

  struct SpecA {
    using T = typename P::A;
    using Word = Acc;
    static constexpr int kTileMn = kPlan.tile_m, kTileK = kPlan.tile_k, kPack = kPlan.pack;
    static constexpr int kThreads = Threads(kPlan), kAccess = kPlan.access_a;
    static constexpr int kPitch = PitchA(kPlan);
    static constexpr bool kKContiguous = kPlan.k_contiguous_a, kAsync = AsyncA(kPlan);
  };

  struct SpecB {
    using T = typename P::B;
    using Word = Acc;
    static constexpr int kTileMn = kPlan.tile_n, kTileK = kPlan.tile_k, kPack = kPlan.pack;
    static constexpr int kThreads = Threads(kPlan), kAccess = kPlan.access_b;
    static constexpr int kPitch = PitchB(kPlan);
    static constexpr bool kKContiguous = kPlan.k_contiguous_b, kAsync = AsyncB(kPlan);
  };

  using CopyA = OperandCopy<SpecA>;
  using CopyB = OperandCopy<SpecB>;
  static constexpr bool kAnyAsync = SpecA::kAsync || SpecB::kAsync;

  // Of this thread within the tile: first row and column. Lanes are dealt so that in every half
  // warp neighbours (lane ^ 1, lane ^ 2) read the same words of B or of A: the hardware then
  // merges the quarter warps of a 16-byte read.
  struct Place {
    int row, col;

    TW_DEVICE Place() {
      int lane = static_cast<int>(threadIdx.x) % kWarpLanes;
      int warp = static_cast<int>(threadIdx.x) / kWarpLanes;
      int lane_m = (lane & 1) | (lane >> 3 & 2);  // bits 0 and 4
      int lane_n = lane >> 1 & 7;                 // bits 1 to 3
      row = warp % WarpsM(kPlan) * (kLanesM * kThreadM) + lane_m * kPieceM;
      col = warp / WarpsM(kPlan) * (kLanesN * kThreadN) + lane_n * kPieceN;
    }
  };

  // Offset of a thread's i-th row and j-th column from its first.
  static TW_DEVICE constexpr int RowOf(int i) {
    return i / kPieceM * (kLanesM * kPieceM) + i % kPieceM;
  }

  static TW_DEVICE constexpr int ColOf(int j) {
    return j / kPieceN * (kLanesN * kPieceN) + j % kPieceN;
  }

  struct Fragments {
    Word a[kThreadM], b[kThreadN];

    // One shared row of A and of B. `a_row`, `b_row` start at the thread's first element.
    TW_DEVICE void Load(const Word* a_row, const Word* b_row) {
#pragma unroll
      for (int i = 0; i < kThreadM; i += kPieceM) {
        Vec<Word, kPieceM> piece = LoadVec<kPieceM>(a_row + RowOf(i));
#pragma unroll
        for (int e = 0; e < kPieceM; ++e)
          a[i + e] = piece.v[e];
      }
#pragma unroll
      for (int j = 0; j < kThreadN; j += kPieceN) {
        Vec<Word, kPieceN> piece = LoadVec<kPieceN>(b_row + ColOf(j));
#pragma unroll
        for (int e = 0; e < kPieceN; ++e)
          b[j + e] = piece.v[e];
      }
    }
  };

  struct Accumulators {
    Acc v[kThreadM][kThreadN];

    TW_DEVICE Accumulators() {
#pragma unroll
      for (int i = 0; i < kThreadM; ++i) {
#pragma unroll
        for (int j = 0; j < kThreadN; ++j)
          v[i][j] = Acc(0);
      }
    }

    // Outer product. Back and forth along n, so that neighbours share an operand register.
    TW_DEVICE void Add(const Fragments& f) {
#pragma unroll
      for (int i = 0; i < kThreadM; ++i) {
#pragma unroll
        for (int s = 0; s < kThreadN; ++s) {
          int j = i % 2 == 0 ? s : kThreadN - 1 - s;
          v[i][j] = MulAdd(f.a[i], f.b[j], v[i][j]);
        }
      }
    }
  };

  // The k blocks of one item, from global memory into the ring.
  struct Producer {
    CopyA a;
    CopyB b;
    int64 k_left;  // k not yet loaded
    Count full;    // blocks that need no guard, from the first
    Count blocks;

    TW_DEVICE Producer(const GemmParams& p, const WorkItem<Count>& item, SliceRange range)
        : a(static_cast<const typename P::A*>(p.a) + item.batch * p.stride_a,
            p.lda,
            static_cast<int64>(item.tile_m) * kPlan.tile_m,
            p.m,
            range.begin * kPlan.tile_k),
          b(static_cast<const typename P::B*>(p.b) + item.batch * p.stride_b,
            p.ldb,
            static_cast<int64>(item.tile_n) * kPlan.tile_n,
            p.n,
            range.begin * kPlan.tile_k),
          k_left(p.k - range.begin * kPlan.tile_k),
          full(static_cast<Count>(
              a.fast() && b.fast() ? Min(range.end, p.k / kPlan.tile_k) - range.begin : 0)),
          blocks(static_cast<Count>(range.end - range.begin)) {}

    // Starts block `index`; blocks come in order, those past the end are empty.
    TW_DEVICE void Load(Count index, Word* stage) {
      if (index < full) {
        LoadFull(stage);
        return;
      }
      if (index < blocks) {
        int left =
            static_cast<int>(Min(k_left - static_cast<int64>(index) * kPlan.tile_k, kPlan.tile_k));
        a.LoadGuarded(stage, left);
        b.LoadGuarded(stage + kStageA, left);
      }
      if constexpr (kAnyAsync)
        CpAsyncCommit();
    }

    // The same for a block that needs no guard.
    TW_DEVICE void LoadFull(Word* stage) {
      a.LoadFull(stage);
      b.LoadFull(stage + kStageA);
      if constexpr (kAnyAsync)
        CpAsyncCommit();
    }

    TW_DEVICE void Store(Word* stage) const {
      a.Store(stage);
      b.Store(stage + kStageA);
    }
  };

  // Everything that was loaded `kStages - 1` blocks ago is visible to the block.
  static TW_DEVICE void WaitOldest() {
    if constexpr (kAnyAsync)
      CpAsyncWait<kStages - 2>();
    __syncthreads();
  }

  static TW_DEVICE int NextStage(int offset) {
    return offset == (kStages - 1) * kStageWords ? 0 : offset + kStageWords;
  }

  // The ring as a thread walks through it.
  struct Consumer {
    Word* ring;
    const Word* a_base;  // first words of this thread's rows and columns in stage 0
    const Word* b_base;
    int read = 0;                             // word of the stage being read
    int write = (kStages - 1) * kStageWords;  // and of the one being filled
    Fragments fragments[2];

    TW_DEVICE Consumer(Word* shared, Place at)
        : ring(shared), a_base(shared + at.row), b_base(shared + kStageA + at.col) {}

    // Row `row` of the block being read, for the step after the one that runs.
    TW_DEVICE void LoadRow(int row) {
      fragments[row % 2].Load(a_base + read + row * PitchA(kPlan),
                              b_base + read + row * PitchB(kPlan));
    }

    // Step `row` of a block: reads ahead, starts the load `load` at the first, multiplies.
    template <class LoadBlock>
    TW_DEVICE void Step(int row, Accumulators& acc, Producer& producer, LoadBlock load) {
      if (row == kRows - 1) {
        // After the last block this stores and reads what nobody uses.
        producer.Store(ring + write);
        WaitOldest();
        write = read;
        read = NextStage(read);
      }
      LoadRow((row + 1) % kRows);
      if (row == 0)
        load(ring + write);
      acc.Add(fragments[row % 2]);
    }
  };

  // Requires: at least one k block.
  static TW_DEVICE void Accumulate(Accumulators& acc, Producer& producer, Word* ring, Place at) {
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) {
      producer.Load(s, ring + s * kStageWords);
      producer.Store(ring + s * kStageWords);
    }
    Consumer consumer(ring, at);
    WaitOldest();
    consumer.LoadRow(0);
    Count block = 0;
    // Blocks while what is loaded meanwhile needs no guard.
    for (; block + (kStages - 1) < producer.full; ++block) {
#pragma unroll
      for (int row = 0; row < kRows; ++row)
        consumer.Step(row, acc, producer, [&](Word* stage) { producer.LoadFull(stage); });
    }
    for (; block < producer.blocks; ++block) {
#pragma unroll 2
      for (int row = 0; row < kRows; ++row)
        consumer.Step(row, acc, producer,
                      [&](Word* stage) { producer.Load(block + (kStages - 1), stage); });
    }
  }

  // ---- epilogue ------------------------------------------------------------------------------

  // Consecutive elements of a store run along rows of D, of the workspace always.
  static constexpr bool kOutRowMajor = kSplit || P::kDRowMajor;
  static constexpr int kOutPiece = kOutRowMajor ? kPieceN : kPieceM;
  static constexpr int kOutWidth = Smaller(kPlan.access_out, kOutPiece);

  // The item's origin and what of its tile lies within D.
  struct Window {
    int64 row, col;
    int rows, cols;
  };

  static TW_DEVICE auto Finish(Acc x, const GemmParams& p, int64 batch, int64 row, int64 col) {
    if constexpr (kSplit)
      return x;
    else
      return LinearEpilogue<P>::Finish(x, p, batch, row, col);
  }

  static TW_DEVICE auto* OutAt(const GemmParams& p,
                               const WorkItem<Count>& item,
                               int64 row,
                               int64 col) {
    if constexpr (kSplit)
      return SplitKPartial<P>(p, static_cast<int>(item.slice), item.batch, row, col);
    else
      return static_cast<typename P::D*>(p.d) + LinearEpilogue<P>::OffsetD(p, item.batch, row, col);
  }

  using Out = decltype(Finish(Acc(), GemmParams(), 0, 0, 0));

  // kOutWidth accumulators, consecutive in memory, from (row, col) of the tile.
  static TW_DEVICE void StoreRun(const GemmParams& p,
                                 const WorkItem<Count>& item,
                                 const Window& window,
                                 const Acc (&acc)[kOutWidth],
                                 int row,
                                 int col) {
    int valid = kOutRowMajor ? window.cols - col : window.rows - row;
    bool outside = kOutRowMajor ? row >= window.rows : col >= window.cols;
    if (outside || valid <= 0)
      return;
    Out out[kOutWidth];
#pragma unroll
    for (int e = 0; e < kOutWidth; ++e) {
      if (e < valid)
        out[e] = Finish(acc[e], p, item.batch, window.row + row + (kOutRowMajor ? 0 : e),
                        window.col + col + (kOutRowMajor ? e : 0));
    }
    Out* dst = OutAt(p, item, window.row + row, window.col + col);
    if (valid >= kOutWidth) {
      StoreVec<kOutWidth>(dst, PackVec<kOutWidth>(out));
    } else {
#pragma unroll
      for (int e = 0; e < kOutWidth; ++e) {
        if (e < valid)
          dst[e] = out[e];
      }
    }
  }

  static TW_DEVICE void StoreTile(const GemmParams& p,
                                  const WorkItem<Count>& item,
                                  const Accumulators& acc,
                                  Place at) {
    Window window;
    window.row = static_cast<int64>(item.tile_m) * kPlan.tile_m;
    window.col = static_cast<int64>(item.tile_n) * kPlan.tile_n;
    window.rows = static_cast<int>(Min(p.m - window.row, kPlan.tile_m));
    window.cols = static_cast<int>(Min(p.n - window.col, kPlan.tile_n));
    constexpr int kOuter = kOutRowMajor ? kThreadM : kThreadN;
    constexpr int kInner = kOutRowMajor ? kThreadN : kThreadM;
#pragma unroll
    for (int o = 0; o < kOuter; ++o) {
#pragma unroll
      for (int s = 0; s < kInner; s += kOutWidth) {
        Acc run[kOutWidth];
#pragma unroll
        for (int e = 0; e < kOutWidth; ++e)
          run[e] = kOutRowMajor ? acc.v[o][s + e] : acc.v[s + e][o];
        int row = at.row + RowOf(kOutRowMajor ? o : s);
        int col = at.col + ColOf(kOutRowMajor ? s : o);
        StoreRun(p, item, window, run, row, col);
      }
    }
  }

  static TW_DEVICE void RunItem(const GemmParams& p, const WorkItem<Count>& item) {
    extern __shared__ __align__(16) unsigned char tw_simt_ring[];
    Place at;
    Accumulators acc;
    if constexpr (P::kAlpha != Scalar::kZero) {
      SliceRange range = SliceOf(CeilDiv(p.k, kPlan.tile_k), item.slice, kPlan.split_k);
      if (range.begin < range.end) {
        Producer producer(p, item, range);
        Accumulate(acc, producer, reinterpret_cast<Word*>(tw_simt_ring), at);
      }
    }
    StoreTile(p, item, acc, at);
  }
};

}  // namespace tw::simt
