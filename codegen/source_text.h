// Text helpers of the source builders.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/core/candidate.h"

namespace tw {

using MarkValues = std::vector<std::pair<std::string_view, std::string>>;

// Replaces each @NAME@ of `text`; values are not searched again. Requires: every name is in
// `values`.
std::string SubstituteMarks(std::string_view text, const MarkValues& values);

// `#include "PATH"`, one a line.
std::string IncludeLines(const std::vector<std::string>& paths);

// KernelSource::digest: over text, arch and options.
std::string SourceDigest(const KernelSource& source);

}  // namespace tw
