// SPDX-License-Identifier: Apache-2.0
#include "tests/client/fake_server.h"

#include <chrono>
#include <utility>

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "codegen/core/check.h"
#include "tilewright/v1/lookup.grpc.pb.h"
#include "tilewright/v1/tuning.grpc.pb.h"

namespace tw::cli {
namespace {

grpc::Status ToRpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), status.message()};
}

template <class Response, class Function, class... Request>
grpc::Status Answer(const Function& function, Response* response, const Request&... request) {
  if (!function) {
    return {grpc::StatusCode::UNIMPLEMENTED, "not in the script"};
  }
  auto result = function(request...);
  if (!result.ok()) {
    return ToRpc(result.status());
  }
  *response = *std::move(result);
  return grpc::Status::OK;
}

class LookupService final : public v1::Lookup::Service {
 public:
  explicit LookupService(const FakeServer::Script& script) : script_(script) {}

  grpc::Status GetConfig(grpc::ServerContext* /*context*/,
                         const v1::GetConfigRequest* request,
                         v1::GetConfigResponse* response) override {
    return Answer(script_.get_config, response, *request);
  }

  grpc::Status Explain(grpc::ServerContext* /*context*/,
                       const v1::ExplainRequest* request,
                       v1::ExplainResponse* response) override {
    return Answer(script_.explain, response, *request);
  }

 private:
  const FakeServer::Script& script_;
};

class TuningService final : public v1::Tuning::Service {
 public:
  explicit TuningService(const FakeServer::Script& script) : script_(script) {}

  grpc::Status StartTune(grpc::ServerContext* /*context*/,
                         const v1::StartTuneRequest* request,
                         v1::Operation* response) override {
    return Answer(script_.start, response, *request);
  }

  grpc::Status GetOperation(grpc::ServerContext* /*context*/,
                            const v1::GetOperationRequest* request,
                            v1::Operation* response) override {
    return Answer(script_.get, response, *request);
  }

  grpc::Status GetStatus(grpc::ServerContext* /*context*/,
                         const v1::GetStatusRequest* /*request*/,
                         v1::GetStatusResponse* response) override {
    return Answer(script_.status, response);
  }

  grpc::Status CalibrateDevice(grpc::ServerContext* /*context*/,
                               const v1::CalibrateDeviceRequest* request,
                               v1::CalibrateDeviceResponse* response) override {
    return Answer(script_.calibrate, response, *request);
  }

  grpc::Status WatchOperation(grpc::ServerContext* context,
                              const v1::WatchOperationRequest* request,
                              grpc::ServerWriter<v1::Operation>* writer) override {
    const FakeServer::Stream stream{
        .send = [writer](const v1::Operation& operation) { return writer->Write(operation); },
        .cancelled = [context] { return context->IsCancelled(); }};
    return ToRpc(script_.watch(*request, stream));
  }

 private:
  const FakeServer::Script& script_;
};

}  // namespace

class FakeServer::Impl {
 public:
  Impl(const std::string& address, Script script)
      : script_(std::move(script)), lookup_(script_), tuning_(script_) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials());
    builder.RegisterService(&lookup_);
    builder.RegisterService(&tuning_);
    server_ = builder.BuildAndStart();
    TW_CHECK(server_ != nullptr);
  }

  ~Impl() { server_->Shutdown(std::chrono::system_clock::now()); }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  Script script_;
  LookupService lookup_;
  TuningService tuning_;
  std::unique_ptr<grpc::Server> server_;
};

FakeServer::FakeServer(const std::string& address, Script script)
    : impl_(std::make_unique<Impl>(address, std::move(script))) {}

FakeServer::~FakeServer() = default;

}  // namespace tw::cli
