// Content-addressed directory of compiled kernels and their sources:
// DIR/ab/abcdef….{cu,cubin,json}. Written to a temporary name, synced and renamed, so a reader sees
// a whole file or none. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/compile/compiler.h"

namespace tw {

// Thread-safe, also among processes: whoever renames last wins, and all write the same bytes.
class ArtifactCache {
 public:
  // Creates the directory (0700). PermissionDenied if it belongs to someone else, is writable by
  // group or others, or is a symbolic link.
  static Result<ArtifactCache> Open(std::filesystem::path directory);

  // Key: `source_digest` and the compiler's version. A damaged entry (hash mismatch) is a miss
  // and is removed.
  [[nodiscard]] std::optional<CompiledKernel> Find(std::string_view source_digest,
                                                   std::string_view compiler) const;

  // Under kernel.compiler. ResourceExhausted: the disk is full.
  Status Put(const KernelSource& source, const CompiledKernel& kernel);

  // The stored source text by digest; NotFound, or DataLoss where its hash does not match.
  [[nodiscard]] Result<std::string> Source(std::string_view source_digest) const;

 private:
  explicit ArtifactCache(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
};

// A compiler that asks `cache` first and stores what `inner` makes. `compiler_version` is part of
// the key. A kernel that cannot be stored is Unavailable (the message says why: the disk is full):
// a result whose source is lost would be of no use. Both outlive the result.
std::unique_ptr<Compiler> MakeCachingCompiler(Compiler& inner,
                                              ArtifactCache& cache,
                                              std::string compiler_version);

}  // namespace tw
