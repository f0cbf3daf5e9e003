// Copies k blocks of one operand from global memory to shared memory, as words in rows of equal k:
//   shared[k / pack][mn]     (mn: m of A, n of B)
// Three ways, chosen by layout and type: cp.async where mn is contiguous and a word is the stored
// element; else through registers, converting; and transposing where k is contiguous.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/dtype.cuh"
#include "tw/families/simt.plan.h"
#include "tw/ptx/cp_async.cuh"
#include "tw/vector.cuh"

namespace tw::simt {

// A word of shared memory from kPack elements of consecutive k.
template <class Word, class T>
TW_DEVICE Word MakeWord(const T (&x)[1]) {
  return Widen<Word>(x[0]);
}

// The contract rounds tf32 operands to the nearest, whatever multiplies them.
template <class Word>
TW_DEVICE Word MakeWord(const tf32 (&x)[1]) {
  uint32 bits = __float_as_uint(x[0].value);
  bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return __uint_as_float(finite ? (bits + 0x1000u) & 0xffffe000u : bits);
}

template <class Word>
TW_DEVICE Word MakeWord(const s8 (&x)[4]) {
  uint32 word = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    word |= static_cast<uint32>(static_cast<uint8>(x[i])) << (8 * i);
  return static_cast<Word>(word);
}

// Spec: T, Word; kTileMn, kTileK, kPack, kThreads, kAccess, kPitch, kKContiguous, kAsync.
template <class Spec>
class OperandCopy {
 public:
  using T = typename Spec::T;
  using Word = typename Spec::Word;

  // `base`: the operand of this batch item. The block's tile starts at mn_start of `extent`, its
  // k at k_start. Rows (k contiguous) beyond the extent repeat the last one: what they add to
  // accumulators is never stored.
  TW_DEVICE OperandCopy(const T* base, int64 ld, int64 mn_start, int64 extent, int64 k_start)
      : ld_(ld) {
    int unit = static_cast<int>(threadIdx.x) % kUnits;
    active_ = kAllThreads || threadIdx.x < kUnits;
    k_ = KOf(unit);
    dst_ = k_ / Spec::kPack * Spec::kPitch + MnOf(unit);
    fast_ = Spec::kKContiguous || Spec::kAsync || extent % Spec::kAccess == 0 ||
            mn_start + Spec::kTileMn <= extent;
#pragma unroll
    for (int c = 0; c < kCopies; ++c) {
      int64 mn = mn_start + MnOf(unit) + MnOf(c * Spec::kThreads);
      int64 k = k_start + k_ + KOf(c * Spec::kThreads);
      if constexpr (Spec::kKContiguous) {
        src_[c] = base + Min(mn, extent - 1) * ld + k;
      } else {
        valid_[c] = static_cast<int>(Max(0, Min(extent - mn, Spec::kAccess)));
        src_[c] = base + k * ld + (valid_[c] > 0 ? mn : 0);
      }
    }
  }

  // Whether LoadFull() is right for k blocks that lie within K.
  TW_DEVICE bool fast() const {
    return fast_;
  }

  // Starts the copy of the next k block, all of it within K.
  TW_DEVICE void LoadFull(Word* stage) {
    if (active_) {
#pragma unroll
      for (int c = 0; c < kCopies; ++c) {
        if constexpr (Spec::kAsync)
          CopyAsync(stage, c, valid_[c]);
        else
          LoadUnit(c);
      }
    }
    Advance();
  }

  // The same for a block with `k_left` k, zeros beyond them, at any edge.
  TW_DEVICE void LoadGuarded(Word* stage, int k_left) {
    if (active_) {
#pragma unroll
      for (int c = 0; c < kCopies; ++c) {
        int left = k_left - k_ - KOf(c * Spec::kThreads);
        if constexpr (Spec::kAsync)
          CopyAsync(stage, c, left > 0 ? valid_[c] : 0);
        else
          LoadUnitGuarded(c, left);
      }
    }
    Advance();
  }

  // Writes what the last load brought into registers. Nothing to do for asynchronous copies.
  TW_DEVICE void Store(Word* stage) const {
    if constexpr (!Spec::kAsync) {
      if (active_) {
#pragma unroll
        for (int c = 0; c < kCopies; ++c)
          StoreUnit(stage + dst_ + DstOf(c), c);
      }
    }
  }

 private:
  static constexpr int kUnitK =
      Spec::kKContiguous ? Larger(Spec::kAccess, Spec::kPack) : Spec::kPack;
  static constexpr int kUnitMn = Spec::kKContiguous ? 1 : Spec::kAccess;
  static constexpr int kUnitsK = Spec::kTileK / kUnitK;
  static constexpr int kUnitsMn = Spec::kTileMn / kUnitMn;
  static constexpr int kUnits = kUnitsK * kUnitsMn;
  static constexpr bool kAllThreads = kUnits >= Spec::kThreads;
  static constexpr int kCopies = kAllThreads ? kUnits / Spec::kThreads : 1;
  static constexpr int kAccesses = kUnitK * kUnitMn / Spec::kAccess;

  // k contiguous: neighbouring lanes share a 32-byte sector of a row, the rest go down the rows,
  // so that the transposed stores spread over the banks.
  static constexpr int kSectorElements = 32 / static_cast<int>(sizeof(T));
  static constexpr int kLanesK = Smaller(kUnitsK, Larger(1, kSectorElements / kUnitK));

  // First k and mn of unit `index`. All factors are powers of two, so that the offsets of a
  // thread's later units (index + c * threads) add to those of its first.
  static TW_DEVICE constexpr int KOf(int index) {
    int unit = Spec::kKContiguous ? index % kLanesK + index / (kLanesK * kUnitsMn) * kLanesK
                                  : index / kUnitsMn;
    return unit * kUnitK;
  }

  static TW_DEVICE constexpr int MnOf(int index) {
    int unit = Spec::kKContiguous ? index / kLanesK % kUnitsMn : index % kUnitsMn;
    return unit * kUnitMn;
  }

  static TW_DEVICE constexpr int DstOf(int copy) {
    int index = copy * Spec::kThreads;
    return KOf(index) / Spec::kPack * Spec::kPitch + MnOf(index);
  }

  TW_DEVICE void CopyAsync(Word* stage, int c, int valid) {
    uint32 dst = static_cast<uint32>(__cvta_generic_to_shared(stage + dst_ + DstOf(c)));
    constexpr int kBytes = Spec::kAccess * static_cast<int>(sizeof(T));
    CpAsync<kBytes>(dst, src_[c], valid * static_cast<int>(sizeof(T)));
  }

  TW_DEVICE const T* AccessAt(int c, int a) const {
    return Spec::kKContiguous ? src_[c] + a * Spec::kAccess : src_[c] + a * ld_;
  }

  TW_DEVICE void LoadUnit(int c) {
#pragma unroll
    for (int a = 0; a < kAccesses; ++a)
      staged_[c][a] = LoadVec<Spec::kAccess>(AccessAt(c, a));
  }

  // `left`: k from the unit's first to the end.
  TW_DEVICE void LoadUnitGuarded(int c, int left) {
#pragma unroll
    for (int a = 0; a < kAccesses; ++a) {
      const T* src = AccessAt(c, a);
#pragma unroll
      for (int e = 0; e < Spec::kAccess; ++e) {
        bool inside = Spec::kKContiguous ? a * Spec::kAccess + e < left : a < left && e < valid_[c];
        staged_[c][a].v[e] = inside ? src[e] : T{};
      }
    }
  }

  TW_DEVICE T Staged(int c, int k, int mn) const {
    if constexpr (Spec::kKContiguous)
      return staged_[c][k / Spec::kAccess].v[k % Spec::kAccess];
    else
      return staged_[c][k].v[mn];
  }

  // Words of shared rows; `dst` is the unit's first.
  TW_DEVICE void StoreUnit(Word* dst, int c) const {
    constexpr int kWidth = Smaller(kUnitMn, kMaxAccessBytes / static_cast<int>(sizeof(Word)));
#pragma unroll
    for (int row = 0; row < kUnitK / Spec::kPack; ++row) {
#pragma unroll
      for (int mn = 0; mn < kUnitMn; mn += kWidth) {
        Vec<Word, kWidth> words;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
          T elements[Spec::kPack];
#pragma unroll
          for (int k = 0; k < Spec::kPack; ++k)
            elements[k] = Staged(c, row * Spec::kPack + k, mn + i);
          words.v[i] = MakeWord<Word>(elements);
        }
        StoreVec<kWidth>(dst + row * Spec::kPitch + mn, words);
      }
    }
  }

  TW_DEVICE void Advance() {
#pragma unroll
    for (int c = 0; c < kCopies; ++c)
      src_[c] += Spec::kKContiguous ? Spec::kTileK : Spec::kTileK * ld_;
  }

  const T* src_[kCopies];  // next access of each copy
  int valid_[kCopies];     // elements of an access within the extent; mn contiguous only
  Vec<T, Spec::kAccess> staged_[kCopies][kAccesses];
  int64 ld_;
  int k_;    // of the first unit, within the block
  int dst_;  // word of the first unit, within the stage
  bool active_, fast_;
};

}  // namespace tw::simt
