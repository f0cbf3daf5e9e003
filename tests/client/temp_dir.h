// A folder of a test's own, short enough for sockets, gone at its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "codegen/core/check.h"

namespace tw::cli {

class TempDir {
 public:
  TempDir() { TW_CHECK(::mkdtemp(path_.data()) != nullptr); }

  ~TempDir() {
    std::error_code ignored;  // nothing a destructor could do about it
    std::filesystem::remove_all(path_, ignored);
  }

  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = "/tmp/tw-client-XXXXXX";
};

}  // namespace tw::cli
