// SPDX-License-Identifier: Apache-2.0
#include "client/cli/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "client/cli/format.h"

namespace tw::cli {
namespace {

// gRPC 1.51 stops accepting for good once descriptors run out.
constexpr std::uint64_t kMinOpenFiles = 4096;

Check DaemonCheck(const DoctorFacts& facts) {
  if (!facts.status) {
    return {"daemon", CheckLevel::kFailure, facts.daemon.message(),
            "start tilewrightd by hand to see why it does not serve, or name one with --server"};
  }
  return {"daemon", CheckLevel::kOk,
          fmt::format("version {}, pid {}", facts.status->version(), facts.status->pid()), ""};
}

Check CompilerCheck(const v1::GetStatusResponse& status) {
  if (status.compiler().starts_with("nvrtc")) {
    return {"compiler", CheckLevel::kOk, status.compiler(), ""};
  }
  return {"compiler", CheckLevel::kFailure,
          status.compiler().empty() ? "no NVRTC" : status.compiler(),
          "install a CUDA toolkit (libnvrtc is enough), or name its folder with --cuda-dir DIR"};
}

Check StoreCheck(const DoctorFacts& facts) {
  const std::string& path = facts.status->store_path();
  const std::string detail = fmt::format("{}, {} results, {}", path, facts.status->results(),
                                         FormatBytes(facts.status->store_bytes()));
  if (!facts.remote && !path.empty() && !facts.store_writable) {
    return {"store", CheckLevel::kWarning, path + " is not writable by this user",
            "give the file to this user, or name another one with --store FILE"};
  }
  return {"store", CheckLevel::kOk, detail, ""};
}

Check LimitCheck(std::uint64_t open_files) {
  std::string detail = fmt::format("{} open files", open_files);
  if (open_files < kMinOpenFiles) {
    return {"limits", CheckLevel::kFailure, std::move(detail),
            fmt::format("raise it: ulimit -n {}", kMinOpenFiles)};
  }
  return {"limits", CheckLevel::kOk, std::move(detail), ""};
}

Check DriverCheck(const v1::ListDevicesResponse& devices) {
  if (devices.devices_size() == 0) {
    return {"driver", CheckLevel::kWarning,
            devices.note().empty() ? "no GPU is visible" : devices.note(),
            "without a GPU results are only PREDICTED; install the NVIDIA driver, and in a "
            "container pass the GPUs in (--gpus all)"};
  }
  const v1::Device& first = devices.devices(0);
  return {"driver", CheckLevel::kOk, "CUDA " + FormatCudaVersion(first.driver_version()), ""};
}

Check GpuCheck(const v1::Device& device) {
  std::string detail = fmt::format("{} ({}, {} SMs) {}", device.name(), device.arch(),
                                   device.sm_count(), device.uuid());
  if (device.state() != "ok") {
    return {
        "gpu", CheckLevel::kWarning, detail + ": " + device.state(),
        "look for an Xid in the kernel log (dmesg) and at nvidia-smi; the GPU may need a reset"};
  }
  return {"gpu", CheckLevel::kOk, std::move(detail), ""};
}

}  // namespace

std::string_view Name(CheckLevel level) {
  switch (level) {
    case CheckLevel::kOk:
      return "ok";
    case CheckLevel::kWarning:
      return "warning";
    case CheckLevel::kFailure:
      return "failure";
  }
  return "unknown";
}

std::vector<Check> Judge(const DoctorFacts& facts) {
  std::vector<Check> checks{DaemonCheck(facts), LimitCheck(facts.open_files)};
  if (facts.status) {
    checks.push_back(CompilerCheck(*facts.status));
    checks.push_back(StoreCheck(facts));
  }
  if (facts.devices) {
    checks.push_back(DriverCheck(*facts.devices));
    for (const v1::Device& device : facts.devices->devices()) {
      checks.push_back(GpuCheck(device));
    }
  }
  return checks;
}

bool Usable(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.level == CheckLevel::kFailure; });
}

}  // namespace tw::cli
