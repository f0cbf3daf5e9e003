// Sums over the whole of a matrix: a hash of D's bits, and weighted sums of every row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/verify/operand.cuh"
#include "tw/verify/pattern.cuh"

namespace tw {

template <class T>
TW_DEVICE uint64 BitsOf(T x) {
  uint64 bits = 0;
  const auto* bytes = reinterpret_cast<const uint8*>(&x);
  for (int i = 0; i < static_cast<int>(sizeof(T)); ++i)
    bits |= static_cast<uint64>(bytes[i]) << (8 * i);
  return bits;
}

// A thread adds up what it meets of one bucket before it touches memory.
template <class T>
TW_DEVICE void HashLines(const HashParams& p) {
  constexpr int64 kChunk = kJudgeThreads * 16;  // consecutive elements a block takes at a time
  int64 count = p.d.Count();
  int64 elements_per_bucket = LinesPerBucket(p.d) * p.d.LineLength();
  const T* data = static_cast<const T*>(p.d.data);
  for (int64 first = blockIdx.x * kChunk; first < count; first += gridDim.x * kChunk) {
    int64 bucket = 0;
    uint64 sum = 0;
    for (int64 i = first + threadIdx.x; i < Min(first + kChunk, count); i += kJudgeThreads) {
      if (i / elements_per_bucket != bucket) {
        if (sum != 0)
          atomicAdd(&p.buckets[bucket], sum);
        bucket = i / elements_per_bucket;
        sum = 0;
      }
      sum += HashCounter(static_cast<uint64>(i), BitsOf(data[OffsetOfIndex(p.d, i)]));
    }
    if (sum != 0)
      atomicAdd(&p.buckets[bucket], sum);
  }
}

// Lanes of a warp follow the matrix's lines: they share a row where rows are lines, else each has
// its own.
template <class T>
struct RowSums {
  static constexpr int kWarp = 32;

  static TW_DEVICE void Warp(const SumParams& p, const Position& first, int64 end, int lane) {
    const MatrixView& m = p.matrix;
    bool shared = m.row_major != 0;
    int64 row = first.row + (shared ? 0 : lane);
    double sum = 0, size = 0;
    for (int64 c = first.col + (shared ? lane : 0); row < m.rows && c < end;
         c += shared ? kWarp : 1) {
      double x = OperandValue<T>(static_cast<const T*>(m.data)[m.Offset(first.item, row, c)]);
      int64 at = first.item * m.cols + c;
      sum += x * (p.weights != nullptr ? p.weights[at] : RandomSign(c, p.seed));
      double half = HalfUlp(x, p.bound);
      size += p.kind == SumSize::kRounding
                  ? half * half
                  : fabs(x) * (p.weight_sizes != nullptr ? p.weight_sizes[at] : 1.0);
    }
    for (int other = kWarp / 2; shared && other > 0; other /= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, other);
      size += __shfl_xor_sync(0xffffffffu, size, other);
    }
    if (row < m.rows && (!shared || lane == 0)) {
      atomicAdd(&p.sum[first.item * m.rows + row], p.scale * sum);
      atomicAdd(&p.size[first.item * m.rows + row], fabs(p.scale) * size);
    }
  }

  static TW_DEVICE void Run(const SumParams& p) {
    const MatrixView& m = p.matrix;
    int64 rows = m.row_major ? 1 : kWarp, cols = m.row_major ? 2048 : 256;  // of a warp's share
    int64 down = CeilDiv(m.rows, rows), across = CeilDiv(m.cols, cols);
    int64 warp = (static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    int64 warps = static_cast<int64>(gridDim.x) * blockDim.x / kWarp;
    for (int64 i = warp; i < down * across * m.batch; i += warps) {
      int64 group = i / across;
      int64 col = i % across * cols;
      Warp(p, {group / down, group % down * rows, col}, Min(col + cols, m.cols),
           threadIdx.x % kWarp);
    }
  }
};

}  // namespace tw
