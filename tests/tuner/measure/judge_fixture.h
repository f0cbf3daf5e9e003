// A job on the fake device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tests/fakes/manual_clock.h"
#include "tuner/device/fake_device.h"
#include "tuner/measure/session.h"

namespace tw {

struct JudgedJob {
  JudgedJob(const GemmProblem& problem, const std::string& script, BenchmarkJob options = {})
      : device(ParseFakeScript(script).value()) {
    options.device_uuid = device.Spec().uuid;
    options.problem = problem;
    device.SetProblem(problem);
    session = JudgeSession::Open(device, clock, options);
  }

  BenchmarkOutcome Run(const std::string& entry) {
    return session.value()->Run(Candidate(entry)).value();
  }

  static CandidateRun Candidate(const std::string& entry) {
    CandidateRun run;
    run.candidate_id = entry;
    run.launch.launches.push_back({.entry = entry, .grid = {1, 1, 1}, .block = {32, 1, 1}});
    run.launch.workspace_bytes = 100;
    return run;
  }

  fakes::ManualClock clock;
  FakeDevice device;
  Result<std::unique_ptr<JudgeSession>> session = Status(StatusCode::kUnknown, "not opened");
};

inline std::string Always(const std::string& behaviour) {
  return R"({"rules": [{"match": "*", "behaviour": ")" + behaviour + R"("}]})";
}

}  // namespace tw
