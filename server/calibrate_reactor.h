// One CalibrateDevice call: it waits for the GPU and measures, on a thread that may wait, and ends
// with its client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include <grpcpp/support/server_callback.h>

#include "server/server_deps.h"
#include "server/side_thread.h"
#include "server/tuning_methods.h"
#include "tilewright/v1/tuning.pb.h"

namespace tw {

// Owns itself from Start to OnDone.
class CalibrateReactor final : public grpc::ServerUnaryReactor {
 public:
  // `deps`, `methods` and `thread` outlive the call; request and response live until its end.
  static CalibrateReactor* Start(const ServerDeps& deps,
                                 const TuningMethods& methods,
                                 SideThread& thread,
                                 const tilewright::v1::CalibrateDeviceRequest& request,
                                 tilewright::v1::CalibrateDeviceResponse* response);

  explicit CalibrateReactor(const ServerDeps& deps) : deps_(deps), active_(deps.activity) {}

  void OnCancel() override;
  void OnDone() override;

 private:
  void End(const Status& status);

  const ServerDeps& deps_;
  const ActivityScope active_;
  // Shared: the side thread may be measuring while gRPC ends the call. Dropped in OnDone.
  std::shared_ptr<CalibrateReactor> self_;
  std::stop_source stop_;
};

}  // namespace tw
