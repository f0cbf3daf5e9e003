// Compares with a checked-in file; UPDATE_GOLDEN=1 rewrites it instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace tw::cli {

inline void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = std::string(TW_SOURCE_DIR) + "/tests/client/golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    return;
  }
  const std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << ": run with UPDATE_GOLDEN=1";
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(text, expected.str()) << path;
}

}  // namespace tw::cli
