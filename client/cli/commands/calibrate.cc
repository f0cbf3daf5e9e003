// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/calibrate.h"

#include <chrono>
#include <memory>
#include <ostream>
#include <stop_token>
#include <string>
#include <utility>

#include <CLI/App.hpp>

#include "client/cli/calibration_render.h"
#include "client/cli/connection.h"
#include "client/cli/interrupt.h"
#include "client/cli/server.h"

namespace tw::cli {
namespace {

// A tune may hold the GPU for its whole budget.
constexpr std::chrono::minutes kDeadline{30};

Result<v1::CalibrateDeviceResponse> Ask(const Context& context,
                                        const std::string& device,
                                        const std::stop_token& stop) {
  TW_ASSIGN_OR_RETURN(AddressSource source, ChooseServer(context));
  Connection connection(std::move(source), stop, {.deadline = kDeadline});
  v1::CalibrateDeviceRequest request;
  request.set_device_uuid(device);
  return connection.CalibrateDevice(request);
}

ExitCode Run(const Context& context, const std::string& device) {
  const InterruptWatch interrupt;
  const Result<v1::CalibrateDeviceResponse> answer = Ask(context, device, interrupt.Token());
  // As a tune that requires a measurement where there is no GPU.
  if (answer.status().code() == StatusCode::kFailedPrecondition) {
    return Fail(context, answer.status(), ExitCode::kOnlyPredicted);
  }
  if (!answer.ok()) {
    return Fail(context, answer.status());
  }
  context.out << (context.flags.json ? CalibrationJson(*answer) : CalibrationText(*answer));
  return ExitCode::kOk;
}

}  // namespace

void AddCalibrateCommand(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("calibrate", "measures a GPU anew, for the model that ranks candidates");
  const auto device = std::make_shared<std::string>();  // shared: the copyable callbacks own it
  command->add_option("--device", *device, "UUID of a GPU (default: the first)");
  command->callback([&context, device] {
    context.action = [&context, device] { return Run(context, *device); };
  });
}

}  // namespace tw::cli
