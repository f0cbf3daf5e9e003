// Where the on-demand daemon of a store lives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "client/cli/environment.h"
#include "codegen/core/status.h"

namespace tw::cli {

// `flag`, else $TILEWRIGHT_STORE, else $XDG_DATA_HOME/tilewright/store.db, else
// $HOME/.local/share/tilewright/store.db. Absolute, symbolic links resolved as far as the path
// exists, so that one file has one name. FailedPrecondition where none of them is set.
Result<std::string> StorePath(const std::string& flag, const Environment& env);

struct DaemonPaths {
  std::string directory;  // private to the user
  std::string socket;     // directory/HASH.sock, at most 107 bytes (sockaddr_un)
  std::string lock;       // taken while a daemon is being started
  std::string log;        // stdout and stderr of the daemon; the one before it is log + ".1"
  std::string arguments;  // what the daemon was started with
};

// Named after the store. The directory is $XDG_RUNTIME_DIR/tilewright, or /tmp/tilewright-UID
// where that is unset or too long for a socket. Requires: `store` from StorePath.
DaemonPaths PathsOf(const std::string& store, const Environment& env);

// Creates the directory with mode 0700. FailedPrecondition unless it is a directory that belongs
// to the user and that nobody else can enter: a socket there is as good as the user's own hands.
Status PrepareDirectory(const std::string& directory, unsigned uid);

}  // namespace tw::cli
