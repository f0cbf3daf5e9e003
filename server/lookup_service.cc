// SPDX-License-Identifier: Apache-2.0
#include "server/lookup_service.h"

#include <memory>
#include <string_view>

#include "server/lookup_methods.h"
#include "server/rpc_reply.h"
#include "server/side_thread.h"
#include "server/status_map.h"
#include "tilewright/v1/lookup.grpc.pb.h"

namespace tw {
namespace {

namespace v1 = ::tilewright::v1;

class LookupService final : public v1::Lookup::CallbackService {
 public:
  explicit LookupService(const ServerDeps& deps) : deps_(deps), methods_(deps) {}

  grpc::ServerUnaryReactor* GetConfig(grpc::CallbackServerContext* context,
                                      const v1::GetConfigRequest* request,
                                      v1::GetConfigResponse* response) override {
    const ActivityScope active(deps_.activity);
    return End(context, "GetConfig", methods_.GetConfig(*request, response));
  }

  grpc::ServerUnaryReactor* GetSource(grpc::CallbackServerContext* context,
                                      const v1::GetSourceRequest* request,
                                      v1::GetSourceResponse* response) override {
    const ActivityScope active(deps_.activity);
    return End(context, "GetSource", methods_.GetSource(*request, response));
  }

  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const auto active = std::make_shared<ActivityScope>(deps_.activity);  // shared: may be copied
    // Request, response and context live until Finish.
    const auto explain = [this, active, context, reactor, request, response] {
      Finish(reactor, "Explain",
             context->IsCancelled() ? Status(StatusCode::kCancelled, "the client has gone")
                                    : methods_.Explain(*request, response));
    };
    if (!disk_.Post(explain))
      Finish(reactor, "Explain",
             {StatusCode::kResourceExhausted, "too many explanations wait for the store"});
    return reactor;
  }

 private:
  grpc::ServerUnaryReactor* End(grpc::CallbackServerContext* context,
                                std::string_view method,
                                const Status& status) {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    Finish(reactor, method, status);
    return reactor;
  }

  void Finish(grpc::ServerUnaryReactor* reactor, std::string_view method, const Status& status) {
    reactor->Finish(ToGrpc(LogReply(deps_.log, method, status)));
  }

  const ServerDeps& deps_;
  LookupMethods methods_;
  SideThread disk_;  // last: its calls use what is above
};

}  // namespace

std::unique_ptr<grpc::Service> MakeLookupService(const ServerDeps& deps) {
  return std::make_unique<LookupService>(deps);
}

}  // namespace tw
