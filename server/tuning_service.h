// tilewright.v1.Tuning over gRPC.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <grpcpp/impl/codegen/service_type.h>

#include "server/server_deps.h"

namespace tw {

// `deps` outlives the service.
std::unique_ptr<grpc::Service> MakeTuningService(const ServerDeps& deps);

}  // namespace tw
