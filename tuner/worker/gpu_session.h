// One job on one GPU, through worker processes that may die under it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/worker/v1/worker.pb.h"
#include "tuner/benchmarker.h"
#include "tuner/worker/device_lock.h"
#include "tuner/worker/gpu_pool.h"
#include "tuner/worker/repro_shelf.h"
#include "tuner/worker/spawner.h"
#include "tuner/worker/worker_client.h"

namespace tw {

// What the pool and its sessions share; whoever goes last takes it along.
struct GpuPoolCore {
  explicit GpuPoolCore(GpuPoolOptions given)
      : options(std::move(given)), repros(options.repro_dir) {}

  GpuPoolOptions options;
  Spawner spawner;
  ReproShelf repros;
};

class GpuSession final : public BenchmarkSession {
 public:
  GpuSession(std::shared_ptr<GpuPoolCore> core, std::unique_ptr<DeviceLock> lock, BenchmarkJob job);

  // Starts a worker and opens the job there unless one is open. Three workers in a row that cannot
  // are a lost device: Unavailable.
  Status EnsureOpen(const std::stop_token& stop);

  // A worker that dies, by a candidate or from outside, is replaced and the candidate tried once
  // more; only then it is to blame. Rules of failures: "hang" (kTimedOut, not tried again),
  // "worker_died", "worker_failed" (it answered with an error) and "sticky_cuda_error" (kCrashed).
  Result<BenchmarkOutcome> Run(const CandidateRun& candidate, std::stop_token stop) override;

  // When two workers die over it, each candidate is measured alone and keeps what that gave.
  Result<std::vector<BenchmarkOutcome>> RunInterleaved(std::span<const CandidateRun> candidates,
                                                       int rounds,
                                                       std::stop_token stop) override;

  // Not tried again: an error says what failed, and the next request starts a fresh worker.
  Result<BaselineReport> CompareWithLibrary(const CandidateRun& ours,
                                            const BaselineOptions& options,
                                            std::stop_token stop) override;

 private:
  // What a request came to. Without `failure` there is one outcome per candidate.
  struct Reaction {
    std::vector<BenchmarkOutcome> outcomes;
    std::optional<BenchmarkOutcome> failure;  // the worker is gone, and this is why
  };

  // A Status: stopped, or the job cannot go on.
  Result<Reaction> Ask(const tilewright::worker::v1::Request& request,
                       std::size_t candidates,
                       const std::stop_token& stop);
  Result<BenchmarkOutcome> AskTwice(const tilewright::worker::v1::Request& request,
                                    const std::stop_token& stop);

  // Keeps the repro folder of an offender; the outcome's detail then names it.
  [[nodiscard]] BenchmarkOutcome Recorded(const CandidateRun& candidate,
                                          BenchmarkOutcome outcome) const;

  static Reaction Read(const tilewright::worker::v1::Reply& reply, std::size_t candidates);
  Result<Reaction> Died(const Status& status, std::chrono::milliseconds limit);
  Status OpenOnce(const std::stop_token& stop);
  [[nodiscard]] std::chrono::milliseconds LimitFor(std::size_t candidates, int rounds) const;

  std::shared_ptr<GpuPoolCore> core_;
  std::unique_ptr<DeviceLock> lock_;
  BenchmarkJob job_;
  std::unique_ptr<WorkerClient> worker_;  // none: the next request starts one
  double reference_seconds_ = 0;          // of the first open
};

// The environment of a worker that must see one device only.
std::vector<std::string> EnvironmentFor(const std::string& uuid);

// Arguments of a worker of the gpu role.
std::vector<std::string> GpuWorkerArgs(const GpuPoolOptions& options);

}  // namespace tw
