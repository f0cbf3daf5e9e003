// SPDX-License-Identifier: Apache-2.0
#include "server/calibrate_reactor.h"

#include <utility>

#include "server/rpc_reply.h"
#include "server/status_map.h"

namespace tw {

CalibrateReactor* CalibrateReactor::Start(const ServerDeps& deps,
                                          const TuningMethods& methods,
                                          SideThread& thread,
                                          const tilewright::v1::CalibrateDeviceRequest& request,
                                          tilewright::v1::CalibrateDeviceResponse* response) {
  auto reactor = std::make_shared<CalibrateReactor>(deps);
  reactor->self_ = reactor;
  CalibrateReactor* raw = reactor.get();
  const bool posted = thread.Post([self = std::move(reactor), &methods, &request, response] {
    self->End(methods.CalibrateDevice(request, self->stop_.get_token(), response));
  });
  if (!posted)
    raw->End({StatusCode::kResourceExhausted, "too many calibrations wait for a GPU"});
  return raw;
}

void CalibrateReactor::OnCancel() {
  stop_.request_stop();  // what runs ends with Cancelled, and that ends the call
}

void CalibrateReactor::OnDone() {
  const auto self = std::move(self_);  // until the end of this function
}

void CalibrateReactor::End(const Status& status) {
  Finish(ToGrpc(LogReply(deps_.log, "CalibrateDevice", status)));
}

}  // namespace tw
