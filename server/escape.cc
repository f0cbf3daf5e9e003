// SPDX-License-Identifier: Apache-2.0
#include "server/escape.h"

namespace tw {
namespace {

std::string EscapeByte(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '\n')
    return "\\n";
  if (c == '\t')
    return "\\t";
  if (c == '\\')
    return "\\\\";
  if (byte < 0x20 || byte == 0x7f)
    return {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xf]};
  return {c};
}

// Whether the byte continues a UTF-8 character, which is never cut in the middle.
bool Continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string Escape(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "...";
  std::string escaped;
  std::size_t cut_at = 0;  // the longest prefix that leaves room for kCut
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (escaped.size() + kCut.size() <= limit && !Continues(text[i]))
      cut_at = escaped.size();
    escaped += EscapeByte(text[i]);
    if (escaped.size() > limit) {
      escaped.resize(cut_at);
      return escaped.append(kCut.substr(0, limit));
    }
  }
  return escaped;
}

}  // namespace tw
