// SPDX-License-Identifier: Apache-2.0
#include "client/cli/calibration_render.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "client/cli/format.h"
#include "client/cli/json.h"

namespace tw::cli {
namespace {

struct Figure {
  const char* field;
  const char* label;
  const char* unit;
  double scale;  // from the field's unit to the one shown
  double (v1::Calibration::*value)() const;
};

constexpr std::array<Figure, 4> kFigures{{
    {"dram_bytes_per_s", "DRAM, read", "GB/s", 1e-9, &v1::Calibration::dram_bytes_per_s},
    {"l2_bytes_per_clock_per_sm", "L2, read", "B/clock/SM", 1,
     &v1::Calibration::l2_bytes_per_clock_per_sm},
    {"sm_clock_hz", "SM clock", "MHz", 1e-6, &v1::Calibration::sm_clock_hz},
    {"launch_s", "launch", "us", 1e6, &v1::Calibration::launch_s},
}};

// 0: nothing to compare with.
double ShareOf(double measured, double table) {
  return table > 0 ? measured / table : 0;
}

std::string ShareText(double share) {
  constexpr double kPercent = 100;
  return share > 0 ? fmt::format("{:.1f} %", kPercent * share) : "-";
}

}  // namespace

std::string CalibrationText(const v1::CalibrateDeviceResponse& answer) {
  std::vector<std::vector<std::string>> rows{{"FIGURE", "MEASURED", "TABLE", "SHARE", "UNIT"}};
  for (const Figure& figure : kFigures) {
    const double measured = (answer.measured().*figure.value)();
    const double table = (answer.table().*figure.value)();
    rows.push_back({figure.label, fmt::format("{:.4g}", measured * figure.scale),
                    fmt::format("{:.4g}", table * figure.scale),
                    ShareText(ShareOf(measured, table)), figure.unit});
  }
  return fmt::format("{}, {}, driver {}\n", answer.device_name(), answer.device_uuid(),
                     FormatCudaVersion(answer.driver_version())) +
         FormatTable(rows) + "stored; tunes on this GPU go by it\n";
}

std::string CalibrationJson(const v1::CalibrateDeviceResponse& answer) {
  Json figures = Json::object();
  for (const Figure& figure : kFigures) {
    const double measured = (answer.measured().*figure.value)();
    const double table = (answer.table().*figure.value)();
    const double share = ShareOf(measured, table);
    figures[figure.field] = {{"measured", measured},
                             {"table", table},
                             {"share", share > 0 ? Json(share) : Json(nullptr)}};
  }
  return Dump({{"schema", "tilewright.calibrate.v1"},
               {"device",
                {{"uuid", answer.device_uuid()},
                 {"name", answer.device_name()},
                 {"driver_version", answer.driver_version()}}},
               {"created_micros", answer.created_micros()},
               {"figures", figures}});
}

}  // namespace tw::cli
