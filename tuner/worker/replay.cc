// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/replay.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/measure/repro.h"

namespace tw {
namespace {

Result<DeviceSpec> FirstDevice(GpuPool& pool, const std::string& arch) {
  const std::vector<DeviceSpec> devices = pool.Devices();
  if (devices.empty())
    return Status(StatusCode::kUnavailable, "no GPU: " + pool.Note());
  const auto device = std::find_if(devices.begin(), devices.end(), [&](const DeviceSpec& spec) {
    return arch.empty() || spec.arch == arch;
  });
  if (device == devices.end())
    return Status(StatusCode::kUnavailable, "no GPU of " + arch + " here");
  return *device;
}

BenchmarkJob JobOf(const Repro& repro, const DeviceSpec& device) {
  BenchmarkJob job;
  job.device_uuid = device.uuid;
  job.problem = repro.problem;
  job.support.arch = repro.arch;
  job.support.cubin = repro.support_cubin;
  job.options.objective = repro.objective;
  job.options.seed = repro.seed;
  job.check_determinism = repro.check_determinism;
  return job;
}

CandidateRun CandidateOf(const Repro& repro) {
  CandidateRun candidate;
  candidate.candidate_id = repro.candidate_id;
  candidate.kernel.arch = repro.arch;
  candidate.kernel.cubin = repro.cubin;
  candidate.launch = repro.launch;
  return candidate;
}

// Of a verdict or an outcome: "wrong_result nan, error ratio 1.5", and the detail below.
template <class T>
void Print(const char* when, const T& judged, std::FILE* out) {
  std::string text(Name(judged.kind));
  if (!judged.rule.empty())
    text += " " + judged.rule;
  std::fprintf(out, "%s  %s, error ratio %.6g\n", when, text.c_str(), judged.error_ratio);
  if (!judged.detail.empty())
    std::fprintf(out, "          %s\n", judged.detail.c_str());
}

// Right, whatever is made of its times.
bool Passes(OutcomeKind kind) {
  return kind == OutcomeKind::kMeasured || kind == OutcomeKind::kDisturbed;
}

}  // namespace

Result<bool> ReplayRepro(const std::filesystem::path& folder,
                         const GpuPoolOptions& pool,
                         std::FILE* out) {
  TW_ASSIGN_OR_RETURN(const Repro repro, ReadRepro(folder));
  GpuPool gpus(pool);
  TW_ASSIGN_OR_RETURN(const DeviceSpec device, FirstDevice(gpus, repro.arch));
  std::fprintf(out, "candidate %s on %s\nproblem   %s\n", repro.candidate_id.c_str(),
               device.name.c_str(), CanonicalText(repro.problem).c_str());
  Print("recorded", repro.verdict, out);
  std::fflush(out);  // the GPU may be held by another for long
  TW_ASSIGN_OR_RETURN(std::unique_ptr<BenchmarkSession> session,
                      gpus.Open(JobOf(repro, device), {}));
  TW_ASSIGN_OR_RETURN(const BenchmarkOutcome outcome, session->Run(CandidateOf(repro), {}));
  Print("replayed", outcome, out);
  const bool passes = Passes(outcome.kind);
  std::fputs(passes ? "it passes\n" : "it fails\n", out);
  return passes;
}

}  // namespace tw
