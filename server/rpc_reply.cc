// SPDX-License-Identifier: Apache-2.0
#include "server/rpc_reply.h"

#include <cstddef>
#include <string>

#include "server/operation_hub.h"
#include "server/public_status.h"

namespace tw {

Status LogReply(const Log& log, std::string_view method, const Status& status) {
  constexpr std::size_t kIncidentDigits = 8;
  const bool ours = status.code() == StatusCode::kInternal ||
                    status.code() == StatusCode::kUnknown || status.code() == StatusCode::kDataLoss;
  std::string incident;
  if (ours)
    incident = "incident " + OperationHub::NewId().substr(0, kIncidentDigits);
  if (!status.ok())
    log.Write(ours ? LogLevel::kError : LogLevel::kDebug,
              {{"incident", incident.empty() ? "-" : incident},
               {"event", "rpc_refused"},
               {"method", std::string(method)},
               {"code", std::string(StatusCodeName(status.code()))},
               {"message", status.message()}});
  return PublicStatus(status, incident);
}

}  // namespace tw
