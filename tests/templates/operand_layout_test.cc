// The index maths of the mma.sync kernels against an emulation of what the hardware does with it:
// the copies fill a tile's every byte once, and every lane's fragment words hold the elements that
// mma.sync expects there.
// SPDX-License-Identifier: Apache-2.0
#include "tw/operand_layout.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr int kLanes = 32;
constexpr int kNobody = -1;

// Shared memory of one tile by bytes: which byte of which element lies where, as
// (mn * tile_k + k) * bytes + byte.
using Shared = std::vector<int>;

template <class L>
int IdOf(int mn, int k, int byte) {
  return (mn * L::kTileK + k) * L::kBytes + byte;
}

template <class L>
std::string Describe() {
  return std::string(L::kIsA ? "A" : "B") + " extent " + std::to_string(L::kExtent) + ", tile_k " +
         std::to_string(L::kTileK) + ", " + std::to_string(L::kBytes) + " bytes, " +
         (L::kKMajor ? "K-major" : "MN-major");
}

template <class L>
Shared Fill() {
  Shared shared(static_cast<std::size_t>(L::kSize), kNobody);
  for (int mn = 0; mn < L::kExtent; ++mn) {
    for (int k = 0; k < L::kTileK; ++k) {
      for (int byte = 0; byte < L::kBytes; ++byte) {
        int offset = L::ElementOffset(mn, k) + byte;
        EXPECT_EQ(shared.at(static_cast<std::size_t>(offset)), kNobody);
        shared.at(static_cast<std::size_t>(offset)) = IdOf<L>(mn, k, byte);
      }
    }
  }
  return shared;
}

// A register: the ids of its four bytes.
using Word = std::array<int, 4>;
using Words = std::vector<std::array<Word, kLanes>>;

Word LoadWord(const Shared& shared, int address) {
  EXPECT_EQ(address % 4, 0);
  Word word{};
  for (int byte = 0; byte < 4; ++byte)
    word.at(static_cast<std::size_t>(byte)) = shared.at(static_cast<std::size_t>(address + byte));
  return word;
}

// ldmatrix.x4: lane l addresses row l % 8 of tile l / 8.
std::array<std::array<Word, kLanes>, 4> Ldmatrix(const Shared& shared,
                                                 const std::array<int, kLanes>& addresses,
                                                 bool transposed) {
  std::array<std::array<Word, kLanes>, 4> out{};
  for (std::size_t tile = 0; tile < 4; ++tile) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      Word& word = out.at(tile).at(lane);
      if (!transposed) {
        word = LoadWord(shared, addresses.at(tile * 8 + lane / 4) + static_cast<int>(lane % 4) * 4);
        continue;
      }
      // Elements (2t, g) and (2t + 1, g), two bytes each.
      for (std::size_t byte = 0; byte < 4; ++byte) {
        int row = addresses.at(tile * 8 + lane % 4 * 2 + byte / 2);
        EXPECT_EQ(row % kChunkBytes, 0);
        word.at(byte) = shared.at(static_cast<std::size_t>(row) + lane / 4 * 2 + byte % 2);
      }
    }
  }
  return out;
}

template <class L>
void LoadMatrices(const Shared& shared, int warp_mn, int step, Words& words) {
  for (std::size_t block = 0; block < words.size() / 4; ++block) {
    std::array<int, kLanes> addresses{};
    for (int lane = 0; lane < kLanes; ++lane) {
      int base = L::LaneOffset(lane, warp_mn);
      addresses.at(static_cast<std::size_t>(lane)) =
          L::kKMajor ? L::KMajorOffset(base, static_cast<int>(block), step)
                     : L::MnMajorOffset(base, static_cast<int>(block), step * L::kMmaK);
    }
    auto loaded = Ldmatrix(shared, addresses, !L::kKMajor);
    for (std::size_t i = 0; i < 4; ++i)
      words.at(block * 4 + i) = loaded.at(i);
  }
}

template <class L>
void LoadElements(const Shared& shared, int warp_mn, int step, Words& words) {
  for (int octet = 0; octet < static_cast<int>(words.size()) / 2; ++octet) {
    for (int half = 0; half < 2; ++half) {
      int k = step * L::kMmaK + half * (L::kMmaK / 2);
      for (int lane = 0; lane < kLanes; ++lane) {
        words.at(static_cast<std::size_t>(L::WordIndex(octet, half)))
            .at(static_cast<std::size_t>(lane)) =
            LoadWord(shared, L::MnMajorOffset(L::LaneOffset(lane, warp_mn), octet, k));
      }
    }
  }
}

template <class L>
void LoadByteBlocks(const Shared& shared, int warp_mn, int step, Words& words) {
  for (int block = 0; block < static_cast<int>(words.size()) / 8; ++block) {
    for (int half = 0; half < 2; ++half) {
      int k = step * L::kMmaK + half * (L::kMmaK / 2);
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int i = 0; i < 4; ++i) {
          Word row = LoadWord(shared, L::MnMajorOffset(L::LaneOffset(lane, warp_mn), block, k + i));
          for (int column = 0; column < 4; ++column) {
            words.at(static_cast<std::size_t>(L::WordIndex(block * 4 + column, half)))
                .at(static_cast<std::size_t>(lane))
                .at(static_cast<std::size_t>(i)) = row.at(static_cast<std::size_t>(column));
          }
        }
      }
    }
  }
}

// The fragments of a warp for one step, as the kernel loads them.
template <class L>
Words LoadFragments(const Shared& shared, int warp_mn, int warp_extent, int step) {
  Words words(static_cast<std::size_t>(warp_extent / 8 * 2));
  switch (L::kRead) {
    case FragmentRead::kMatrix:
    case FragmentRead::kMatrixTransposed:
      LoadMatrices<L>(shared, warp_mn, step, words);
      break;
    case FragmentRead::kElements:
      LoadElements<L>(shared, warp_mn, step, words);
      break;
    case FragmentRead::kByteBlocks:
      LoadByteBlocks<L>(shared, warp_mn, step, words);
      break;
  }
  return words;
}

// mma.sync's own lane map: word `index` of a 16x8 product's operand, by the lane's g = lane / 4 and
// t = lane % 4. A: rows g, g + 8, g, g + 8, low halves of K first. B: column g, low, high.
struct Place {
  int octet, half;
};

template <class L>
Place PlaceOfWord(int index) {
  if (L::kIsA)
    return {index / 4 * 2 + index % 2, index % 4 / 2};
  return {index / 2, index % 2};
}

template <class L>
int CountWrongWords(const Words& words, int warp_mn, int step) {
  constexpr int kElementsPerWord = 4 / L::kBytes;
  int wrong = 0;
  for (int index = 0; index < static_cast<int>(words.size()); ++index) {
    Place place = PlaceOfWord<L>(index);
    for (int lane = 0; lane < kLanes; ++lane) {
      int mn = warp_mn + L::OctetMn(place.octet, lane / 4);
      int k = step * L::kMmaK + place.half * (L::kMmaK / 2) + lane % 4 * kElementsPerWord;
      Word expected{};
      for (int byte = 0; byte < 4; ++byte) {
        expected.at(static_cast<std::size_t>(byte)) =
            IdOf<L>(mn, k + byte / L::kBytes, byte % L::kBytes);
      }
      if (words.at(static_cast<std::size_t>(index)).at(static_cast<std::size_t>(lane)) != expected)
        ++wrong;
    }
  }
  return wrong;
}

template <class L>
void CheckFragments() {
  SCOPED_TRACE(Describe<L>());
  const Shared shared = Fill<L>();
  for (int warp_extent : {16, 32, 64, 128}) {
    if (warp_extent > L::kExtent || (L::kInterleaved && warp_extent < 32))
      continue;
    std::vector<bool> covered(static_cast<std::size_t>(warp_extent));
    for (int octet = 0; octet < warp_extent / 8; ++octet) {
      for (int index = 0; index < 8; ++index)
        covered.at(static_cast<std::size_t>(L::OctetMn(octet, index))) = true;
    }
    EXPECT_EQ(covered, std::vector<bool>(covered.size(), true)) << "octets cover the warp's tile";
    for (int warp_mn = 0; warp_mn < L::kExtent; warp_mn += warp_extent) {
      for (int step = 0; step < L::kMmaSteps; ++step) {
        Words words = LoadFragments<L>(shared, warp_mn, warp_extent, step);
        EXPECT_EQ(CountWrongWords<L>(words, warp_mn, step), 0)
            << "warp extent " << warp_extent << " at " << warp_mn << ", step " << step;
      }
    }
  }
}

// What the threads' copies write where; byte b of shared row r of the source is the tile's own.
template <class L, int kThreads, int kUnit>
void CheckCopies() {
  if constexpr (L::kPitch / kUnit <= kThreads) {
    SCOPED_TRACE(Describe<L>() + ", threads " + std::to_string(kThreads) + ", unit " +
                 std::to_string(kUnit));
    using Map = CopyMap<L, kThreads, kUnit>;
    Shared written(static_cast<std::size_t>(L::kSize), kNobody);
    int twice = 0;
    for (int thread = 0; thread < kThreads; ++thread) {
      if (!Map::kAllThreads && thread >= Map::kUnits)
        continue;
      for (int j = 0; j < Map::kPerThread; ++j) {
        int row = Map::FirstRow(thread) + j * Map::kRowStep;
        int offset = Map::UnitOffset(Map::FirstOffset(thread), j);
        ASSERT_EQ(offset % kUnit, 0);
        for (int byte = 0; byte < kUnit; ++byte) {
          int column = Map::Byte(thread) + byte;
          int mn = L::kKMajor ? row : column / L::kBytes;
          int k = L::kKMajor ? column / L::kBytes : row;
          int& slot = written.at(static_cast<std::size_t>(offset + byte));
          twice += slot == kNobody ? 0 : 1;
          slot = IdOf<L>(mn, k, column % L::kBytes);
        }
      }
    }
    EXPECT_EQ(twice, 0);
    EXPECT_TRUE(written == Fill<L>());
  }
}

template <class L>
void CheckAllCopies() {
  CheckCopies<L, 64, 16>();
  CheckCopies<L, 128, 16>();
  CheckCopies<L, 256, 16>();
  CheckCopies<L, 128, 8>();
  CheckCopies<L, 32, 4>();
  CheckCopies<L, 128, 4>();
  CheckCopies<L, 256, 4>();
  CheckCopies<L, 512, 4>();
}

template <class L>
void Check() {
  CheckFragments<L>();
  CheckAllCopies<L>();
}

template <bool kIsA, int kExtent, int kBytes, bool kKMajor>
void CheckTileKs() {
  Check<OperandLayout<kIsA, kExtent, 64 / kBytes, kBytes, kKMajor>>();
  Check<OperandLayout<kIsA, kExtent, 128 / kBytes, kBytes, kKMajor>>();
  Check<OperandLayout<kIsA, kExtent, 256 / kBytes, kBytes, kKMajor>>();
}

template <int kBytes, bool kKMajor>
void CheckExtents() {
  // Bytes that are not K-major are transposed in blocks of 32.
  if constexpr (kBytes != 1 || kKMajor) {
    CheckTileKs<true, 16, kBytes, kKMajor>();
    CheckTileKs<false, 16, kBytes, kKMajor>();
  }
  CheckTileKs<true, 32, kBytes, kKMajor>();
  CheckTileKs<false, 32, kBytes, kKMajor>();
  CheckTileKs<true, 64, kBytes, kKMajor>();
  CheckTileKs<false, 64, kBytes, kKMajor>();
  CheckTileKs<true, 128, kBytes, kKMajor>();
  CheckTileKs<false, 128, kBytes, kKMajor>();
  CheckTileKs<true, 256, kBytes, kKMajor>();
  CheckTileKs<false, 256, kBytes, kKMajor>();
}

TEST(OperandLayout, KMajor16Bit) {
  CheckExtents<2, true>();
}

TEST(OperandLayout, MnMajor16Bit) {
  CheckExtents<2, false>();
}

TEST(OperandLayout, KMajor32Bit) {
  CheckExtents<4, true>();
}

TEST(OperandLayout, MnMajor32Bit) {
  CheckExtents<4, false>();
}

TEST(OperandLayout, KMajor8Bit) {
  CheckExtents<1, true>();
}

TEST(OperandLayout, MnMajor8Bit) {
  CheckExtents<1, false>();
}

// Lane 0 of a 16-bit m16n8k16 product holds (row, column) (0,0) (0,1) (8,0) (8,1) (0,8) (0,9) (8,8)
// (8,9) of A.
TEST(OperandLayout, FragmentOfLane0) {
  using L = OperandLayout<true, 16, 32, 2, true>;
  Words words = LoadFragments<L>(Fill<L>(), 0, 16, 0);
  const std::array<std::array<int, 2>, 8> expected = {
      {{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(words.at(i / 2).at(0).at(i % 2 * 2),
              IdOf<L>(expected.at(i)[0], expected.at(i)[1], 0));
  }
}

}  // namespace
}  // namespace tw
