// The gRPC server: listeners, services, health.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/listen_address.h"
#include "server/server_deps.h"

namespace tw {

class RpcServer {
 public:
  // Serves when it returns. Statuses of PrepareSocket; FailedPrecondition where an address cannot
  // be bound. `deps` outlives the server.
  static Result<std::unique_ptr<RpcServer>> Start(const ServerDeps& deps,
                                                  std::vector<ListenAddress> addresses);
  ~RpcServer();
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  // With the ports that were chosen.
  [[nodiscard]] const std::vector<ListenAddress>& addresses() const { return addresses_; }

  // Health of "", "lookup" and "tuning" becomes NOT_SERVING for good. Calls go on.
  void SetNotServing();

  // No new calls; those in progress are cancelled after `grace`. Removes the sockets.
  void Shutdown(std::chrono::milliseconds grace);

 private:
  class Impl;

  RpcServer(std::unique_ptr<Impl> impl, std::vector<ListenAddress> addresses);

  std::unique_ptr<Impl> impl_;
  std::vector<ListenAddress> addresses_;
};

}  // namespace tw
