// Second kernel of split-K: sums the slices' partial products in the order of the slices, so that
// the bits do not depend on timing, and runs the epilogue.
//
// Contract with the main kernel: the workspace holds raw accumulators (before alpha), row-major,
// packed: [kSlices][batch][m][n] of P::Acc. Every slice writes all of its m x n x batch values,
// zeros where it has no k. The launch is one-dimensional, of any size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/linear.cuh"
#include "tw/vector.cuh"

namespace tw {

// Where slice `slice` keeps the partial sum of one element.
template <class P>
TW_DEVICE typename P::Acc* SplitKPartial(
    const GemmParams& p, int slice, int64 batch, int64 row, int64 col) {
  int64 row_of_all = (slice * p.batch + batch) * p.m + row;
  return static_cast<typename P::Acc*>(p.workspace) + row_of_all * p.n + col;
}

// kWidth columns a thread. Requires: n is a multiple of kWidth; D is row-major and its rows are
// aligned to kWidth elements where kWidth > 1.
template <class P, int kSlices, int kWidth = 1>
struct SplitKReduce {
  using Acc = typename P::Acc;
  using Epilogue = LinearEpilogue<P>;

  // Loads in flight per thread.
  static constexpr int kUnroll = kSlices < 16 ? kSlices : 16;

  static TW_DEVICE void Run(const GemmParams& p) {
    int64 units_per_row = p.n / kWidth;
    int64 units = p.batch * p.m * units_per_row;
    int64 step = static_cast<int64>(gridDim.x) * blockDim.x;
    for (int64 u = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; u < units;
         u += step) {
      int64 row_of_all = u / units_per_row;
      int64 col = (u - row_of_all * units_per_row) * kWidth;
      int64 batch = row_of_all / p.m;
      int64 row = row_of_all - batch * p.m;
      Vec<Acc, kWidth> sum = Sum(p, batch, row, col);
      Store(sum, p, batch, row, col);
    }
  }

 private:
  static TW_DEVICE Vec<Acc, kWidth> Sum(const GemmParams& p, int64 batch, int64 row, int64 col) {
    const Acc* partial = SplitKPartial<P>(p, 0, batch, row, col);
    int64 slice_stride = p.batch * p.m * p.n;
    Vec<Acc, kWidth> sum = LoadVec<kWidth>(partial);
#pragma unroll kUnroll
    for (int s = 1; s < kSlices; ++s) {
      Vec<Acc, kWidth> x = LoadVec<kWidth>(partial + s * slice_stride);
#pragma unroll
      for (int i = 0; i < kWidth; ++i)
        sum.v[i] += x.v[i];
    }
    return sum;
  }

  static TW_DEVICE void Store(
      const Vec<Acc, kWidth>& sum, const GemmParams& p, int64 batch, int64 row, int64 col) {
    typename P::D out[kWidth];
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      out[i] = Epilogue::Finish(sum.v[i], p, batch, row, col + i);
    typename P::D* d = static_cast<typename P::D*>(p.d) + Epilogue::OffsetD(p, batch, row, col);
    StoreVec<kWidth>(d, PackVec<kWidth>(out));
  }
};

}  // namespace tw
