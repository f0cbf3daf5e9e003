// Answers as JSON objects: the stable form, described in docs/json.md. Pure. Every text ends with
// a newline and is one object with "schema" first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "client/cli/checks.h"
#include "client/cli/exit_codes.h"
#include "client/cli/names.h"
#include "tilewright/v1/lookup.pb.h"

namespace tw::cli {

// Requires: operation.state() is SUCCEEDED.
std::string TuneJson(const v1::Key& key, const v1::Operation& operation);
std::string LookupJson(const v1::Key& key, const v1::TuneResult& result);
std::string LookupMissJson(const v1::Key& key);
std::string SourceJson(const v1::Key& key, const v1::GetSourceResponse& source);
std::string DevicesJson(const v1::ListDevicesResponse& devices);
std::string StatusJson(const v1::GetStatusResponse& status);
std::string JobsJson(const v1::ListOperationsResponse& operations);
std::string JobJson(const v1::Operation& operation);
std::string ChecksJson(const std::vector<Check>& checks);
std::string ErrorJson(const Status& status, ExitCode code);

struct BuildInfo {
  std::string version, build_type, compiler, rpc_library;
};

std::string VersionJson(const BuildInfo& info);

}  // namespace tw::cli
