// The unary methods of tilewright.v1.Tuning, without their transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "codegen/core/status.h"
#include "server/server_deps.h"
#include "tilewright/v1/tuning.pb.h"

namespace tw {

// Thread-safe. Statuses as admission.h and job_queue.h document them.
class TuningMethods {
 public:
  explicit TuningMethods(const ServerDeps& deps) : deps_(deps) {}

  Status StartTune(const tilewright::v1::StartTuneRequest& request,
                   tilewright::v1::Operation* response) const;
  Status GetOperation(const tilewright::v1::GetOperationRequest& request,
                      tilewright::v1::Operation* response) const;
  Status ListOperations(const tilewright::v1::ListOperationsRequest& request,
                        tilewright::v1::ListOperationsResponse* response) const;
  Status CancelOperation(const tilewright::v1::CancelOperationRequest& request,
                         tilewright::v1::Operation* response) const;
  Status ListDevices(const tilewright::v1::ListDevicesRequest& request,
                     tilewright::v1::ListDevicesResponse* response) const;
  Status GetStatus(const tilewright::v1::GetStatusRequest& request,
                   tilewright::v1::GetStatusResponse* response) const;
  // Waits for the GPU and measures.
  Status CalibrateDevice(const tilewright::v1::CalibrateDeviceRequest& request,
                         const std::stop_token& stop,
                         tilewright::v1::CalibrateDeviceResponse* response) const;

 private:
  const ServerDeps& deps_;
};

}  // namespace tw
