// The gpu role of a worker process: one job at a time on one device, until the socket's other end
// closes or a CUDA error leaves the process useless.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "codegen/core/status.h"
#include "tuner/device/cublaslt_api.h"

namespace tw {

struct GpuRoleOptions {
  bool fake = false;             // the simulated device of tuner/device/fake_device.h
  CublasLtSearch cublaslt = {};  // where the vendor's library may be
  std::string fake_script;       // JSON, or a file of it; see tuner/device/fake_script.h
};

// Ok: the other end closed, or a reply said worker_must_exit. Without a driver or a device the role
// runs on: describe_devices answers with none and the reason.
Status RunGpuRole(int fd, const GpuRoleOptions& options);

}  // namespace tw
