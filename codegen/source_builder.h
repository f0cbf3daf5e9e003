// Candidate -> one self-contained CUDA file: entry.cu.in filled, includes flattened (each file
// once, in order, with #line marks).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/core/candidate.h"
#include "codegen/families/family.h"
#include "codegen/template_store.h"

namespace tw {

struct SourceInput {
  const KernelFamily& family;
  const GemmProblem& problem;
  const DeviceSpec& device;
  const KernelConfig& config;
};

// Requires: the family's plan accepts the configuration.
Result<KernelSource> BuildSource(const SourceInput& input, const TemplateStore& templates);

// Replaces each #include "tw/…" by the file's text, once each. InvalidArgument names an include
// outside tw/, NotFound a missing file.
Result<std::string> FlattenIncludes(std::string_view text, const TemplateStore& templates);

// Compile options of every kernel of this project, besides the arch.
std::span<const std::string_view> CompileOptions();

}  // namespace tw
