// Emulation of templates/tw/ptx/ldmatrix.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"

namespace tw {

namespace emulation {

struct LdmatrixLane {
  uint32 address;
  uint32* words;
};

// Lane l addresses row l % 8 of tile l / 8.
inline void Ldmatrix(const std::array<void*, kWarp>& operands, bool transposed) {
  std::uint16_t tiles[4][8][8];
  for (std::size_t l = 0; l < kWarp; ++l) {
    const auto* lane = static_cast<const LdmatrixLane*>(operands.at(l));
    std::memcpy(tiles[l / 8][l % 8], Current().Shared(lane->address, 16), 16);
  }
  for (std::size_t l = 0; l < kWarp; ++l) {
    const auto* lane = static_cast<const LdmatrixLane*>(operands.at(l));
    for (std::size_t tile = 0; tile < 4; ++tile) {
      const std::size_t at = l / 4;
      const std::size_t pair = l % 4 * 2;
      const unsigned low = transposed ? tiles[tile][pair][at] : tiles[tile][at][pair];
      const unsigned high = transposed ? tiles[tile][pair + 1][at] : tiles[tile][at][pair + 1];
      lane->words[tile] = low | high << 16U;
    }
  }
}

}  // namespace emulation

inline void Ldmatrix4(uint32 shared, uint32* words) {
  emulation::LdmatrixLane lane{shared, words};
  emulation::Current().Collect(&lane,
                               [](const auto& operands) { emulation::Ldmatrix(operands, false); });
}

inline void Ldmatrix4Trans(uint32 shared, uint32* words) {
  emulation::LdmatrixLane lane{shared, words};
  emulation::Current().Collect(&lane,
                               [](const auto& operands) { emulation::Ldmatrix(operands, true); });
}

}  // namespace tw
