// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/device_spec.h"

#include <algorithm>
#include <array>

namespace tw {

std::string DeviceClass(const DeviceSpec& device) {
  // Rounded up: what the driver reports lies a few percent under the class that is sold, and
  // differs by some MiB between driver versions.
  constexpr std::int64_t kStep = std::int64_t{8} << 30U;
  const std::int64_t gib = (device.memory_bytes + kStep - 1) / kStep * 8;
  std::string text = device.arch;
  text.append("/").append(std::to_string(device.sm_count)).append("sm");
  text.append("/").append(std::to_string(gib)).append("gb");
  if (!device.mig_profile.empty())
    text.append("/").append(device.mig_profile);
  return text;
}

Result<DeviceSpec> ReferenceDevice(std::string_view arch) {
  const std::string canonical = CanonicalArch(arch);
  std::string known;
  for (const DeviceSpec& device : ReferenceDevices()) {
    if (device.arch == canonical)
      return device;
    known.append(known.empty() ? "" : ", ").append(device.arch);
  }
  std::string message = "arch = ";
  message.append(arch).append(": must be one of ").append(known);
  return Status(StatusCode::kNotFound, std::move(message), "arch");
}

std::string CanonicalArch(std::string_view arch) {
  // Archs whose feature set ("a") the kernels need.
  constexpr std::array<std::string_view, 6> kWithFeatures = {"sm_90",  "sm_100", "sm_103",
                                                             "sm_110", "sm_120", "sm_121"};
  std::string text(arch);
  if (std::find(kWithFeatures.begin(), kWithFeatures.end(), arch) != kWithFeatures.end())
    text.push_back('a');
  return text;
}

}  // namespace tw
