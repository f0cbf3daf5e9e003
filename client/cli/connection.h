// The RPCs with deadlines, retries and a channel that is made anew after a failure. gRPC stays
// inside connection.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "codegen/core/status.h"
#include "tilewright/v1/lookup.pb.h"
#include "tilewright/v1/tuning.pb.h"

namespace tw::cli {

namespace v1 = ::tilewright::v1;

// Where the server is now: called before every new channel, and starts an on-demand daemon that
// has gone. "unix:/…" or "host:port".
using AddressSource = std::function<Result<std::string>(const std::stop_token&)>;

struct RetryPolicy {
  int attempts = 4;                           // of a unary call, on Unavailable only
  std::chrono::milliseconds backoff{50};      // doubles from attempt to attempt
  std::chrono::milliseconds deadline{5'000};  // of one unary attempt
};

// "grpc 1.51.1".
std::string RpcLibraryVersion();

// Not thread-safe. A requested stop cancels the call that is running (Cancelled).
class Connection {
 public:
  explicit Connection(AddressSource source, std::stop_token stop = {}, RetryPolicy policy = {});
  ~Connection();

  Result<v1::GetConfigResponse> GetConfig(const v1::GetConfigRequest& request);
  Result<v1::GetSourceResponse> GetSource(const v1::GetSourceRequest& request);
  Result<v1::ExplainResponse> Explain(const v1::ExplainRequest& request);
  Result<v1::Operation> StartTune(const v1::StartTuneRequest& request);
  Result<v1::Operation> GetOperation(const v1::GetOperationRequest& request);
  Result<v1::ListOperationsResponse> ListOperations();
  Result<v1::Operation> CancelOperation(const v1::CancelOperationRequest& request);
  Result<v1::ListDevicesResponse> ListDevices();
  Result<v1::CalibrateDeviceResponse> CalibrateDevice(const v1::CalibrateDeviceRequest& request);
  Result<v1::GetStatusResponse> GetStatus();

  // One stream, no retry and no deadline: returns when it ends, for whatever reason (ok where the
  // server ended it).
  Status WatchOperation(const v1::WatchOperationRequest& request,
                        const std::function<void(const v1::Operation&)>& on_update);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tw::cli
