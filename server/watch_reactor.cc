// SPDX-License-Identifier: Apache-2.0
#include "server/watch_reactor.h"

#include <string>
#include <utility>

#include "server/convert.h"
#include "server/rpc_reply.h"
#include "server/status_map.h"

namespace tw {

WatchReactor* WatchReactor::Start(const ServerDeps& deps,
                                  const v1::WatchOperationRequest& request) {
  auto reactor = std::make_shared<WatchReactor>(deps);
  reactor->self_ = reactor;
  reactor->Begin(request);
  return reactor.get();
}

void WatchReactor::Begin(const v1::WatchOperationRequest& request) {
  const auto id = OperationIdFromProto(request.name());
  if (!id.ok())
    return End(id.status());
  WatchCallbacks callbacks;
  callbacks.deliver = [self = self_](const Operation& operation) { self->Deliver(operation); };
  callbacks.closed = [self = self_] {
    self->End({StatusCode::kUnavailable, "the daemon is stopping; watch again when it is back"});
  };
  // No reaction runs before the method has returned the reactor, so `watch_` is set by then.
  watch_ = deps_.hub.Watch(*id, request.resume_after_seq(), std::move(callbacks));
  if (!watch_)
    End({StatusCode::kNotFound, "no operation " + request.name(), "name"});
}

void WatchReactor::Deliver(const Operation& operation) {
  const std::lock_guard lock(mutex_);
  if (ended_)
    return;
  response_.Clear();
  ToProto(operation, &response_);
  last_ = IsFinished(operation.state);
  StartWrite(&response_);
}

void WatchReactor::OnWriteDone(bool ok) {
  bool last = false;
  {
    const std::lock_guard lock(mutex_);
    last = last_;
  }
  if (!ok)
    End({StatusCode::kCancelled, "the client is gone"});
  else if (last)
    End(OkStatus());
  else
    watch_->Ready();
}

void WatchReactor::OnCancel() {
  End({StatusCode::kCancelled, "cancelled"});
}

void WatchReactor::OnDone() {
  const auto self = std::move(self_);  // until the end of this function
  if (watch_)
    watch_->Stop();
}

void WatchReactor::End(const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_)
      return;
    ended_ = true;
  }
  Finish(ToGrpc(LogReply(deps_.log, "WatchOperation", status)));
}

}  // namespace tw
