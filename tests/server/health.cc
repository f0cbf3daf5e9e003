// SPDX-License-Identifier: Apache-2.0
#include "tests/server/health.h"

#include <vector>

#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

namespace tw {
namespace {

// HealthCheckRequest: field 1, a string.
std::string EncodeRequest(const std::string& service) {
  std::string wire;
  if (service.empty())
    return wire;
  wire.push_back('\x0a');
  wire.push_back(static_cast<char>(service.size()));
  return wire + service;
}

// HealthCheckResponse: field 1, an enum. 1 SERVING, 2 NOT_SERVING.
Health DecodeResponse(const grpc::ByteBuffer& buffer) {
  grpc::Slice slice;
  if (!buffer.DumpToSingleSlice(&slice).ok() || slice.size() != 2)
    return Health::kError;
  switch (slice.begin()[1]) {
    case 1:
      return Health::kServing;
    case 2:
      return Health::kNotServing;
    default:
      return Health::kError;
  }
}

}  // namespace

Health CheckHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  const std::string wire = EncodeRequest(service);
  const grpc::Slice slice(wire.data(), wire.size());
  const grpc::ByteBuffer request(&slice, 1);
  grpc::CompletionQueue queue;
  const auto call =
      stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  if (status.error_code() == grpc::NOT_FOUND)
    return Health::kUnknown;
  return status.ok() ? DecodeResponse(response) : Health::kError;
}

}  // namespace tw
