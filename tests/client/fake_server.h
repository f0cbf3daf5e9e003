// Both services on a Unix socket, scripted by functions. A Status other than ok is the RPC's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "codegen/core/status.h"
#include "tilewright/v1/lookup.pb.h"
#include "tilewright/v1/tuning.pb.h"

namespace tw::cli {

namespace v1 = ::tilewright::v1;

class FakeServer {
 public:
  // What a watch may do: send a state (false: the client is gone), and see whether it is.
  struct Stream {
    std::function<bool(const v1::Operation&)> send;
    std::function<bool()> cancelled;
  };

  struct Script {
    std::function<Result<v1::GetConfigResponse>(const v1::GetConfigRequest&)> get_config;
    std::function<Result<v1::Operation>(const v1::StartTuneRequest&)> start;
    std::function<Result<v1::Operation>(const v1::GetOperationRequest&)> get;
    std::function<Status(const v1::WatchOperationRequest&, const Stream&)> watch;
    std::function<Result<v1::GetStatusResponse>()> status;
    std::function<Result<v1::ExplainResponse>(const v1::ExplainRequest&)> explain = {};
    std::function<Result<v1::CalibrateDeviceResponse>(const v1::CalibrateDeviceRequest&)>
        calibrate = {};
  };

  // Unimplemented for what the script leaves out.
  FakeServer(const std::string& address, Script script);
  ~FakeServer();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tw::cli
