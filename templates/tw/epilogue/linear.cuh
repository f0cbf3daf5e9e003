// The epilogue of every family, one element at a time, in the product's order:
//   x = alpha * scale * acc;  x += bias;  x = activation(x);  x += beta * C;  D = narrow(x).
// alpha = 0 and beta = 0 never read what they multiply.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/params.h"

namespace tw {

// Mirrors tw::ScalarKind, tw::BiasKind and tw::ScaleKind of the host.
enum class Scalar { kZero, kOne, kOther };
enum class Bias { kNone, kCol, kRow };
enum class Scale { kNone, kTensor, kRowCol };

// The type that the epilogue computes in: s32 sums go through double, which holds them exactly.
template <class Acc>
struct ComputeOf {
  using Type = Acc;
};

template <>
struct ComputeOf<int> {
  using Type = double;
};

// The bias has D's type, or f32 where D's has too few digits to add.
template <class D, int kBytes = sizeof(D)>
struct BiasOf {
  using Type = D;
};

template <class D>
struct BiasOf<D, 1> {
  using Type = float;
};

// A sum that nothing is done to.
template <class D, class Acc>
struct NarrowSum {
  static TW_DEVICE D From(Acc acc) {
    return Narrow<D>::From(static_cast<typename ComputeOf<Acc>::Type>(acc));
  }
};

// Integers need no double on the way.
template <>
struct NarrowSum<int, int> {
  static TW_DEVICE int From(int acc) { return acc; }
};

template <>
struct NarrowSum<s8, int> {
  static TW_DEVICE s8 From(int acc) { return Narrow<s8>::From(acc); }
};

// P, the problem's traits, are generated (codegen/problem_traits.cc):
//   using A, B, C, D, Acc, Activation;
//   static constexpr bool kARowMajor, kBRowMajor, kCRowMajor, kDRowMajor;
//   static constexpr Scalar kAlpha, kBeta;  static constexpr Bias kBias;
//   static constexpr Scale kScale;
template <class P>
struct LinearEpilogue {
  using Compute = typename ComputeOf<typename P::Acc>::Type;
  using BiasType = typename BiasOf<typename P::D>::Type;

  // Nothing but a conversion: lets a family store packed accumulators directly.
  static constexpr bool kPlain = P::kAlpha == Scalar::kOne && P::kBeta == Scalar::kZero &&
                                 P::kBias == Bias::kNone && P::kScale == Scale::kNone &&
                                 P::Activation::kIsIdentity;
  static constexpr bool kHasScale = P::kScale != Scale::kNone && P::kAlpha != Scalar::kZero;

  static TW_DEVICE int64 OffsetC(const GemmParams& p, int64 batch, int64 row, int64 col) {
    return batch * p.stride_c + (P::kCRowMajor ? row * p.ldc + col : col * p.ldc + row);
  }

  static TW_DEVICE int64 OffsetD(const GemmParams& p, int64 batch, int64 row, int64 col) {
    return batch * p.stride_d + (P::kDRowMajor ? row * p.ldd + col : col * p.ldd + row);
  }

  // The scale of an element, from those of its row and its column.
  static TW_DEVICE Compute ScaleOf(float of_row, float of_col) {
    return static_cast<Compute>(of_row) * static_cast<Compute>(of_col);
  }

  static TW_DEVICE Compute ScaleAt(const GemmParams& p, int64 row, int64 col) {
    constexpr bool kEach = P::kScale == Scale::kRowCol;
    return ScaleOf(p.scale_a[kEach ? row : 0], p.scale_b[kEach ? col : 0]);
  }

  static TW_DEVICE typename P::D Finish(
      typename P::Acc acc, const GemmParams& p, int64 batch, int64 row, int64 col) {
    Compute scale = Compute(1);
    Compute bias = Compute(0);
    Compute c = Compute(0);
    if constexpr (kHasScale)
      scale = ScaleAt(p, row, col);
    if constexpr (P::kBias != Bias::kNone)
      bias =
          Widen<Compute>(static_cast<const BiasType*>(p.bias)[P::kBias == Bias::kCol ? col : row]);
    if constexpr (P::kBeta != Scalar::kZero)
      c = Widen<Compute>(static_cast<const typename P::C*>(p.c)[OffsetC(p, batch, row, col)]);
    return Combine(acc, scale, bias, c, p);
  }

  // The same with what it reads at hand.
  static TW_DEVICE typename P::D Combine(
      typename P::Acc acc, Compute scale, Compute bias, Compute c, const GemmParams& p) {
    if constexpr (kPlain) {
      return NarrowSum<typename P::D, typename P::Acc>::From(acc);
    } else {
      Compute x = Compute(0);
      if constexpr (P::kAlpha == Scalar::kOther)
        scale *= static_cast<Compute>(p.alpha);
      if constexpr (P::kAlpha != Scalar::kZero)
        x = P::kAlpha == Scalar::kOther || kHasScale ? scale * static_cast<Compute>(acc)
                                                     : static_cast<Compute>(acc);
      if constexpr (P::kBias != Bias::kNone)
        x += bias;
      x = P::Activation::Apply(x);
      if constexpr (P::kBeta != Scalar::kZero)
        x += P::kBeta == Scalar::kOne ? c : static_cast<Compute>(p.beta) * c;
      return Narrow<typename P::D>::From(x);
    }
  }
};

}  // namespace tw
