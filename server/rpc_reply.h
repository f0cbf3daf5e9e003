// How every RPC ends: one log line, and a status that is fit for the client.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "codegen/core/status.h"
#include "server/log.h"

namespace tw {

// Debug where it is the client's business, error (with the incident that the client is told)
// where it is ours.
Status LogReply(const Log& log, std::string_view method, const Status& status);

}  // namespace tw
