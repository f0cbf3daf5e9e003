// What the conversions share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/core/status.h"

namespace tw {

// DataLoss: a frame's field does not hold what it should.
inline Status Damaged(const std::string& field) {
  return {StatusCode::kDataLoss, "worker frame: bad " + field};
}

// Text of drivers and compilers is not always UTF-8, and protobuf refuses what is not.
inline std::string Ascii(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) >= 0x80)
      c = '?';
  }
  return text;
}

}  // namespace tw
