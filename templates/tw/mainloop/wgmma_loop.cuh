// Main loop of a consumer warpgroup: multiplies the k blocks that stand in the ring.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/mainloop/wgmma_blocks.cuh"

namespace tw {

// C gives, besides what WgmmaBlocks takes: kDeferred.
template <class C>
struct WgmmaLoop {
  using Blocks = WgmmaBlocks<C>;
  using Position = typename Blocks::Position;
  using Accumulators = typename Blocks::Accumulators;

  Blocks blocks;

  // acc = the product of the next `count` k blocks, at least 1; `at` moves on behind them.
  TW_DEVICE void Run(Accumulators& acc, int count, Position& at) const {
    Finish(Issue(acc, count, at));
  }

  // As Run, but the last products may still be under way, until Finish of what this returns.
  TW_DEVICE uint32 Issue(Accumulators& acc, int count, Position& at) const {
    uint32 previous = at.stage;
#pragma unroll 1
    for (int block = 0; block < count; ++block) {
      blocks.Multiply(acc, at, block > 0);
      if constexpr (C::kDeferred) {
        // One group stays in flight over the barrier of the next k block.
        WgmmaWait<1>();
        if (block > 0)
          blocks.Release(previous);
        previous = at.stage;
      } else {
        WgmmaWait<0>();
        blocks.Release(at.stage);
      }
      at.Next();
    }
    return previous;
  }

  TW_DEVICE void Finish(uint32 last_stage) const {
    if constexpr (C::kDeferred) {
      WgmmaWait<0>();
      blocks.Release(last_stage);
    }
  }
};

}  // namespace tw
