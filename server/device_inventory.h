// The devices that this daemon tunes for: live GPUs, and reference devices where there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/device_spec.h"
#include "codegen/core/status.h"

namespace tw {

struct LiveDevice {
  DeviceSpec spec;
  std::string device_class;
  bool lost = false;  // was there, is no longer listed
};

struct DeviceList {
  std::vector<LiveDevice> devices;
  std::string note;  // why there is none; empty otherwise
};

// What the GPU pool says now.
struct DiscoveredDevices {
  std::vector<DeviceSpec> devices;
  std::string note;
};

// Thread-safe. Reads never wait for a GPU.
class DeviceInventory {
 public:
  // `calibrated`: a device as tunes and explanations see it; empty: as it was discovered. Called by
  // Resolve only, on any thread; must not block.
  explicit DeviceInventory(std::function<DiscoveredDevices()> discover,
                           std::function<DeviceSpec(const DeviceSpec&)> calibrated = {});

  // Asks again; may block. Devices seen before and missing now become `lost`.
  void Refresh();

  // As discovered: with the table's values.
  [[nodiscard]] std::shared_ptr<const DeviceList> List() const;

  // By UUID (NotFound); else the first live GPU of `arch`, or its reference device; else the
  // first live GPU, or the reference device of sm_90a. A lost GPU is the last choice. The one place
  // where a tune or an explanation gets its device, so that both see the same calibration.
  [[nodiscard]] Result<DeviceSpec> Resolve(std::string_view uuid, std::string_view arch) const;

  // Driver version of a live GPU of the class; 0 where there is none.
  [[nodiscard]] int DriverVersion(std::string_view device_class) const;

 private:
  const std::function<DiscoveredDevices()> discover_;
  const std::function<DeviceSpec(const DeviceSpec&)> calibrated_;
  std::mutex refresh_mutex_;
  mutable std::mutex mutex_;
  std::shared_ptr<const DeviceList> list_;  // shared: readers keep their snapshot
};

}  // namespace tw
