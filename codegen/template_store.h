// Template files by path: embedded in the binary, or read from a directory during development.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "codegen/core/status.h"

namespace tw {

class TemplateStore {
 public:
  // The embedded files.
  TemplateStore() = default;

  // Files under `directory` ("tw/base.cuh" is directory/tw/base.cuh), read anew at every call.
  explicit TemplateStore(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // The same files, with `text` in one of them replaced: to plant faults. FailedPrecondition: the
  // text does not occur there exactly once. NotFound: no such file.
  [[nodiscard]] Result<TemplateStore> Patched(const std::string& path,
                                              std::string_view text,
                                              std::string_view replacement) const;

  // NotFound names the path.
  [[nodiscard]] Result<std::string> Read(std::string_view path) const;

  // SHA-256 over all template files (paths and contents), for staleness.
  [[nodiscard]] Result<std::string> Digest() const;

 private:
  std::filesystem::path directory_;
  std::map<std::string, std::string, std::less<>> patched_;  // path -> text
};

}  // namespace tw
