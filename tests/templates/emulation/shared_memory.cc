// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/shared_memory.h"

#include <algorithm>

namespace tw::emulation {

void SharedMemory::Reset(std::size_t bytes, std::byte* array) {
  size_ = bytes;
  if (array == nullptr)
    own_.resize(bytes);
  bytes_ = array == nullptr ? own_.data() : array;
  std::fill_n(bytes_, bytes, std::byte{0xff});
  writers_.assign((bytes + kWord - 1) / kWord, Writer{});
}

std::byte* SharedMemory::At(std::size_t offset, std::size_t bytes, std::size_t align) {
  const bool inside = offset <= size_ && bytes <= size_ - offset;
  return inside && offset % align == 0 ? bytes_ + offset : nullptr;
}

void SharedMemory::NoteWrite(std::size_t offset, std::size_t bytes, const Writer& writer) {
  for (std::size_t word = offset / kWord; word < (offset + bytes + kWord - 1) / kWord; ++word)
    writers_[word] = writer;
}

}  // namespace tw::emulation
