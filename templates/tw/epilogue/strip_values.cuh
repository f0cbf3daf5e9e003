// What becomes of a thread's wgmma sums of one strip: the epilogue with what it reads, C, bias,
// scales, addressed from the thread's own rows, so that a column costs an offset and not a product.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/epilogue/output.cuh"

namespace tw {

// The compiler may not compute with `p` before this point: addresses are not worth registers that
// wait for their turn through a whole tile.
template <class T>
TW_DEVICE T* AddressedFromHere(T* p) {
  asm volatile("" : "+l"(p));
  return p;
}

// The thread's two rows are 8 apart; columns count from its first. kSwap: rows are N.
template <class P, class Output, bool kSwap>
struct StripValues {
  using Epilogue = LinearEpilogue<P>;
  using Compute = typename Epilogue::Compute;
  using D = typename P::D;
  using C = typename P::C;

  static constexpr bool kHasC = P::kBeta != Scalar::kZero;
  static constexpr bool kHasBias = P::kBias != Bias::kNone;
  static constexpr bool kHasScale = Epilogue::kHasScale;
  static constexpr bool kScaleEach = P::kScale == Scale::kRowCol;
  static constexpr bool kCAlongCols = P::kCRowMajor != kSwap;
  static constexpr bool kBiasAlongCols = (P::kBias == Bias::kCol) != kSwap;

  const GemmParams& p;
  const C* c[2];
  const typename Epilogue::BiasType* bias[2];
  const float* row_scale[2];
  const float* col_scale;
  int64 c_step;   // elements from a column to the next
  int cols_left;  // of D, from the thread's first
  bool inside[2];

  // Requires: at least one row and column of the strip are inside of D.
  TW_DEVICE StripValues(const Output& output, int row, int col, int rows, int cols)
      : p(output.p), cols_left(cols - col) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64 at = row + half * 8;
      inside[half] = at < rows;
      const int64 m = kSwap ? col : at;
      const int64 n = kSwap ? at : col;
      if constexpr (kHasC)
        c[half] = static_cast<const C*>(p.c) + Epilogue::OffsetC(p, output.batch, m, n);
      if constexpr (kHasBias)
        bias[half] = static_cast<const typename Epilogue::BiasType*>(p.bias) +
                     (P::kBias == Bias::kCol ? n : m);
    }
    c_step = kCAlongCols ? 1 : p.ldc;
    if constexpr (kHasScale) {
      const float* of_rows = kSwap ? p.scale_b : p.scale_a;
      const float* of_cols = kSwap ? p.scale_a : p.scale_b;
      row_scale[0] = of_rows + (kScaleEach ? row : 0);
      row_scale[1] = of_rows + (kScaleEach ? row + 8 : 0);
      col_scale = of_cols + (kScaleEach ? col : 0);
    }
  }

  // Once for every piece.
  TW_DEVICE void Renew() {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if constexpr (kHasC)
        c[half] = AddressedFromHere(c[half]);
      if constexpr (kHasBias)
        bias[half] = AddressedFromHere(bias[half]);
      if constexpr (kHasScale)
        row_scale[half] = AddressedFromHere(row_scale[half]);
    }
    if constexpr (kHasScale)
      col_scale = AddressedFromHere(col_scale);
  }

  // Outside of D: anything.
  TW_DEVICE D At(typename P::Acc sum, int half, int offset) const {
    Compute scale = Compute(1);
    Compute addend = Compute(0);
    Compute old = Compute(0);
    if constexpr (kHasC || kHasBias || kHasScale) {
      if (inside[half] && offset < cols_left) {
        if constexpr (kHasScale)
          scale = Epilogue::ScaleOf(*row_scale[half], col_scale[kScaleEach ? offset : 0]);
        if constexpr (kHasBias)
          addend = Widen<Compute>(bias[half][kBiasAlongCols ? offset : 0]);
        if constexpr (kHasC)
          old = Widen<Compute>(c[half][offset * c_step]);
      }
    }
    return Epilogue::Combine(sum, scale, addend, old, p);
  }
};

// A slice's raw sums.
template <class P, bool kSwap>
struct StripValues<P, PartialOutput<P>, kSwap> {
  TW_DEVICE StripValues(const PartialOutput<P>&, int, int, int, int) {}

  TW_DEVICE void Renew() {}

  TW_DEVICE typename P::Acc At(typename P::Acc sum, int, int) const { return sum; }
};

}  // namespace tw
