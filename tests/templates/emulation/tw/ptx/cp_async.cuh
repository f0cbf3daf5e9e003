// Emulation of templates/tw/ptx/cp_async.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/machine.h"
#include "tw/base.cuh"

namespace tw {

template <int kBytes>
void CpAsync(uint32 shared, const void* global, int valid_bytes) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
  emulation::Current().Copy({shared, global, kBytes, valid_bytes});
}

inline void CpAsyncCommit() {
  emulation::Current().Commit();
}

template <int kPending>
void CpAsyncWait() {
  emulation::Current().Wait(kPending);
}

}  // namespace tw
