// SPDX-License-Identifier: Apache-2.0
#include "server/device_inventory.h"

#include <algorithm>
#include <utility>

namespace tw {
namespace {

constexpr std::string_view kDefaultArch = "sm_90a";

}  // namespace

DeviceInventory::DeviceInventory(std::function<DiscoveredDevices()> discover,
                                 std::function<DeviceSpec(const DeviceSpec&)> calibrated)
    : discover_(std::move(discover)),
      calibrated_(std::move(calibrated)),
      list_(std::make_shared<DeviceList>()) {
  Refresh();
}

void DeviceInventory::Refresh() {
  const std::lock_guard refreshing(refresh_mutex_);
  DiscoveredDevices now = discover_();
  auto list = std::make_shared<DeviceList>();
  list->note = std::move(now.note);
  for (DeviceSpec& spec : now.devices) {
    std::string device_class = DeviceClass(spec);
    list->devices.push_back({std::move(spec), std::move(device_class), false});
  }
  for (const LiveDevice& before : List()->devices) {
    const auto same = [&](const LiveDevice& device) {
      return device.spec.uuid == before.spec.uuid;
    };
    if (std::none_of(list->devices.begin(), list->devices.end(), same))
      list->devices.push_back({before.spec, before.device_class, true});
  }
  const std::lock_guard lock(mutex_);
  list_ = std::move(list);
}

std::shared_ptr<const DeviceList> DeviceInventory::List() const {
  const std::lock_guard lock(mutex_);
  return list_;
}

Result<DeviceSpec> DeviceInventory::Resolve(std::string_view uuid, std::string_view arch) const {
  const auto list = List();
  const auto find = [&](const auto& wanted) -> const DeviceSpec* {
    const auto at = std::find_if(list->devices.begin(), list->devices.end(), wanted);
    return at == list->devices.end() ? nullptr : &at->spec;
  };
  const auto as_calibrated = [&](const DeviceSpec& device) {
    return calibrated_ ? calibrated_(device) : device;
  };
  if (!uuid.empty()) {
    const DeviceSpec* device = find([&](const LiveDevice& d) { return d.spec.uuid == uuid; });
    if (device == nullptr)
      return Status(StatusCode::kNotFound, "device_uuid = " + std::string(uuid) +
                                               ": this daemon has no such GPU (see `devices`)");
    return as_calibrated(*device);
  }
  // Live GPUs stand before lost ones in the list.
  const std::string wanted = arch.empty() ? std::string() : CanonicalArch(arch);
  const DeviceSpec* device =
      find([&](const LiveDevice& d) { return wanted.empty() || d.spec.arch == wanted; });
  if (device != nullptr)
    return as_calibrated(*device);
  return ReferenceDevice(wanted.empty() ? kDefaultArch : std::string_view(wanted));
}

int DeviceInventory::DriverVersion(std::string_view device_class) const {
  const auto list = List();
  for (const LiveDevice& device : list->devices) {
    if (!device.lost && device.device_class == device_class)
      return device.spec.driver_version;
  }
  return 0;
}

}  // namespace tw
