// Which daemon a command talks to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/connection.h"
#include "client/cli/context.h"
#include "client/cli/private_daemon.h"
#include "codegen/core/status.h"

namespace tw::cli {

// In this order: --server; $TILEWRIGHT_SERVER; the on-demand daemon where a flag or
// $TILEWRIGHT_STORE names a store or says how a daemon is to be started; the system daemon's
// socket where it answers; the on-demand daemon of the user's store. InvalidArgument for a
// malformed address; FailedPrecondition where no store can be named.
Result<AddressSource> ChooseServer(const Context& context);

// The on-demand daemon of the flags and the environment.
Result<PrivateDaemonSpec> PrivateDaemonOf(const GlobalFlags& flags, const Environment& env);

}  // namespace tw::cli
