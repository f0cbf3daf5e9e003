// Where a family's sums go and what becomes of them, in the problem's coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/linear.cuh"
#include "tw/schedule/split_k_reduce.cuh"

namespace tw {

// Lines run along the output's contiguous dimension.
template <class P>
struct FinalOutput {
  using Out = typename P::D;
  static constexpr bool kLinesAreRows = P::kDRowMajor;

  const GemmParams& p;
  int64 batch;
  int slice;  // 0

  TW_DEVICE Out* Address(int64 row, int64 col) const {
    return static_cast<Out*>(p.d) + LinearEpilogue<P>::OffsetD(p, batch, row, col);
  }

  TW_DEVICE int64 LineStep() const { return p.ldd; }

  TW_DEVICE Out Finish(typename P::Acc acc, int64 row, int64 col) const {
    return LinearEpilogue<P>::Finish(acc, p, batch, row, col);
  }
};

// A K slice's raw sums in the workspace.
template <class P>
struct PartialOutput {
  using Out = typename P::Acc;
  static constexpr bool kLinesAreRows = true;

  const GemmParams& p;
  int64 batch;
  int slice;

  TW_DEVICE Out* Address(int64 row, int64 col) const {
    return SplitKPartial<P>(p, slice, batch, row, col);
  }

  TW_DEVICE int64 LineStep() const { return p.n; }

  TW_DEVICE Out Finish(typename P::Acc acc, int64, int64) const { return acc; }
};

template <class P, bool kSplit>
struct OutputOf {
  using Type = FinalOutput<P>;
};

template <class P>
struct OutputOf<P, true> {
  using Type = PartialOutput<P>;
};

}  // namespace tw
