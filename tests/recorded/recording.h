// Recorded runs: every measured kernel of a problem on a device, made by bench/record. Strategies
// are replayed on them without a GPU. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/core/status.h"

namespace tw {

struct Recording {
  std::string name;
  GemmProblem problem;
  DeviceSpec device;
  std::vector<Candidate> candidates;                   // not ranked; predictions are empty
  std::map<std::string, std::optional<double>> times;  // ns by id; nothing: it failed
};

// `text`: as bench/record writes it. InvalidArgument names the line and what is wrong.
Result<Recording> ParseRecording(std::string name, std::string_view text);

// All NAME.csv.gz in a folder, by name. An error names the file.
Result<std::vector<Recording>> LoadRecordings(const std::filesystem::path& folder);

}  // namespace tw
