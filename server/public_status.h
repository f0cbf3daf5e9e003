// What a client may read of a status.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "codegen/core/status.h"

namespace tw {

// Message escaped and cut to 1 KiB; the field named where it is not yet. Internal and Unknown
// keep their text out of the client's sight (paths, SQL): "internal error; INCIDENT in the
// daemon's log".
Status PublicStatus(const Status& status, std::string_view incident);

}  // namespace tw
