// Benchmarker over tilewright-worker --role=gpu children, one per GPU, replaced when they die.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/benchmarker.h"

namespace tw {

struct GpuPoolOptions {
  std::string worker_path;                            // tilewright-worker
  std::vector<std::string> extra_args;                // tests: "--fake=SCRIPT"
  std::vector<std::string> uuids;                     // GPUs to use; empty: all
  bool enabled = true;                                // false: --gpus none
  std::string lock_dir = "/tmp";                      // host-wide lock per UUID lives here
  std::chrono::milliseconds open_limit{120'000};      // reference included
  std::chrono::milliseconds run_limit{10'000};        // floor for one candidate's verify + measure
  std::chrono::milliseconds calibrate_limit{60'000};  // start of the driver included
  std::string repro_dir = {};                         // keeps offenders' repro folders; empty: none
  // An offender whose folder could not be kept; its outcome stands. From any session's thread.
  std::function<void(const Status&)> on_repro_trouble = {};
};

// Thread-safe. Its sessions may outlive it.
class GpuPool final : public Benchmarker {
 public:
  explicit GpuPool(GpuPoolOptions options);
  ~GpuPool() override;

  std::vector<DeviceSpec> Devices() override;
  Result<std::unique_ptr<BenchmarkSession>> Open(const BenchmarkJob& job,
                                                 std::stop_token stop) override;

  // In a worker of its own, which ends with it. Not tried again.
  Result<Calibration> Calibrate(const std::string& device_uuid,
                                const CompiledKernel& kernels,
                                std::stop_token stop) override;

  // Why Devices() is empty; empty text otherwise.
  std::string Note();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tw
