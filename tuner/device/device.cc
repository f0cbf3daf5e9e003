// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/device.h"

#include "tuner/device/cuda_error.h"

namespace tw {

void Device::NoteError(int code) {
  if (sticky_error_ == 0 && IsStickyCudaError(code))
    sticky_error_ = code;
}

}  // namespace tw
