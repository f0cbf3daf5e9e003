// Length-prefixed protobuf frames over a stream socket: 4 bytes little-endian, then the message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include <google/protobuf/message_lite.h>

#include "codegen/core/status.h"

namespace tw {

inline constexpr unsigned kMaxFrameBytes = 64u << 20;  // cubins of a final round included

// Unavailable when the peer is gone.
Status WriteFrame(int fd, const google::protobuf::MessageLite& message);

// Blocks up to `timeout` for a whole frame. Unavailable: the peer closed. DeadlineExceeded: no
// whole frame in time. DataLoss: too long, or not a message of this type.
Status ReadFrame(int fd, google::protobuf::MessageLite* message, std::chrono::milliseconds timeout);

// Without a limit in time: the worker's side.
Status ReadFrame(int fd, google::protobuf::MessageLite* message);

}  // namespace tw
