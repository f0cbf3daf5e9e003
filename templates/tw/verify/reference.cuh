// The judge's own product: double precision, its own tiling, no code shared with the families but
// the element types and the activations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/epilogue/linear.cuh"
#include "tw/verify/operand.cuh"
#include "tw/verify/params.h"

namespace tw {

// P: the problem's traits (tw/epilogue/linear.cuh). One block computes 64x64 elements of D in 16x16
// threads of 4x4, and walks over the tiles of all batch items.
template <class P>
struct Reference {
  static constexpr int kTile = kReferenceTile;
  static constexpr int kDepth = 16;
  static constexpr int kPerThread = 4;
  static constexpr int kFlushDepth = 4096;

  // Padded: threads that follow K write a column of these; rows stay 16-byte aligned.
  static constexpr int kPitch = kTile + 2, kAbsPitch = kTile + 4;

  struct Shared {
    double a[kDepth][kPitch], b[kDepth][kPitch];
    float abs_a[kDepth][kAbsPitch], abs_b[kDepth][kAbsPitch];
  };

  // One slice of A or B (rows x kDepth); zeros past the edges.
  template <class T, bool kLineIsK>
  static TW_DEVICE void Load(double (&values)[kDepth][kPitch],
                             float (&magnitudes)[kDepth][kAbsPitch],
                             const T* data,
                             int64 ld,
                             int64 first,
                             int64 extent,
                             int64 k0,
                             int64 k) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kJudgeThreads) {
      // Consecutive threads follow the operand's lines.
      int depth = kLineIsK ? i % kDepth : i / kTile;
      int at = kLineIsK ? i / kDepth : i % kTile;
      int64 row = first + at;
      int64 kk = k0 + depth;
      double x = 0;
      if (row < extent && kk < k)
        x = OperandValue<T>(data[kLineIsK ? row * ld + kk : kk * ld + row]);
      values[depth][at] = x;
      magnitudes[depth][at] = static_cast<float>(fabs(x));
    }
  }

  static TW_DEVICE void Flush(float (&size)[kPerThread][kPerThread],
                              float (&part)[kPerThread][kPerThread]) {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) {
        size[i][j] += part[i][j];
        part[i][j] = 0;
      }
    }
  }

  // The epilogue of D's element `at`, which has this slot.
  static TW_DEVICE void Store(
      const ReferenceParams& p, const Position& at, int64 slot, double sum, double size) {
    const GemmParams& g = p.gemm;
    const auto [batch, row, col] = at;
    double factor = g.alpha;
    if constexpr (P::kScale != Scale::kNone && P::kAlpha != Scalar::kZero) {
      constexpr bool kEach = P::kScale == Scale::kRowCol;
      factor *= static_cast<double>(g.scale_a[kEach ? row : 0]);
      factor *= static_cast<double>(g.scale_b[kEach ? col : 0]);
    }
    double x = P::kAlpha == Scalar::kZero ? 0.0 : factor * sum;
    double magnitude = P::kAlpha == Scalar::kZero ? 0.0 : fabs(factor) * size;
    if constexpr (P::kBias != Bias::kNone) {
      double bias = Widen<double>(static_cast<const typename BiasOf<typename P::D>::Type*>(
          g.bias)[P::kBias == Bias::kCol ? col : row]);
      x += bias;
      magnitude += fabs(bias);
    }
    x = P::Activation::Apply(x);
    if constexpr (P::kBeta != Scalar::kZero) {
      int64 offset = batch * g.stride_c + (P::kCRowMajor ? row * g.ldc + col : col * g.ldc + row);
      double c = g.beta * Widen<double>(static_cast<const typename P::C*>(g.c)[offset]);
      x += c;
      magnitude += fabs(c);
    }
    p.reference[slot] = x;
    if (p.magnitude != nullptr)
      p.magnitude[slot] = static_cast<float>(magnitude);
  }

  // Of the element (r, c) of tile t.
  static TW_DEVICE int64
  SlotOf(const ReferenceParams& p, int64 t, const Position& tile, int r, int c) {
    const GemmParams& g = p.gemm;
    if (p.coverage.tiles != nullptr)
      return t * kTileSlots + (P::kDRowMajor ? r * kTile + c : c * kTile + r);
    int64 row = tile.row + r, col = tile.col + c;
    return tile.item * g.m * g.n + (P::kDRowMajor ? row * g.n + col : col * g.m + row);
  }

  static TW_DEVICE void Tile(const ReferenceParams& p, Shared& s, int64 t, const Position& tile) {
    const GemmParams& g = p.gemm;
    const auto [batch, row0, col0] = tile;
    const auto* a = static_cast<const typename P::A*>(g.a) + batch * g.stride_a;
    const auto* b = static_cast<const typename P::B*>(g.b) + batch * g.stride_b;
    int tr = threadIdx.x / 16 * kPerThread;
    int tc = threadIdx.x % 16 * kPerThread;
    double sum[kPerThread][kPerThread] = {};
    // The magnitude in fp32, in two levels: a single sum would stop growing near 2^24.
    float size[kPerThread][kPerThread] = {}, part[kPerThread][kPerThread] = {};
    for (int64 k0 = 0; P::kAlpha != Scalar::kZero && k0 < g.k; k0 += kDepth) {
      __syncthreads();
      Load<typename P::A, P::kARowMajor>(s.a, s.abs_a, a, g.lda, row0, g.m, k0, g.k);
      Load<typename P::B, !P::kBRowMajor>(s.b, s.abs_b, b, g.ldb, col0, g.n, k0, g.k);
      __syncthreads();
#pragma unroll 2
      for (int d = 0; d < kDepth; ++d) {
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
          for (int j = 0; j < kPerThread; ++j) {
            sum[i][j] += s.a[d][tr + i] * s.b[d][tc + j];
            part[i][j] += s.abs_a[d][tr + i] * s.abs_b[d][tc + j];
          }
        }
      }
      if (k0 % kFlushDepth == kFlushDepth - kDepth)
        Flush(size, part);
    }
    Flush(size, part);
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
      for (int j = 0; j < kPerThread; ++j) {
        if (row0 + tr + i < g.m && col0 + tc + j < g.n)
          Store(p, {batch, row0 + tr + i, col0 + tc + j}, SlotOf(p, t, tile, tr + i, tc + j),
                sum[i][j], size[i][j]);
      }
    }
  }

  static TW_DEVICE void Run(const ReferenceParams& p) {
    __shared__ Shared shared;
    int64 cols = CeilDiv(p.gemm.n, kTile);
    int64 tiles = CeilDiv(p.gemm.m, kTile) * cols;  // of an item
    bool sampled = p.coverage.tiles != nullptr;
    for (int64 t = blockIdx.x; t < (sampled ? p.coverage.count : tiles * p.gemm.batch);
         t += gridDim.x) {
      int64 in_item = t % tiles;
      Tile(p, shared, t,
           sampled ? p.coverage.tiles[t]
                   : Position{t / tiles, in_item / cols * kTile, in_item % cols * kTile});
    }
  }
};

}  // namespace tw
