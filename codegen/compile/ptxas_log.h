// The compiler's log: registers, spills and stack of each kernel, and its warnings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/candidate.h"

namespace tw {

struct PtxasReport {
  std::vector<EntryResources> entries;  // kernels only, in the order of the log
  // Front end and ptxas warnings, and every message that carries a "(C75xx)" code: those say that
  // an instruction was ignored or serialised. One line each, in the order of the log.
  std::vector<std::string> warnings;
};

// Parses a log made with --ptxas-options=-v. Lines of any other form are passed over.
PtxasReport ParsePtxasLog(std::string_view log);

// At most about `limit` bytes from the log's start, where the first error is, cut at a line's end
// with a note of how much is missing. Bytes outside printable ASCII become '?', so that the text
// can travel in a protobuf string and be printed on a terminal.
std::string TrimLog(std::string_view log, std::size_t limit);

inline constexpr std::size_t kMaxLogBytes = 8192;

}  // namespace tw
