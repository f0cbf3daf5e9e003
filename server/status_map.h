// Status -> grpc::Status: the codes are the same numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include "codegen/core/status.h"

namespace tw {

static_assert(static_cast<int>(StatusCode::kInvalidArgument) == grpc::INVALID_ARGUMENT);
static_assert(static_cast<int>(StatusCode::kDataLoss) == grpc::DATA_LOSS);

// Requires: `status` is fit for a client (public_status.h).
inline grpc::Status ToGrpc(const Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), status.message()};
}

}  // namespace tw
