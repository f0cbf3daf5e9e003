// Main loop of a consumer warpgroup for 8-bit floats, whose tensor cores keep some 14 bits of a
// sum: every k block (128 of k) is multiplied into a temporary, which then is added to the sums in
// fp32.
//
// With one temporary a warpgroup's products wait for its additions; others fill the gap. With two
// they take turns. Groups of kUnroll k blocks are straight-line code that ends with no product
// under way: what is in flight across a loop's back edge the compiler serialises (C7514).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/mainloop/wgmma_blocks.cuh"

namespace tw {

// C gives, besides what WgmmaBlocks takes: kTemporaries, 1 or 2; kUnroll.
template <class C>
struct PromotedLoop {
  using Blocks = WgmmaBlocks<C>;
  using Position = typename Blocks::Position;
  using Accumulators = typename Blocks::Accumulators;

  static_assert(Blocks::kElementBytes == 1, "a k block is what is promoted: 128 of k");

  Blocks blocks;

  // As WgmmaLoop::Run.
  TW_DEVICE void Run(Accumulators& acc, int count, Position& at) const {
    // Zeros, and not the first product: a move for each sum would double the additions' cost.
    Clear(acc);
#pragma unroll 1
    for (; count >= C::kUnroll; count -= C::kUnroll)
      AddGroup<C::kUnroll>(acc, at);
#pragma unroll 1
    for (; count > 0; --count)
      AddGroup<1>(acc, at);
  }

 private:
  template <int kBlocks>
  TW_DEVICE void AddGroup(Accumulators& acc, Position& at) const {
    Accumulators sums[C::kTemporaries];
    uint32 previous = at.stage;
#pragma unroll
    for (int block = 0; block < kBlocks; ++block) {
      blocks.Multiply(sums[block % C::kTemporaries], at, 0);
      if constexpr (C::kTemporaries > 1) {
        if (block > 0) {
          WgmmaWait<1>();
          blocks.Release(previous);
          Add(acc, sums[(block - 1) % C::kTemporaries]);
        }
      } else {
        WgmmaWait<0>();
        blocks.Release(at.stage);
        Add(acc, sums[0]);
      }
      previous = at.stage;
      at.Next();
    }
    if constexpr (C::kTemporaries > 1) {
      WgmmaWait<0>();
      blocks.Release(previous);
      Add(acc, sums[(kBlocks - 1) % C::kTemporaries]);
    }
  }

  static TW_DEVICE void Clear(Accumulators& acc) {
#pragma unroll
    for (auto& strip : acc) {
#pragma unroll
      for (auto& x : strip)
        x = 0;
    }
  }

  static TW_DEVICE void Add(Accumulators& acc, const Accumulators& sums) {
#pragma unroll
    for (int strip = 0; strip < C::kStrips; ++strip) {
#pragma unroll
      for (int i = 0; i < C::kCols / 2; ++i)
        acc[strip][i] += sums[strip][i];
    }
  }
};

}  // namespace tw
