// SPDX-License-Identifier: Apache-2.0
#include "server/rpc_server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "server/lookup_service.h"
#include "server/tuning_service.h"

namespace tw {
namespace {

constexpr int kMaxReceiveBytes = 1 << 20;
constexpr int kMaxMetadataBytes = 16 << 10;

}  // namespace

class RpcServer::Impl {
 public:
  explicit Impl(const ServerDeps& deps)
      : lookup_(MakeLookupService(deps)), tuning_(MakeTuningService(deps)) {}

  Status Start(std::vector<ListenAddress>& addresses) {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMaxReceiveBytes);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
    // With it, a second daemon on the same port would silently take half of the connections.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    std::vector<int> ports(addresses.size(), 0);
    for (std::size_t i = 0; i < addresses.size(); ++i)
      builder.AddListeningPort(addresses[i].Text(), grpc::InsecureServerCredentials(), &ports[i]);
    builder.RegisterService(lookup_.get());
    builder.RegisterService(tuning_.get());
    server_ = builder.BuildAndStart();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      if (ports[i] == 0)
        return {StatusCode::kFailedPrecondition, "cannot listen on " + addresses[i].Text()};
      if (addresses[i].socket.empty())
        addresses[i].port = ports[i];
      else
        ::chmod(addresses[i].socket.c_str(), S_IRUSR | S_IWUSR);
    }
    if (!server_)
      return {StatusCode::kInternal, "the RPC server does not start"};
    return OkStatus();
  }

  void SetServing(const char* service, bool serves) {
    if (auto* health = server_->GetHealthCheckService())
      health->SetServingStatus(service, serves);
  }

  void SetNotServing() {
    if (auto* health = server_->GetHealthCheckService())
      health->Shutdown();
  }

  void Shutdown(std::chrono::milliseconds grace) {
    if (!server_)
      return;
    server_->Shutdown(std::chrono::system_clock::now() + grace);
    server_->Wait();
  }

 private:
  std::unique_ptr<grpc::Service> lookup_;
  std::unique_ptr<grpc::Service> tuning_;
  std::unique_ptr<grpc::Server> server_;
};

RpcServer::RpcServer(std::unique_ptr<Impl> impl, std::vector<ListenAddress> addresses)
    : impl_(std::move(impl)), addresses_(std::move(addresses)) {}

RpcServer::~RpcServer() {
  Shutdown(std::chrono::milliseconds(0));
}

Result<std::unique_ptr<RpcServer>> RpcServer::Start(const ServerDeps& deps,
                                                    std::vector<ListenAddress> addresses) {
  for (const ListenAddress& address : addresses) {
    if (!address.socket.empty())
      TW_RETURN_IF_ERROR(PrepareSocket(address.socket));
  }
  auto impl = std::make_unique<Impl>(deps);
  TW_RETURN_IF_ERROR(impl->Start(addresses));
  impl->SetServing("lookup", true);
  impl->SetServing("tuning", !deps.toolchain.compiler().version.empty());
  return std::unique_ptr<RpcServer>(new RpcServer(std::move(impl), std::move(addresses)));
}

void RpcServer::SetNotServing() {
  impl_->SetNotServing();
}

void RpcServer::Shutdown(std::chrono::milliseconds grace) {
  impl_->Shutdown(grace);
  for (const ListenAddress& address : addresses_) {
    if (!address.socket.empty())
      ::unlink(address.socket.c_str());
  }
  addresses_.clear();
}

}  // namespace tw
