// SPDX-License-Identifier: Apache-2.0
#include "client/cli/connection.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/credentials.h>

#include "tilewright/v1/lookup.grpc.pb.h"
#include "tilewright/v1/tuning.grpc.pb.h"

namespace tw::cli {
namespace {

constexpr int kMaxReceiveBytes = 64 << 20;
constexpr int kLastKnownCode = static_cast<int>(StatusCode::kDataLoss);

Status FromRpc(const grpc::Status& status, const std::string& address) {
  if (status.ok()) {
    return OkStatus();
  }
  const int number = static_cast<int>(status.error_code());
  // UNAUTHENTICATED has no value of its own here: the caller lacks a right.
  const StatusCode code =
      number <= kLastKnownCode ? static_cast<StatusCode>(number) : StatusCode::kPermissionDenied;
  Status result(code, status.error_message());
  const bool transport = code == StatusCode::kUnavailable || code == StatusCode::kDeadlineExceeded;
  return transport ? result.WithContext("server " + address) : result;
}

std::shared_ptr<grpc::Channel> NewChannel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // No state of an earlier, failed connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

std::string RpcLibraryVersion() {
  return "grpc " + grpc::Version();
}

class Connection::Impl {
 public:
  Impl(AddressSource source, std::stop_token stop, RetryPolicy policy)
      : source_(std::move(source)), stop_(std::move(stop)), policy_(policy) {}

  template <class Service, class Request, class Response>
  using Method = grpc::Status (Service::Stub::*)(grpc::ClientContext*, const Request&, Response*);

  template <class Service, class Request, class Response>
  Result<Response> Call(Method<Service, Request, Response> method, const Request& request) {
    Status last;
    auto backoff = policy_.backoff;
    for (int attempt = 0; attempt < policy_.attempts; ++attempt) {
      if (attempt > 0) {
        std::this_thread::sleep_for(backoff);
        backoff *= 2;
      }
      TW_RETURN_IF_ERROR(Connect());
      Response response;
      last = Attempt<Service>(method, request, response);
      if (last.ok()) {
        return response;
      }
      if (last.code() != StatusCode::kUnavailable) {
        return last;
      }
      channel_.reset();
    }
    return last;
  }

  Status Watch(const v1::WatchOperationRequest& request,
               const std::function<void(const v1::Operation&)>& on_update) {
    TW_RETURN_IF_ERROR(Connect());
    const auto stub = v1::Tuning::NewStub(channel_);
    grpc::ClientContext context;
    const std::stop_callback cancel(stop_, [&context] { context.TryCancel(); });
    const auto reader = stub->WatchOperation(&context, request);
    for (v1::Operation operation; reader->Read(&operation);) {
      on_update(operation);
    }
    Status status = FromRpc(reader->Finish(), address_);
    if (!status.ok()) {
      channel_.reset();
    }
    return status;
  }

 private:
  Status Connect() {
    if (stop_.stop_requested()) {
      return {StatusCode::kCancelled, "interrupted"};
    }
    if (channel_ == nullptr) {
      TW_ASSIGN_OR_RETURN(address_, source_(stop_));
      channel_ = NewChannel(address_);
    }
    return OkStatus();
  }

  template <class Service, class Request, class Response>
  Status Attempt(Method<Service, Request, Response> method,
                 const Request& request,
                 Response& response) {
    const auto stub = Service::NewStub(channel_);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + policy_.deadline);
    const std::stop_callback cancel(stop_, [&context] { context.TryCancel(); });
    return FromRpc(((*stub).*method)(&context, request, &response), address_);
  }

  AddressSource source_;
  std::stop_token stop_;
  RetryPolicy policy_;
  std::string address_;
  std::shared_ptr<grpc::Channel> channel_;  // gRPC's own type for a channel
};

Connection::Connection(AddressSource source, std::stop_token stop, RetryPolicy policy)
    : impl_(std::make_unique<Impl>(std::move(source), std::move(stop), policy)) {}

Connection::~Connection() = default;

Result<v1::GetConfigResponse> Connection::GetConfig(const v1::GetConfigRequest& request) {
  return impl_->Call<v1::Lookup>(&v1::Lookup::Stub::GetConfig, request);
}

Result<v1::GetSourceResponse> Connection::GetSource(const v1::GetSourceRequest& request) {
  return impl_->Call<v1::Lookup>(&v1::Lookup::Stub::GetSource, request);
}

Result<v1::ExplainResponse> Connection::Explain(const v1::ExplainRequest& request) {
  return impl_->Call<v1::Lookup>(&v1::Lookup::Stub::Explain, request);
}

Result<v1::Operation> Connection::StartTune(const v1::StartTuneRequest& request) {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::StartTune, request);
}

Result<v1::Operation> Connection::GetOperation(const v1::GetOperationRequest& request) {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::GetOperation, request);
}

Result<v1::ListOperationsResponse> Connection::ListOperations() {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::ListOperations, v1::ListOperationsRequest());
}

Result<v1::Operation> Connection::CancelOperation(const v1::CancelOperationRequest& request) {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::CancelOperation, request);
}

Result<v1::ListDevicesResponse> Connection::ListDevices() {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::ListDevices, v1::ListDevicesRequest());
}

Result<v1::CalibrateDeviceResponse> Connection::CalibrateDevice(
    const v1::CalibrateDeviceRequest& request) {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::CalibrateDevice, request);
}

Result<v1::GetStatusResponse> Connection::GetStatus() {
  return impl_->Call<v1::Tuning>(&v1::Tuning::Stub::GetStatus, v1::GetStatusRequest());
}

Status Connection::WatchOperation(const v1::WatchOperationRequest& request,
                                  const std::function<void(const v1::Operation&)>& on_update) {
  return impl_->Watch(request, on_update);
}

}  // namespace tw::cli
