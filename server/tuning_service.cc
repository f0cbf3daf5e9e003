// SPDX-License-Identifier: Apache-2.0
#include "server/tuning_service.h"

#include <string_view>

#include "server/calibrate_reactor.h"
#include "server/rpc_reply.h"
#include "server/side_thread.h"
#include "server/status_map.h"
#include "server/tuning_methods.h"
#include "server/watch_reactor.h"
#include "tilewright/v1/tuning.grpc.pb.h"

namespace tw {
namespace {

namespace v1 = ::tilewright::v1;
using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class TuningService final : public v1::Tuning::CallbackService {
 public:
  explicit TuningService(const ServerDeps& deps) : deps_(deps), methods_(deps) {}

  Unary* StartTune(Context* context,
                   const v1::StartTuneRequest* request,
                   v1::Operation* response) override {
    return Call(context, "StartTune", [&] { return methods_.StartTune(*request, response); });
  }

  grpc::ServerWriteReactor<v1::Operation>* WatchOperation(
      Context* /*context*/, const v1::WatchOperationRequest* request) override {
    return WatchReactor::Start(deps_, *request);
  }

  Unary* GetOperation(Context* context,
                      const v1::GetOperationRequest* request,
                      v1::Operation* response) override {
    return Call(context, "GetOperation", [&] { return methods_.GetOperation(*request, response); });
  }

  Unary* ListOperations(Context* context,
                        const v1::ListOperationsRequest* request,
                        v1::ListOperationsResponse* response) override {
    return Call(context, "ListOperations",
                [&] { return methods_.ListOperations(*request, response); });
  }

  Unary* CancelOperation(Context* context,
                         const v1::CancelOperationRequest* request,
                         v1::Operation* response) override {
    return Call(context, "CancelOperation",
                [&] { return methods_.CancelOperation(*request, response); });
  }

  Unary* ListDevices(Context* context,
                     const v1::ListDevicesRequest* request,
                     v1::ListDevicesResponse* response) override {
    return Call(context, "ListDevices", [&] { return methods_.ListDevices(*request, response); });
  }

  Unary* GetStatus(Context* context,
                   const v1::GetStatusRequest* request,
                   v1::GetStatusResponse* response) override {
    return Call(context, "GetStatus", [&] { return methods_.GetStatus(*request, response); });
  }

  Unary* CalibrateDevice(Context* /*context*/,
                         const v1::CalibrateDeviceRequest* request,
                         v1::CalibrateDeviceResponse* response) override {
    return CalibrateReactor::Start(deps_, methods_, gpu_, *request, response);
  }

 private:
  template <class Method>
  Unary* Call(Context* context, std::string_view name, const Method& method) {
    const ActivityScope active(deps_.activity);
    Unary* reactor = context->DefaultReactor();
    reactor->Finish(ToGrpc(LogReply(deps_.log, name, method())));
    return reactor;
  }

  const ServerDeps& deps_;
  TuningMethods methods_;
  SideThread gpu_;  // calls that wait for a GPU. Last: they use what is above
};

}  // namespace

std::unique_ptr<grpc::Service> MakeTuningService(const ServerDeps& deps) {
  return std::make_unique<TuningService>(deps);
}

}  // namespace tw
