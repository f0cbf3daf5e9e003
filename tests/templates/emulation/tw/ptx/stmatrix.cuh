// Emulation of templates/tw/ptx/stmatrix.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"

namespace tw {

namespace emulation {

struct StmatrixLane {
  uint32 address;
  const uint32* words;
  uint16 line[8];  // what goes to the address
};

// Lane l addresses row (column, transposed) l % 8 of tile l / 8.
template <std::size_t kTiles>
void Stmatrix(uint32 address, const uint32 (&words)[kTiles], bool transposed) {
  StmatrixLane self{address, words, {}};
  Current().Collect(&self, [transposed](const std::array<void*, kWarp>& operands) {
    for (std::size_t l = 0; l < kWarp; ++l) {
      const auto* lane = static_cast<const StmatrixLane*>(operands.at(l));
      for (std::size_t tile = 0; tile < kTiles; ++tile) {
        for (std::size_t i = 0; i < 2; ++i) {
          const std::size_t row = l / 4;
          const std::size_t col = l % 4 * 2 + i;
          const std::size_t line = transposed ? col : row;
          auto* to = static_cast<StmatrixLane*>(operands.at(tile * 8 + line));
          to->line[transposed ? row : col] =
              static_cast<uint16>(lane->words[tile] >> (16 * i) & 0xffffU);
        }
      }
    }
  });
  if (Current().ThreadInBlock() % kWarp < kTiles * 8)
    Current().WriteShared(address, self.line, 16);
}

}  // namespace emulation

template <bool kTransposed>
void Stmatrix4(uint32 shared, const uint32 (&words)[4]) {
  emulation::Stmatrix(shared, words, kTransposed);
}

template <bool kTransposed>
void Stmatrix2(uint32 shared, const uint32 (&words)[2]) {
  emulation::Stmatrix(shared, words, kTransposed);
}

}  // namespace tw
