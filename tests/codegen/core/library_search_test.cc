// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/library_search.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

// A toolkit that somebody names is the one that is used.
TEST(LibrarySearch, NamedFoldersComeFirst) {
  const char* const names[] = {"libx.so.2", "libx.so"};
  const std::vector<std::string> files =
      FilesToTry({.named = {"/a"}, .directories = {"/b"}}, names);
  EXPECT_EQ(files, (std::vector<std::string>{"/a/libx.so.2", "/a/libx.so", "libx.so.2", "libx.so",
                                             "/b/libx.so.2", "/b/libx.so"}));
  EXPECT_EQ(FilesToTry({.file = "/c/y.so", .named = {"/a"}}, names),
            (std::vector<std::string>{"/c/y.so"}));
}

}  // namespace
}  // namespace tw
