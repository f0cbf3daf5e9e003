// The process itself: signals, limits, and how its starter learns that it serves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "codegen/core/status.h"
#include "server/config.h"
#include "server/listen_address.h"

namespace tw {

// SIGTERM and SIGINT wait for AwaitStopSignal from now on, in this thread and those that it
// starts. Call before there is any other thread.
void BlockStopSignals();

// True where one of them came within `timeout`.
bool AwaitStopSignal(std::chrono::milliseconds timeout);

// Files as many as the kernel lets us have, no core dumps, a private umask, no SIGPIPE.
// FailedPrecondition under 4096 files: gRPC 1.51 never accepts again once it has run out
// (CVE-2023-4785).
Status PrepareProcess();

// FailedPrecondition where the descriptor or the file cannot be written.
Status AnnounceReady(const ReadyConfig& ready, const std::vector<ListenAddress>& addresses);

}  // namespace tw
