// SPDX-License-Identifier: Apache-2.0
#include "client/cli/render.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "client/cli/baseline_text.h"
#include "client/cli/format.h"
#include "client/cli/funnel.h"
#include "client/cli/problem_text.h"
#include "client/cli/tune_time.h"

namespace tw::cli {
namespace {

std::string_view StateNote(v1::ResultState state) {
  switch (state) {
    case v1::RESULT_STATE_PREDICTED:
      return "PREDICTED (not measured): ranked by the model over compiled kernels";
    case v1::RESULT_STATE_STALE:
      return "STALE: measured with another compiler, driver or template version";
    case v1::RESULT_STATE_UNVERIFIED:
      return "UNVERIFIED: imported, not measured here";
    default:
      return Name(state);
  }
}

std::string StateText(const v1::TuneResult& result) {
  return std::string(StateNote(result.state())) +
         (result.partial() ? "; the budget ended before the search did" : "");
}

std::string TimeText(const v1::TuneResult& result) {
  const std::string rate = fmt::format("{:.4g} TFLOP/s", result.tflops());
  if (result.state() == v1::RESULT_STATE_PREDICTED) {
    return fmt::format("{} predicted, {}", FormatNanoseconds(result.time_ns()), rate);
  }
  const double half = (result.ci_high_ns() - result.ci_low_ns()) / 2;
  const double percent = result.time_ns() > 0 ? 100 * half / result.time_ns() : 0;
  return fmt::format("{} ± {:.2f} %  [{}, {}] 95 %, {}", FormatNanoseconds(result.time_ns()),
                     percent, FormatNanoseconds(result.ci_low_ns()),
                     FormatNanoseconds(result.ci_high_ns()), rate);
}

std::string ErrorText(const v1::TuneResult& result) {
  if (result.state() == v1::RESULT_STATE_PREDICTED) {
    return "not verified";
  }
  return fmt::format("{:.3g} of the allowed bound", result.error_ratio());
}

std::string TiesText(const v1::TuneResult& result) {
  std::string ids;
  for (const std::string& id : result.ties()) {
    ids.append(ids.empty() ? "" : ", ").append(id);
  }
  if (ids.empty()) {
    return {};
  }
  const bool predicted = result.state() == v1::RESULT_STATE_PREDICTED;
  return fmt::format("{} {}: {}", result.ties_size(),
                     predicted ? "as fast by the model" : "within the winner's interval", ids);
}

std::string DeviceText(const v1::TuneResult& result) {
  const std::string origin =
      result.device_uuid().empty() ? "reference data, no GPU was used" : result.device_uuid();
  return fmt::format("{} ({}, {})", result.device_name().empty() ? "GPU" : result.device_name(),
                     result.device_class(), origin);
}

std::string SurroundingsText(const v1::TuneResult& result) {
  std::string text = result.compiler();
  if (result.driver_version() > 0) {
    text += ", driver CUDA " + FormatCudaVersion(result.driver_version());
  }
  if (result.state() == v1::RESULT_STATE_PREDICTED || !result.has_conditions()) {
    return text;
  }
  return ConditionsText(result.conditions()) + ", " + text;
}

std::string PhasesText(const v1::TuneResult& result) {
  const v1::PhaseTimes& phases = result.phases();
  std::string compile = FormatSeconds(phases.compile_wall_s());
  if (phases.compiled() > 0) {
    compile += fmt::format(" ({} kernels, {} CPU each)", phases.compiled(),
                           FormatSeconds(phases.compile_cpu_s() / phases.compiled()));
  }
  std::string text =
      fmt::format("enumerate {}, compile {}, verify {}, measure {}, total {}",
                  FormatSeconds(phases.enumerate_s()), compile, FormatSeconds(phases.verify_s()),
                  FormatSeconds(phases.measure_s()), FormatSeconds(phases.total_s()));
  if (const std::optional<double> idle = GpuIdleShare(result)) {
    text += fmt::format(", GPU idle {:.0f} %", 100 * *idle);
  }
  return text;
}

// "43x32x1".
template <class Field>
std::string ExtentText(const Field& values) {
  return values.size() == 3 ? fmt::format("{}x{}x{}", values[0], values[1], values[2])
                            : std::string("?");
}

// What is not as in an ordinary launch.
std::string LaunchExtrasText(const v1::KernelLaunch& launch) {
  std::string text;
  const bool clustered = std::any_of(launch.cluster().begin(), launch.cluster().end(),
                                     [](unsigned extent) { return extent != 1; });
  if (clustered) {
    text += " in clusters of " + ExtentText(launch.cluster());
  }
  if (launch.cooperative()) {
    text += ", cooperative";
  }
  if (launch.programmatic()) {
    text += ", programmatic";
  }
  return text;
}

std::string LaunchText(const v1::TuneResult& result) {
  std::string text;
  for (const v1::KernelLaunch& launch : result.launches()) {
    text += fmt::format("{}{} <<<{}, {}, {} B>>>{}", text.empty() ? "" : " then ", launch.entry(),
                        ExtentText(launch.grid()), ExtentText(launch.block()),
                        launch.dynamic_smem_bytes(), LaunchExtrasText(launch));
  }
  if (result.workspace_bytes() > 0) {
    text += ", workspace " + FormatBytes(result.workspace_bytes());
  }
  return text;
}

std::string WinnerText(const v1::Key& key, const v1::TuneResult& result) {
  std::string text = ProblemText(key) + "\n";
  if (result.empty_problem()) {
    return text + FormatLine("result", "nothing to launch: m, n or batch is 0");
  }
  text += FormatLine("state", StateText(result));
  text += FormatLine("kernel", result.config());
  text += FormatLine("launch", LaunchText(result));
  text += FormatLine("time", TimeText(result));
  text += FormatLine("error", ErrorText(result));
  text += FormatLine("ties", TiesText(result));
  text += FormatLine("device", DeviceText(result));
  text += FormatLine("conditions", SurroundingsText(result));
  return result.has_baseline() ? text + BaselineText(result.baseline()) : text;
}

std::string UtcText(std::int64_t micros) {
  if (micros == 0) {
    return "-";
  }
  const auto seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) {
    return "?";
  }
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string ProgressCell(const v1::Operation& operation) {
  if (operation.state() == v1::OPERATION_STATE_FAILED) {
    return operation.error_message();
  }
  if (operation.state() == v1::OPERATION_STATE_SUCCEEDED) {
    return operation.result().empty_problem()
               ? "empty"
               : fmt::format("{}, {}", Name(operation.result().state()),
                             FormatNanoseconds(operation.result().time_ns()));
  }
  const v1::TuneProgress& progress = operation.progress();
  return fmt::format("{} {}/{} compiled, {} measured", progress.phase(), progress.compiled(),
                     progress.total(), progress.measured());
}

}  // namespace

std::string TuneText(const v1::Key& key, const v1::Operation& operation) {
  const v1::TuneResult& result = operation.result();
  std::string text = WinnerText(key, result);
  if (result.empty_problem()) {
    return text;
  }
  text += FormatLine("funnel", FunnelText(result));
  text += operation.from_store()
              ? FormatLine("answer", fmt::format("from the store, {:.2f} ms in the daemon",
                                                 operation.daemon_ms()))
              : FormatLine("phases", PhasesText(result));
  return text + FormatLine("stored as", result.key_text());
}

std::string LookupText(const v1::Key& key, const v1::TuneResult& result) {
  std::string text = WinnerText(key, result);
  return result.empty_problem() ? text : text + FormatLine("stored as", result.key_text());
}

std::string DevicesText(const v1::ListDevicesResponse& devices) {
  if (devices.devices_size() == 0) {
    std::string archs;
    for (const std::string& arch : devices.known_archs()) {
      archs.append(archs.empty() ? "" : ", ").append(arch);
    }
    return fmt::format("no GPU: {}\nknown to --arch: {}\n",
                       devices.note().empty() ? "none is visible" : devices.note(), archs);
  }
  std::vector<std::vector<std::string>> rows{
      {"NAME", "ARCH", "SMS", "MEMORY", "DRIVER", "STATE", "CLASS", "UUID"}};
  for (const v1::Device& device : devices.devices()) {
    rows.push_back({device.name(), device.arch(), std::to_string(device.sm_count()),
                    FormatBytes(device.memory_bytes()), FormatCudaVersion(device.driver_version()),
                    device.state(), device.device_class(), device.uuid()});
  }
  return FormatTable(rows);
}

std::string StatusText(const v1::GetStatusResponse& status) {
  return FormatLine("daemon", fmt::format("tilewrightd {}, pid {}, up {}", status.version(),
                                          status.pid(), FormatSeconds(status.uptime_s()))) +
         FormatLine("store", fmt::format("{}: {} results, {} reports, {}", status.store_path(),
                                         status.results(), status.reports(),
                                         FormatBytes(status.store_bytes()))) +
         FormatLine("jobs",
                    fmt::format("{} running, {} queued", status.running(), status.queued())) +
         FormatLine("compiler",
                    fmt::format("{}, {} workers", status.compiler(), status.compile_workers())) +
         FormatLine("gpus", std::to_string(status.devices())) +
         FormatLine("templates", status.template_digest());
}

std::string JobsText(const v1::ListOperationsResponse& operations) {
  if (operations.operations_size() == 0) {
    return "no jobs\n";
  }
  std::vector<std::vector<std::string>> rows{{"NAME", "STATE", "CREATED", "PROGRESS", "KEY"}};
  for (const v1::Operation& operation : operations.operations()) {
    rows.push_back({operation.name(), std::string(Name(operation.state())),
                    UtcText(operation.created_micros()), ProgressCell(operation),
                    operation.key_text()});
  }
  return FormatTable(rows);
}

std::string ChecksText(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{:<8} {:<10} {}\n", Name(check.level), check.name, check.detail);
    if (!check.advice.empty()) {
      text += fmt::format("{:<8} {:<10} -> {}\n", "", "", check.advice);
    }
  }
  return text;
}

}  // namespace tw::cli
