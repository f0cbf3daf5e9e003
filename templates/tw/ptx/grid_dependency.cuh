// Programmatic dependent launch: nothing where the launch does not ask for it (sm_90 on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// The next launch on the stream may start once every block has said so or ended.
TW_DEVICE void LaunchDependents() {
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

// Waits until the launches before this one have ended and what they wrote is visible.
TW_DEVICE void WaitForDependencies() {
  asm volatile("griddepcontrol.wait;" : : : "memory");
}

}  // namespace tw
