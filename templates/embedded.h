// The template files as text, embedded at build time (embed.cmake).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tw {

struct EmbeddedFile {
  std::string_view path;  // "tw/base.cuh", "entry.cu.in"
  std::string_view text;
};

// Sorted by path.
std::span<const EmbeddedFile> EmbeddedFiles();

}  // namespace tw
