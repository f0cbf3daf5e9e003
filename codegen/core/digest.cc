// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/digest.h"

#include <array>

#include <openssl/evp.h>

#include "codegen/core/check.h"

namespace tw {

std::string Sha256Hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  TW_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
           1);
  TW_CHECK(size == 32);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  text.reserve(64);
  for (unsigned int i = 0; i < size; ++i) {
    text.push_back(kHex[digest[i] >> 4U]);
    text.push_back(kHex[digest[i] & 15U]);
  }
  return text;
}

}  // namespace tw
