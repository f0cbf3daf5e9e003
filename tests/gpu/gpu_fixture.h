// The machine's first GPU and its compiler; without either every test is skipped, loudly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/compile/nvrtc_compiler.h"
#include "codegen/support_source.h"
#include "naive_kernel.h"
#include "tuner/device/cuda_device.h"
#include "tuner/device/probe.h"
#include "tuner/measure/session.h"

namespace tw {

class GpuFixture {
 public:
  // Why there is nothing to test on; empty when there is.
  std::string Open() {
    auto driver = LoadDriverApi();
    if (!driver.ok())
      return driver.status().ToString();
    driver_ = *std::move(driver);
    auto devices = ProbeDevices(*driver_);
    if (!devices.ok() || devices->empty())
      return devices.ok() ? "no device" : devices.status().ToString();
    if (auto nvml = LoadNvmlApi(); nvml.ok())
      nvml_ = *std::move(nvml);
    auto api = LoadNvrtc({.file = "", .directories = {"/usr/local/cuda/lib64"}});
    if (!api.ok())
      return api.status().ToString();
    compiler_ = std::make_unique<NvrtcCompiler>(*std::move(api));
    auto device = OpenCudaDevice(*driver_, nvml_ ? &*nvml_ : nullptr, devices->front().uuid,
                                 {.file = "", .directories = {"/usr/local/cuda/lib64"}});
    if (!device.ok())
      return device.status().ToString();
    device_ = *std::move(device);
    return {};
  }

  Device& device() { return *device_; }

  // For what Device has no need of.
  [[nodiscard]] const DriverApi& driver() const { return *driver_; }

  CompiledKernel Compile(const KernelSource& source) {
    auto compiled = compiler_->Compile(source, {});
    EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
    return compiled.ok() ? *std::move(compiled) : CompiledKernel{};
  }

  CompiledKernel CompileSupport(const GemmProblem& problem) {
    return Compile(BuildSupportSource(problem, device_->Spec(), TemplateStore()).value());
  }

  CandidateRun Naive(const GemmProblem& problem, Fault fault) {
    return {.candidate_id = "naive",
            .kernel = Compile(NaiveSource(problem, device_->Spec(), fault)),
            .launch = NaivePlan(problem)};
  }

  // A session that times briefly; null where it cannot be opened.
  std::unique_ptr<JudgeSession> OpenSession(const GemmProblem& problem) {
    const BenchmarkJob job{.device_uuid = device_->Spec().uuid,
                           .problem = problem,
                           .support = CompileSupport(problem),
                           .options = {.max_seconds = 0.02, .warmup_seconds = 0.02}};
    auto session = JudgeSession::Open(*device_, clock_, job);
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    return session.ok() ? *std::move(session) : nullptr;
  }

  // Judges one naive candidate in a session of its own.
  BenchmarkOutcome Judge(const GemmProblem& problem, Fault fault) {
    auto session = OpenSession(problem);
    return session == nullptr ? BenchmarkOutcome{} : session->Run(Naive(problem, fault)).value();
  }

  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  std::optional<DriverApi> driver_;
  std::optional<NvmlApi> nvml_;
  std::unique_ptr<NvrtcCompiler> compiler_;
  SteadyClock clock_;
  std::unique_ptr<Device> device_;
};

// Bytes of device memory, copied to the host.
inline std::vector<std::byte> ReadBytes(Device& device, const void* from, std::int64_t bytes) {
  std::vector<std::byte> host(static_cast<std::size_t>(bytes));
  const Status read = device.Memory().Read(host, std::bit_cast<DeviceAddress>(from));
  EXPECT_TRUE(read.ok()) << read.ToString();
  return host;
}

}  // namespace tw

// In a test's body: a GpuFixture named `gpu`, or a skip.
#define TW_REQUIRE_GPU(gpu)                               \
  ::tw::GpuFixture gpu;                                   \
  if (const std::string why = (gpu).Open(); !why.empty()) \
  GTEST_SKIP() << "NO GPU TESTED: " << why
