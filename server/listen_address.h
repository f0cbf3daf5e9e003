// Where the daemon listens: a Unix socket, or loopback.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "codegen/core/status.h"

namespace tw {

struct ListenAddress {
  std::string socket;  // absolute path of a Unix socket; empty: TCP
  std::string host;    // "127.0.0.1", "[::1]", "localhost"
  int port = 0;        // 0: any free one

  // As gRPC spells it: "unix:/run/…" or "127.0.0.1:50051".
  [[nodiscard]] std::string Text() const;
};

// "unix:PATH" or "HOST:PORT". FailedPrecondition: not loopback. InvalidArgument: another form.
Result<ListenAddress> ParseListenAddress(std::string_view text);

// Makes the way free for bind: creates the socket's directory (0700) and removes a socket that
// nobody answers on. Aborted: somebody does. FailedPrecondition: something else is there, or
// other users may write to the directory.
Status PrepareSocket(const std::string& path);

}  // namespace tw
