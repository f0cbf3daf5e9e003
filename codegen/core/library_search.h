// Where a shared library of the CUDA toolkit is looked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tw {

struct LibrarySearch {
  std::string file = {};                      // use exactly this library; empty: search
  std::vector<std::string> named = {};        // folders that come before the loader's own path
  std::vector<std::string> directories = {};  // folders that come after it
};

// What to open, in this order: for each place each name. Without a slash: on the loader's path.
std::vector<std::string> FilesToTry(const LibrarySearch& search,
                                    std::span<const char* const> names);

}  // namespace tw
