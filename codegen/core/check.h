// TW_CHECK: programmer errors abort, in every build, with file, line and condition.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tw {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace tw

#define TW_CHECK(cond) \
  ((cond) ? static_cast<void>(0) : ::tw::CheckFailed(#cond, __FILE__, __LINE__))
