// grpc.health.v1 by hand: its messages are one string and one enum, and Debian ships no proto.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <grpcpp/channel.h>

namespace tw {

enum class Health { kUnknown, kServing, kNotServing, kError };

// kUnknown: the server knows no such service.
Health CheckHealth(const std::shared_ptr<grpc::Channel>& channel, const std::string& service);

}  // namespace tw
