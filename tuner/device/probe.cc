// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/probe.h"

#include <algorithm>
#include <array>

#include "tuner/device/cuda_error.h"

namespace tw {
namespace {

// Share of the pin bandwidth that kernels reach; the convention of the reference table.
constexpr double kAchievableBandwidth = 0.9;

// Reads attributes one after the other and keeps the first error.
class AttributeReader {
 public:
  AttributeReader(const DriverApi& driver, CuDevice device) : driver_(driver), device_(device) {}

  int Get(CuAttribute attribute) {
    int value = 0;
    CuResult code = driver_.device_attribute(&value, attribute, device_);
    if (code != kCuSuccess && status_.ok()) {
      status_ = CudaStatus(
          driver_, "cuDeviceGetAttribute(" + std::to_string(static_cast<int>(attribute)) + ")",
          code);
    }
    return value;
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  const DriverApi& driver_;
  CuDevice device_;
  Status status_;
};

// The table's row for the arch, else the newest row that is older than the device.
DeviceSpec NearestReference(const std::string& arch, int cc) {
  if (auto exact = ReferenceDevice(arch); exact.ok())
    return *std::move(exact);
  const DeviceSpec* best = &ReferenceDevices().front();
  for (const DeviceSpec& device : ReferenceDevices()) {
    if (device.cc() <= cc && device.cc() >= best->cc())
      best = &device;
  }
  return *best;
}

// "1g.18gb" of "NVIDIA H200 MIG 1g.18gb".
std::string MigProfile(const std::string& name) {
  constexpr std::string_view kMark = " MIG ";
  auto at = name.find(kMark);
  return at == std::string::npos ? std::string() : name.substr(at + kMark.size());
}

void FillRates(AttributeReader& read, const DeviceSpec& reference, DeviceSpec& spec) {
  constexpr double kKilo = 1e3;
  const double boost_hz = kKilo * read.Get(kCuClockRateKhz);
  const double memory_hz = kKilo * read.Get(kCuMemoryClockRateKhz);
  const double bus_bytes = read.Get(kCuMemoryBusWidthBits) / 8.0;
  if (spec.name != reference.name) {
    if (boost_hz > 0)
      spec.sm_clock_hz = std::min(reference.sm_clock_hz, boost_hz);
    if (memory_hz > 0 && bus_bytes > 0)  // two transfers per clock
      spec.dram_bytes_per_s = kAchievableBandwidth * 2 * memory_hz * bus_bytes;
  }
}

Status FillIdentity(const DriverApi& driver, CuDevice device, DeviceSpec& spec) {
  std::array<char, 256> name{};
  TW_RETURN_IF_ERROR(
      CudaStatus(driver, "cuDeviceGetName",
                 driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device)));
  spec.name = name.data();
  spec.mig_profile = MigProfile(spec.name);
  CuUuid uuid{};
  TW_RETURN_IF_ERROR(CudaStatus(driver, "cuDeviceGetUuid", driver.device_uuid(&uuid, device)));
  spec.uuid = UuidText(uuid);
  if (!spec.mig_profile.empty())
    spec.uuid.replace(0, 3, "MIG");
  std::size_t memory = 0;
  TW_RETURN_IF_ERROR(
      CudaStatus(driver, "cuDeviceTotalMem", driver.device_total_memory(&memory, device)));
  spec.memory_bytes = static_cast<std::int64_t>(memory);
  return CudaStatus(driver, "cuDriverGetVersion", driver.driver_version(&spec.driver_version));
}

}  // namespace

std::string UuidText(const CuUuid& uuid) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text.push_back('-');
    text.push_back(kDigits[uuid.bytes[i] >> 4U]);
    text.push_back(kDigits[uuid.bytes[i] & 15U]);
  }
  return text;
}

Result<DeviceSpec> ProbeDevice(const DriverApi& driver, CuDevice device) {
  AttributeReader read(driver, device);
  const int major = read.Get(kCuComputeCapabilityMajor);
  const int minor = read.Get(kCuComputeCapabilityMinor);
  TW_RETURN_IF_ERROR(read.status());
  const std::string arch = CanonicalArch("sm_" + std::to_string(major) + std::to_string(minor));
  const DeviceSpec reference = NearestReference(arch, major * 10 + minor);
  DeviceSpec spec = reference;
  spec.arch = arch;
  spec.cc_major = major;
  spec.cc_minor = minor;
  TW_RETURN_IF_ERROR(FillIdentity(driver, device, spec));
  spec.sm_count = read.Get(kCuMultiprocessorCount);
  spec.max_threads_per_block = read.Get(kCuMaxThreadsPerBlock);
  spec.max_threads_per_sm = read.Get(kCuMaxThreadsPerMultiprocessor);
  spec.max_blocks_per_sm = read.Get(kCuMaxBlocksPerMultiprocessor);
  spec.regs_per_sm = read.Get(kCuMaxRegistersPerMultiprocessor);
  spec.regs_per_block = read.Get(kCuMaxRegistersPerBlock);
  spec.smem_per_sm = read.Get(kCuMaxSharedMemoryPerMultiprocessor);
  spec.smem_per_block_optin = read.Get(kCuMaxSharedMemoryPerBlockOptin);
  spec.smem_reserved_per_block = read.Get(kCuReservedSharedMemoryPerBlock);
  spec.l2_bytes = read.Get(kCuL2CacheBytes);
  FillRates(read, reference, spec);
  TW_RETURN_IF_ERROR(read.status());
  return spec;
}

Result<std::vector<DeviceSpec>> ProbeDevices(const DriverApi& driver) {
  TW_RETURN_IF_ERROR(CudaStatus(driver, "cuInit", driver.init(0)));
  int count = 0;
  TW_RETURN_IF_ERROR(CudaStatus(driver, "cuDeviceGetCount", driver.device_count(&count)));
  std::vector<DeviceSpec> devices;
  for (int index = 0; index < count; ++index) {
    CuDevice device = 0;
    TW_RETURN_IF_ERROR(CudaStatus(driver, "cuDeviceGet", driver.device_get(&device, index)));
    TW_ASSIGN_OR_RETURN(DeviceSpec spec, ProbeDevice(driver, device));
    devices.push_back(std::move(spec));
  }
  return devices;
}

Result<CuDevice> FindCudaDevice(const DriverApi& driver, const std::string& uuid) {
  int count = 0;
  TW_RETURN_IF_ERROR(CudaStatus(driver, "cuDeviceGetCount", driver.device_count(&count)));
  std::string known;
  for (int index = 0; index < count; ++index) {
    CuDevice device = 0;
    TW_RETURN_IF_ERROR(CudaStatus(driver, "cuDeviceGet", driver.device_get(&device, index)));
    DeviceSpec spec;
    TW_RETURN_IF_ERROR(FillIdentity(driver, device, spec));
    if (spec.uuid == uuid)
      return device;
    known.append(known.empty() ? "" : ", ").append(spec.uuid);
  }
  return Status(StatusCode::kNotFound,
                "no device " + uuid + "; there are: " + (known.empty() ? "none" : known));
}

}  // namespace tw
