// One WatchOperation stream. At most one write in flight; changes in between are conflated by
// the hub. The stream's end, whatever the reason, never affects the job.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include <grpcpp/support/server_callback.h>

#include "server/server_deps.h"
#include "tilewright/v1/tuning.pb.h"

namespace tw {

// Owns itself from Start to OnDone. OnCancel may run beside any other reaction, and deliveries
// come from job threads: `mutex_` sees to it that nothing is started after the one Finish.
class WatchReactor final : public grpc::ServerWriteReactor<tilewright::v1::Operation>,
                           public std::enable_shared_from_this<WatchReactor> {
 public:
  static WatchReactor* Start(const ServerDeps& deps,
                             const tilewright::v1::WatchOperationRequest& request);

  explicit WatchReactor(const ServerDeps& deps) : deps_(deps), active_(deps.activity) {}

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  void Begin(const tilewright::v1::WatchOperationRequest& request);
  void Deliver(const Operation& operation);
  void End(const Status& status);

  const ServerDeps& deps_;
  const ActivityScope active_;
  // shared: job threads may be delivering while gRPC ends the call. Dropped in OnDone.
  std::shared_ptr<WatchReactor> self_;
  std::shared_ptr<OperationWatch> watch_;
  std::mutex mutex_;
  tilewright::v1::Operation response_;  // of the write in flight
  bool last_ = false;                   // that write is a finished state
  bool ended_ = false;
};

}  // namespace tw
