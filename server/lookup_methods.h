// The methods of tilewright.v1.Lookup, without their transport.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/status.h"
#include "server/server_deps.h"
#include "tilewright/v1/lookup.pb.h"

namespace tw {

// Thread-safe. Statuses as lookup.proto documents them.
class LookupMethods {
 public:
  explicit LookupMethods(const ServerDeps& deps) : deps_(deps) {}

  Status GetConfig(const tilewright::v1::GetConfigRequest& request,
                   tilewright::v1::GetConfigResponse* response) const;
  Status GetSource(const tilewright::v1::GetSourceRequest& request,
                   tilewright::v1::GetSourceResponse* response) const;
  Status Explain(const tilewright::v1::ExplainRequest& request,
                 tilewright::v1::ExplainResponse* response) const;

 private:
  const ServerDeps& deps_;
};

}  // namespace tw
