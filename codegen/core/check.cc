// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/check.h"

#include <cstdio>
#include <cstdlib>

namespace tw {

void CheckFailed(const char* condition, const char* file, int line) {
  (void)std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  (void)std::fflush(stderr);
  std::abort();
}

}  // namespace tw
