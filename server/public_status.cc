// SPDX-License-Identifier: Apache-2.0
#include "server/public_status.h"

#include <cstddef>
#include <string>

#include "server/escape.h"

namespace tw {

Status PublicStatus(const Status& status, std::string_view incident) {
  constexpr std::size_t kMessageBytes = 1024;
  if (status.ok())
    return status;
  if (status.code() == StatusCode::kInternal || status.code() == StatusCode::kUnknown)
    return {status.code(), "internal error; " + std::string(incident) + " in the daemon's log"};
  std::string message = status.message();
  if (!status.field().empty() && message.find(status.field()) == std::string::npos)
    message = status.field() + ": " + message;
  return {status.code(), Escape(message, kMessageBytes), status.field()};
}

}  // namespace tw
