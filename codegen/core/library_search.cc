// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/library_search.h"

namespace tw {

std::vector<std::string> FilesToTry(const LibrarySearch& search,
                                    std::span<const char* const> names) {
  if (!search.file.empty())
    return {search.file};
  std::vector<std::string> files;
  const auto add = [&](const std::string& place) {
    for (const char* name : names)
      files.push_back(place + name);
  };
  for (const std::string& directory : search.named)
    add(directory + "/");
  add("");
  for (const std::string& directory : search.directories)
    add(directory + "/");
  return files;
}

}  // namespace tw
