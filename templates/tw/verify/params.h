// Arguments and results of the judging kernels, shared with the host: passed by value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"
#include "tw/params.h"

namespace tw {

// rows x cols elements in each of `batch` items. The element (b, r, c) lies at
// data[b * stride + r * ld + c] if row-major, data[b * stride + c * ld + r] otherwise.
struct MatrixView {
  void* data;
  int64 rows, cols, batch;
  int64 ld, stride;
  int64 row_major;

  [[nodiscard]] TW_HD int64 Offset(int64 b, int64 r, int64 c) const {
    return b * stride + (row_major ? r * ld + c : c * ld + r);
  }

  [[nodiscard]] TW_HD int64 Count() const { return rows * cols * batch; }

  [[nodiscard]] TW_HD int64 Lines() const { return row_major ? rows : cols; }

  [[nodiscard]] TW_HD int64 LineLength() const { return row_major ? cols : rows; }
};

struct Position {
  int64 item, row, col;
};

// The i-th element in the order of memory.
TW_HD inline Position PositionOf(const MatrixView& m, int64 i) {
  int64 in_line = i % m.LineLength();
  int64 line = i / m.LineLength();
  int64 in_item = line % m.Lines();
  int64 item = line / m.Lines();
  return m.row_major ? Position{item, in_item, in_line} : Position{item, in_line, in_item};
}

TW_HD inline int64 OffsetOf(const MatrixView& m, const Position& at) {
  return m.Offset(at.item, at.row, at.col);
}

TW_HD inline int64 OffsetOfIndex(const MatrixView& m, int64 i) {
  return OffsetOf(m, PositionOf(m, i));
}

// True where the slot at `offset` belongs to an element: not to the gap between lines or between
// items, and not outside. Requires: stride is at least the extent of an item, or batch <= 1.
TW_HD inline bool IsElement(const MatrixView& m, int64 offset) {
  if (offset < 0 || m.Count() == 0)
    return false;
  int64 item = m.batch > 1 ? Min(offset / m.stride, m.batch - 1) : 0;
  int64 in_item = offset - item * m.stride;
  int64 line = in_item / m.ld;
  return line < m.Lines() && in_item - line * m.ld < m.LineLength();
}

// What operands hold; C and bias are normal where A and B cancel or differ in scale, and small
// integers where A and B are ones.
enum class FillPattern : int {
  kNormal = 0,      // N(0, 1)
  kIntegers = 1,    // small: every sum is exact
  kCancelling = 2,  // the second half of K takes away what the first half summed
  kMagnitudes = 3,  // normal, each row of A and column of B scaled by one of 2^-4 .. 2^2
  kOnes = 4,        // the product is K everywhere
};

// Which axis of an operand the product sums over; of C and bias none.
enum class KAxis : int { kNone, kRows, kCols };

// Fills the elements of `copies` matrices that lie copy_bytes apart; nothing else is touched.
// A value depends on the seed, the copy and its place in the matrix only.
struct FillParams {
  MatrixView matrix;
  int64 copies, copy_bytes;
  uint64 seed;
  FillPattern pattern;
};

inline constexpr int kJudgeThreads = 256;  // block size of every judging kernel
inline constexpr int kReferenceTile = 64;  // rows and columns of D per block of the reference
inline constexpr int64 kTileSlots = int64{kReferenceTile} * kReferenceTile;

// Which elements of D have a reference. Without tiles every one, in the order of PositionOf: a slot
// each. With tiles, given by their first elements, kTileSlots slots a tile, line by line of D;
// slots past D's edges are unused.
struct Coverage {
  const Position* tiles;
  int64 count;
};

TW_HD inline int64 SlotsOf(const MatrixView& d, const Coverage& coverage) {
  return coverage.tiles == nullptr ? d.Count() : coverage.count * kTileSlots;
}

TW_HD inline Position PositionInTile(const MatrixView& d, const Position& tile, int64 slot) {
  int64 line = slot % kTileSlots / kReferenceTile;
  int64 in_line = slot % kReferenceTile;
  return d.row_major ? Position{tile.item, tile.row + line, tile.col + in_line}
                     : Position{tile.item, tile.row + in_line, tile.col + line};
}

// May lie past D's edges.
TW_HD inline Position PositionOfSlot(const MatrixView& d, const Coverage& coverage, int64 slot) {
  return coverage.tiles == nullptr ? PositionOf(d, slot)
                                   : PositionInTile(d, coverage.tiles[slot / kTileSlots], slot);
}

TW_HD inline bool Contains(const MatrixView& m, const Position& at) {
  return at.item < m.batch && at.row < m.rows && at.col < m.cols;
}

// reference[slot] and magnitude[slot] of the covered elements. magnitude may be null.
struct ReferenceParams {
  GemmParams gemm;
  Coverage coverage;
  double* reference;
  float* magnitude;
};

// How far a right result may lie from the reference: see tuner/measure/error_bound.h.
struct ErrorBound {
  double accumulate;  // times the element's magnitude
  int mantissa_bits;  // of D's type; below 0: an integer type, whose values are exact
  int min_exponent;   // of D's smallest normal number
  double max_finite;  // of D's type
  double low, high;   // what D's type saturates at; infinite where it does not
  double half_unit;   // of an integer type whose values are rounded: a little more than 1/2
};

// The exact value as D's type can hold it; NaN stays NaN.
TW_HD inline double Saturated(double x, const ErrorBound& bound) {
  if (x < bound.low)
    return bound.low;
  return x > bound.high ? bound.high : x;
}

// 2^(exponent of |x|, but at least min_exponent, - mantissa_bits - 1): half an ulp of D's type.
TW_HD inline double HalfUlp(double x, const ErrorBound& bound) {
  if (bound.mantissa_bits < 0)
    return bound.half_unit;

  union {
    double value;
    uint64 bits;
  } u;

  u.value = x;
  int exponent = static_cast<int>((u.bits >> 52) & 0x7ff) - 1023;
  if (exponent < bound.min_exponent)
    exponent = bound.min_exponent;
  exponent -= bound.mantissa_bits + 1;
  if (exponent < -1022)  // only f64 near zero: its smallest subnormal
    exponent = -1022;
  u.bits = static_cast<uint64>(exponent + 1023) << 52;
  return u.value;
}

// The accumulated error first, then the rounding of the value that carries it.
TW_HD inline double BoundOf(double reference, double magnitude, const ErrorBound& bound) {
  double accumulate = bound.accumulate * magnitude;
  double size = reference < 0 ? -reference : reference;
  return accumulate + HalfUlp(size + accumulate, bound);
}

// Counters of a comparison; the host clears them (first_bad to -1) before a launch.
struct CompareResult {
  uint64 worst_ratio_bits;  // of the double |d - ref| / bound
  uint64 first_bad;         // least slot (of a scan: index in the order of PositionOf)
  uint64 wrong;             // beyond the bound
  uint64 nan;               // NaN where the reference is finite
  uint64 unwritten;         // still the poison
  double got, want, bound;  // of the element `report`
};

struct CompareParams {
  MatrixView d;
  Coverage coverage;
  const double* reference;
  const float* magnitude;  // null: no accumulated error is allowed
  ErrorBound bound;
  CompareResult* result;
  int64 report;   // slot of the element to report; -1: none
  uint32 poison;  // byte
};

// What a search for bad slots found; the host clears it (first_bad to -1) before a launch.
struct BadSlots {
  uint64 first_bad;  // least
  uint64 count;
};

// Counts bytes, in slots of slot_bytes from `begin` to `end` relative to matrix.data, that belong
// to no element and differ from the poison.
struct GuardParams {
  MatrixView matrix;
  int64 begin, end;
  int64 slot_bytes;
  BadSlots* result;  // first_bad: slot - begin
  uint32 poison;
};

// Looks at every element of D without a reference: counts the unwritten and the NaNs.
struct ScanParams {
  MatrixView d;
  CompareResult* result;
  uint32 poison;
};

inline constexpr int64 kHashBuckets = 4096;

// Lines that share a bucket: a run of consecutive ones.
TW_HD inline int64 LinesPerBucket(const MatrixView& d) {
  return CeilDiv(d.Lines() * d.batch, kHashBuckets);
}

// Adds to buckets[b] a hash of the places and bits of D's elements in the b-th run of lines; the
// host clears them. Two runs of a deterministic kernel leave the same.
struct HashParams {
  MatrixView d;
  uint64* buckets;  // kHashBuckets
};

// What accompanies a weighted sum: the sum of magnitudes, or of (half an ulp of D)^2.
enum class SumSize : int { kMagnitude, kRounding };

// For every row r of every item, adds scale * sum over c of x(r, c) * weights[c] to sum, and
// |scale| * sum over c of |x(r, c)| * weight_sizes[c] (or the roundings) to size. Null weights are
// random signs of c by the seed, of size 1. Vectors lie item after item.
struct SumParams {
  MatrixView matrix;
  const double* weights;
  const double* weight_sizes;
  uint64 seed;
  double scale;
  SumSize kind;
  ErrorBound bound;  // where kind is kRounding
  double* sum;       // rows * batch
  double* size;      // rows * batch
};

// Overwrites the shared memory of a block, all of it dynamic: what an earlier kernel left there
// must not make a candidate right that reads it too early.
struct ScrubParams {
  int64 words;  // of 4 bytes
  uint32 word;  // the poison, four times
};

// Reads memory for a while and computes nothing: operands of a kernel that runs beside it come late
// and out of step.
struct TrafficParams {
  const void* data;
  int64 vectors;  // of 16 bytes in data
  int64 steps;    // of kTrafficLoads a thread
};

inline constexpr int kTrafficThreads = 1024;
inline constexpr int kTrafficLoads = 4;  // in flight

// Entry names of the support module.
inline constexpr char kFillA[] = "tw_verify_fill_a";
inline constexpr char kFillB[] = "tw_verify_fill_b";
inline constexpr char kFillC[] = "tw_verify_fill_c";
inline constexpr char kFillBias[] = "tw_verify_fill_bias";
inline constexpr char kFillScale[] = "tw_verify_fill_scale";
inline constexpr char kReference[] = "tw_verify_reference";
inline constexpr char kCompare[] = "tw_verify_compare";
inline constexpr char kGuard[] = "tw_verify_guard";
inline constexpr char kScan[] = "tw_verify_scan";
inline constexpr char kHash[] = "tw_verify_hash";
inline constexpr char kTraffic[] = "tw_verify_traffic";
inline constexpr char kScrub[] = "tw_verify_scrub";
inline constexpr char kSumA[] = "tw_verify_sum_a";
inline constexpr char kSumB[] = "tw_verify_sum_b";
inline constexpr char kSumD[] = "tw_verify_sum_d";

}  // namespace tw
