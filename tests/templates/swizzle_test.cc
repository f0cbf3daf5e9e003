// The XOR swizzle: a bijection, and the bank conflicts that it removes.
// SPDX-License-Identifier: Apache-2.0
#include "tw/swizzle.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr int kBanks = 32;
constexpr int kWordBytes = 4;

// Wavefronts that reads of `bytes` at each address need: the most distinct words of one bank.
int Wavefronts(const std::vector<int>& addresses, int bytes) {
  std::array<std::set<int>, kBanks> words;
  for (int address : addresses) {
    for (int byte = 0; byte < bytes; byte += kWordBytes) {
      int word = (address + byte) / kWordBytes;
      words.at(static_cast<std::size_t>(word % kBanks)).insert(word);
    }
  }
  std::size_t worst = 0;
  for (const auto& bank : words)
    worst = std::max(worst, bank.size());
  return static_cast<int>(worst);
}

// Eight rows of one chunk, as one 8x8 tile of ldmatrix reads them.
int TileWavefronts(const Swizzle& swizzle, int pitch, int first_row, int chunk) {
  std::vector<int> addresses;
  for (int row = first_row; row < first_row + 8; ++row)
    addresses.push_back(swizzle.Offset(pitch, row, chunk * kChunkBytes));
  return Wavefronts(addresses, kChunkBytes);
}

TEST(Swizzle, IsABijectionOnTheTile) {
  constexpr int kRows = 64;
  for (int pitch : {32, 64, 128, 256, 512}) {
    for (const Swizzle& swizzle :
         {ChunkSwizzle(pitch), WordSwizzle(pitch), FourRowSwizzle(pitch)}) {
      std::set<int> seen;
      for (int row = 0; row < kRows; ++row) {
        for (int byte = 0; byte < pitch; ++byte) {
          int offset = swizzle.Offset(pitch, row, byte);
          EXPECT_GE(offset, 0);
          EXPECT_LT(offset, kRows * pitch);
          EXPECT_EQ(offset % kChunkBytes, byte % kChunkBytes) << "chunks stay whole";
          seen.insert(offset);
        }
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(kRows * pitch)) << "pitch " << pitch;
    }
  }
}

TEST(Swizzle, RowsWithoutCommonBitsXor) {
  for (int pitch : {32, 64, 128, 512}) {
    for (const Swizzle& swizzle :
         {ChunkSwizzle(pitch), WordSwizzle(pitch), FourRowSwizzle(pitch)}) {
      for (int row = 0; row < 8; ++row) {
        for (int step = 8; step < 64; step += 8)
          EXPECT_EQ(swizzle.Key(row + step), swizzle.Key(row) ^ swizzle.Key(step));
      }
    }
  }
}

TEST(Swizzle, RowsOf128BytesConflict8WayWithoutIt) {
  EXPECT_EQ(TileWavefronts(Swizzle{}, 128, 0, 0), 8);
  EXPECT_EQ(TileWavefronts(Swizzle{}, 64, 0, 0), 4);
  EXPECT_EQ(TileWavefronts(Swizzle{}, 32, 0, 0), 2);
}

TEST(Swizzle, NoTileOfLdmatrixConflicts) {
  for (int pitch : {32, 64, 128, 256, 512}) {
    for (int row = 0; row < 64; row += 8) {
      for (int chunk = 0; chunk < pitch / kChunkBytes; ++chunk)
        EXPECT_EQ(TileWavefronts(ChunkSwizzle(pitch), pitch, row, chunk), 1) << "pitch " << pitch;
    }
  }
}

// A 16x64 tile of 16-bit elements, read by ldmatrix.x4 four times by each of four warps: a profiler
// counts 112 conflicts without the swizzle and none with it.
TEST(Swizzle, ConflictsOfA16x64Tile) {
  constexpr int kPitch = 128;
  constexpr int kWarps = 4;
  auto conflicts = [&](const Swizzle& swizzle) {
    int count = 0;
    for (int step = 0; step < 4; ++step) {
      // Conflicts of one instruction: wavefronts of its worst tile less one.
      int worst = 1;
      for (int tile = 0; tile < 4; ++tile) {
        worst = std::max(worst, TileWavefronts(swizzle, kPitch, tile % 2 * 8, step * 2 + tile / 2));
      }
      count += worst - 1;
    }
    return count * kWarps;
  };
  EXPECT_EQ(conflicts(Swizzle{}), 112);
  EXPECT_EQ(conflicts(ChunkSwizzle(kPitch)), 0);
}

TEST(Swizzle, WordReadsOfFourRowsDoNotConflict) {
  for (int pitch : {64, 128, 256, 1024}) {
    for (int first = 0; first < 32; first += 4) {
      for (int byte = 0; byte < pitch; byte += 32) {
        std::vector<int> addresses;
        for (int lane = 0; lane < 32; ++lane) {
          addresses.push_back(
              WordSwizzle(pitch).Offset(pitch, first + lane % 4, byte + lane / 4 * kWordBytes));
        }
        EXPECT_EQ(Wavefronts(addresses, kWordBytes), 1) << "pitch " << pitch;
      }
    }
  }
}

TEST(Swizzle, WordReadsOfEveryFourthRowDoNotConflictFrom128BytesOn) {
  auto worst = [](int pitch) {
    int most = 0;
    for (int first = 0; first < 64; first += 16) {
      for (int byte = 0; byte < pitch; byte += 32) {
        std::vector<int> addresses;
        for (int lane = 0; lane < 32; ++lane) {
          addresses.push_back(FourRowSwizzle(pitch).Offset(pitch, first + lane % 4 * 4,
                                                           byte + lane / 4 * kWordBytes));
        }
        most = std::max(most, Wavefronts(addresses, kWordBytes));
      }
    }
    return most;
  };
  EXPECT_EQ(worst(32), 4);
  EXPECT_EQ(worst(64), 2);
  EXPECT_EQ(worst(128), 1);
  EXPECT_EQ(worst(256), 1);
}

// Bits 4-6 ^= bits 7-9 and its 64- and 32-byte forms.
TEST(Swizzle, EqualsTheHardwarePatternOfBulkCopies) {
  EXPECT_EQ(SwizzleAddress(0x380, 3), 0x3f0U);
  EXPECT_EQ(SwizzleAddress(0x180, 2), 0x1b0U);
  EXPECT_EQ(SwizzleAddress(0x080, 1), 0x090U);
  const std::array<std::pair<int, int>, 3> modes = {{{128, 3}, {64, 2}, {32, 1}}};
  for (const auto& [pitch, bits] : modes) {
    for (int address = 0; address < 4096; address += kChunkBytes) {
      EXPECT_EQ(ChunkSwizzle(pitch).Offset(pitch, address / pitch, address % pitch),
                static_cast<int>(SwizzleAddress(static_cast<uint32>(address), bits)))
          << "pitch " << pitch;
    }
  }
}

}  // namespace
}  // namespace tw
