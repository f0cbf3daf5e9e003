// A directory of a test's own, its path short enough for sockets, removed with everything in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "codegen/core/check.h"

namespace tw::fakes {

class TempDir {
 public:
  TempDir() {
    std::string pattern = "/tmp/tw-test-XXXXXX";
    TW_CHECK(mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }

  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  ~TempDir() {
    std::error_code ignored;  // nothing a destructor could do about it
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Path of a file of that name in it.
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace tw::fakes
