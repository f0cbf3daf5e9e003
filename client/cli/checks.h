// What doctor finds, and what to do about it. Pure judgement over facts that were gathered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/names.h"
#include "codegen/core/status.h"

namespace tw::cli {

enum class CheckLevel : std::uint8_t { kOk, kWarning, kFailure };

std::string_view Name(CheckLevel level);  // "ok", "warning", "failure"

struct Check {
  std::string name;  // "compiler"
  CheckLevel level = CheckLevel::kOk;
  std::string detail;
  std::string advice;  // what to do; empty where all is well
};

struct DoctorFacts {
  Status daemon;                                // of reaching or starting one
  std::optional<v1::GetStatusResponse> status;  // set where the daemon answered
  std::optional<v1::ListDevicesResponse> devices;
  bool remote = false;           // the daemon runs elsewhere: its files cannot be looked at
  bool store_writable = false;   // the file, or its folder where the file is missing
  std::uint64_t open_files = 0;  // RLIMIT_NOFILE of this shell
};

std::vector<Check> Judge(const DoctorFacts& facts);

// No failure among them: warnings leave a usable system.
bool Usable(const std::vector<Check>& checks);

}  // namespace tw::cli
