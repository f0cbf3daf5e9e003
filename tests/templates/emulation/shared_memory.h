// A block's shared memory, and for each word who wrote it last: the copy engine sees a thread's
// writes only behind its proxy fence and a barrier.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tw::emulation {

constexpr std::size_t kSharedBytes = std::size_t{227} * 1024;

// The window starts above the 18 bits that matrix descriptors hold, so that an address which
// nobody masked shows; above it comes the block's rank in the cluster.
constexpr unsigned kRankShift = 24;
constexpr std::uint32_t kSharedWindow = 1U << 18U;
// What the hardware keeps for itself at the bottom of the window.
constexpr std::uint32_t kSharedReserved = 1024;

// A thread of a block, and how many proxy fences it had executed.
struct Writer {
  static constexpr std::uint32_t kNobody = ~0U;

  std::uint32_t thread = kNobody;
  std::uint32_t fences = 0;
};

class SharedMemory {
 public:
  // All NaN. `array`: memory to use instead of its own, of `bytes`.
  void Reset(std::size_t bytes, std::byte* array);

  // Null where out of bounds or not a multiple of `align`.
  [[nodiscard]] std::byte* At(std::size_t offset, std::size_t bytes, std::size_t align);

  [[nodiscard]] const std::byte* begin() const { return bytes_; }

  [[nodiscard]] std::size_t size() const { return size_; }

  // Require: in bounds.
  void NoteWrite(std::size_t offset, std::size_t bytes, const Writer& writer);

  // By the copy engine.
  void NoteCopy(std::size_t offset, std::size_t bytes) { NoteWrite(offset, bytes, Writer{}); }

  template <class Predicate>
  [[nodiscard]] bool EveryWriter(std::size_t offset, std::size_t bytes, Predicate predicate) const {
    for (std::size_t word = offset / kWord; word < (offset + bytes + kWord - 1) / kWord; ++word) {
      if (writers_[word].thread != Writer::kNobody && !predicate(writers_[word]))
        return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kWord = 4;

  std::vector<std::byte> own_;
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Writer> writers_;
};

}  // namespace tw::emulation
