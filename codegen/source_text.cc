// SPDX-License-Identifier: Apache-2.0
#include "codegen/source_text.h"

#include <algorithm>

#include "codegen/core/check.h"
#include "codegen/core/digest.h"

namespace tw {

std::string SubstituteMarks(std::string_view text, const MarkValues& values) {
  std::string out;
  while (true) {
    auto open = text.find('@');
    auto close = open == std::string_view::npos ? open : text.find('@', open + 1);
    if (close == std::string_view::npos)
      return out.append(text);
    std::string_view name = text.substr(open + 1, close - open - 1);
    auto value = std::find_if(values.begin(), values.end(),
                              [&](const auto& entry) { return entry.first == name; });
    TW_CHECK(value != values.end());
    out.append(text.substr(0, open)).append(value->second);
    text = text.substr(close + 1);
  }
}

std::string IncludeLines(const std::vector<std::string>& paths) {
  std::string lines;
  for (const std::string& path : paths)
    lines += "#include \"" + path + "\"\n";
  return lines;
}

std::string SourceDigest(const KernelSource& source) {
  std::string all = source.text + '\0' + source.arch;
  for (const std::string& option : source.options)
    all += '\0' + option;
  return Sha256Hex(all);
}

}  // namespace tw
