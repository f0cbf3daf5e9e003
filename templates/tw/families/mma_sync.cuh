// Family mma_sync: tensor cores by mma.sync (sm_80 on). 16-bit floats, tf32, s8; every size,
// layout and alignment.
//
// A block computes tile_m x tile_n of D, a warp warp_m x warp_n of it:
//
//   for each k block:   global -> shared ring (operand_copy.cuh)
//     for each 32 bytes of k:  shared -> fragments of the next step, mma.sync of this one
//   epilogue            accumulators -> shared -> D, or raw into the workspace of split-K
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/warp_store.cuh"
#include "tw/families/mma_sync.plan.h"
#include "tw/mainloop/cp_async_pipeline.cuh"
#include "tw/schedule/tile_order.cuh"

namespace tw::mma_sync {

template <bool kHuge>
struct CountOf {
  using Type = uint32;
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
  static_assert(kPlan.element_bytes == sizeof(typename P::A), "the plan is for this type");
  static_assert(kPlan.k_major_a == P::kARowMajor, "the plan is for this layout of A");
  static_assert(kPlan.k_major_b != P::kBRowMajor, "the plan is for this layout of B");

  // grid.x: the work items, or fewer where they exceed a grid (Plan::huge).
  static TW_DEVICE void Run(const GemmParams& p) {
    const WorkGrid<Count> grid{static_cast<Count>(CeilDiv(p.m, kPlan.tile_m)),
                               static_cast<Count>(CeilDiv(p.n, kPlan.tile_n)),
                               static_cast<Count>(kPlan.split_k), static_cast<Count>(p.batch)};
    if constexpr (kPlan.huge) {
      Count items = grid.tiles_m * grid.tiles_n * grid.slices * grid.batch;
      for (Count index = blockIdx.x; index < items; index += gridDim.x) {
        RunItem(p, MapWork<Count>(index, grid, kPlan.group_m));
        __syncthreads();  // the ring was the epilogue's space
      }
    } else {
      RunItem(p, MapWork<Count>(blockIdx.x, grid, kPlan.group_m));
    }
  }

 private:
  using Count = typename CountOf<kPlan.huge>::Type;
  static constexpr int kWarpsM = kPlan.tile_m / kPlan.warp_m;

  // What the pieces are made for.
  struct Pieces {
    using TypeA = typename P::A;
    using TypeB = typename P::B;
    using Acc = typename P::Acc;
    using LayoutA =
        OperandLayout<true, kPlan.tile_m, kPlan.tile_k, kPlan.element_bytes, kPlan.k_major_a>;
    using LayoutB =
        OperandLayout<false, kPlan.tile_n, kPlan.tile_k, kPlan.element_bytes, kPlan.k_major_b>;
    using CopyA = typename OperandCopyOf<LayoutA, kThreads, kPlan.copy_bytes_a>::Type;
    using CopyB = typename OperandCopyOf<LayoutB, kThreads, kPlan.copy_bytes_b>::Type;
    static constexpr int kWarpM = kPlan.warp_m;
    static constexpr int kWarpN = kPlan.warp_n;
    static constexpr int kStages = kPlan.stages;
    static constexpr int kStoreBytes = kPlan.store_bytes;
  };

  using Pipeline = CpAsyncPipeline<Pieces>;
  using Accumulators = typename Pipeline::Accumulators;

  // First row and column of the block's tile.
  struct Origin {
    int64 row, col;
  };

  // The block's share of a batch item's operand, from element (mn, k) on.
  template <class Layout, class T>
  static TW_DEVICE OperandSource Source(const T* base, int64 ld, int64 mn, int64 k, int64 extent) {
    const T* first = base + (Layout::kKMajor ? mn * ld + k : k * ld + mn);
    return {reinterpret_cast<const char*>(first), ld * static_cast<int64>(sizeof(T)), extent - mn};
  }

  static TW_DEVICE void RunItem(const GemmParams& p, const WorkItem<Count>& item) {
    extern __shared__ __align__(1024) char shared[];
    const Origin at{static_cast<int64>(item.tile_m) * kPlan.tile_m,
                    static_cast<int64>(item.tile_n) * kPlan.tile_n};
    const int64 batch = item.batch;
    // alpha = 0 never reads A or B.
    const int64 k = P::kAlpha == Scalar::kZero ? 0 : p.k;
    const SliceRange range = SliceOf(CeilDiv(k, kPlan.tile_k), item.slice, kPlan.split_k);
    const int64 k_begin = range.begin * kPlan.tile_k;
    const int64 k_end = Min(range.end * kPlan.tile_k, k);

    const auto* a = static_cast<const typename P::A*>(p.a) + batch * p.stride_a;
    const auto* b = static_cast<const typename P::B*>(p.b) + batch * p.stride_b;
    const OperandSource source_a = Source<typename Pieces::LayoutA>(a, p.lda, at.row, k_begin, p.m);
    const OperandSource source_b = Source<typename Pieces::LayoutB>(b, p.ldb, at.col, k_begin, p.n);

    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
    const int warp_m = warp % kWarpsM * kPlan.warp_m;
    const int warp_n = warp / kWarpsM * kPlan.warp_n;
    Accumulators acc;
    Clear(acc);
    Pipeline(static_cast<uint32>(__cvta_generic_to_shared(shared)), source_a, source_b,
             k_end - k_begin, warp_m, warp_n)
        .Run(acc);
    __syncthreads();

    using Output = typename OutputOf<P, (kPlan.split_k > 1)>::Type;
    using Writer = WarpStore<Pieces, Output>;
    const Output output{p, batch, static_cast<int>(item.slice)};
    auto* space = reinterpret_cast<typename P::Acc*>(shared) + warp * Writer::kSpace;
    Writer(output, space, at.row + warp_m, at.col + warp_n).Run(acc);
  }

  static TW_DEVICE void Clear(Accumulators& acc) {
#pragma unroll
    for (auto& row : acc) {
#pragma unroll
      for (auto& tile : row) {
#pragma unroll
        for (auto& x : tile)
          x = 0;
      }
    }
  }
};

}  // namespace tw::mma_sync
