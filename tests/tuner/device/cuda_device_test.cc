// The real device code over a driver of lambdas.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_device.h"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_driver.h"
#include "tuner/device/device_buffer.h"
#include "tuner/device/probe.h"

namespace tw {
namespace {

constexpr const char* kUuid = "GPU-00102030-4050-6070-8090-a0b0c0d0e0f0";

TEST(Probe, ReadsLimitsAndTakesRatesFromTheTable) {
  FakeDriver fake;
  const DeviceSpec spec = ProbeDevices(fake.Table()).value().front();
  const DeviceSpec h200 = ReferenceDevice("sm_90a").value();
  EXPECT_EQ(spec.uuid, kUuid);
  EXPECT_EQ(spec.arch, "sm_90a");
  EXPECT_EQ(spec.sm_count, 132);
  EXPECT_EQ(spec.memory_bytes, 150'108'340'224);
  EXPECT_EQ(spec.smem_per_block_optin, 232448);
  EXPECT_EQ(spec.l2_bytes, 62914560);
  EXPECT_EQ(spec.mma_f16, h200.mma_f16);
  EXPECT_EQ(spec.sm_clock_hz, h200.sm_clock_hz);
  EXPECT_EQ(spec.dram_bytes_per_s, h200.dram_bytes_per_s);
  EXPECT_EQ(spec.driver_version, 13000);
}

TEST(Probe, AnotherDeviceOfTheArchScalesMemory) {
  FakeDriver fake;
  fake.name = "NVIDIA H100";
  fake.attributes[kCuMemoryClockRateKhz] = 2619000;
  fake.attributes[kCuMemoryBusWidthBits] = 5120;
  const DeviceSpec spec = ProbeDevices(fake.Table()).value().front();
  EXPECT_NEAR(spec.dram_bytes_per_s, 0.9 * 3.352e12, 1e9);  // 3.35 TB/s by the data sheet
}

TEST(Probe, AMigInstanceNamesItsProfile) {
  FakeDriver fake;
  fake.name = "NVIDIA H200 MIG 1g.18gb";
  const DeviceSpec spec = ProbeDevices(fake.Table()).value().front();
  EXPECT_EQ(spec.mig_profile, "1g.18gb");
  EXPECT_TRUE(spec.uuid.starts_with("MIG-"));
}

TEST(Probe, AnUnknownDeviceIsNotFoundAndTheOthersAreListed) {
  FakeDriver fake;
  const auto device = FindCudaDevice(fake.Table(), "GPU-other");
  EXPECT_EQ(device.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(device.status().message(), testing::HasSubstr(kUuid));
}

TEST(Probe, FailuresNameTheCall) {
  FakeDriver fake;
  fake.results["init"] = 100;
  EXPECT_EQ(ProbeDevices(fake.Table()).status().code(), StatusCode::kNotFound);
  fake.results.clear();
  fake.results["device_attribute"] = 1;
  EXPECT_THAT(ProbeDevices(fake.Table()).status().message(),
              testing::HasSubstr("cuDeviceGetAttribute"));
}

class CudaDeviceTest : public testing::Test {
 protected:
  FakeDriver fake_;
  DriverApi driver_ = fake_.Table();
  std::unique_ptr<Device> device_ = OpenCudaDevice(driver_, nullptr, kUuid).value();
};

TEST_F(CudaDeviceTest, EveryStickyCodeIsRememberedFromWhereverItShows) {
  for (CuResult code : {226, 700, 710, 715, 716, 719, 999}) {
    FakeDriver fake;
    const DriverApi driver = fake.Table();
    auto device = OpenCudaDevice(driver, nullptr, kUuid).value();
    fake.results["stream_synchronize"] = code;
    EXPECT_EQ(device->Synchronize().code(), StatusCode::kDataLoss);
    EXPECT_EQ(device->sticky_error(), code);
  }
}

TEST_F(CudaDeviceTest, TheFirstStickyCodeIsKept) {
  fake_.results["stream_synchronize"] = 700;
  EXPECT_FALSE(device_->Synchronize().ok());
  fake_.results["stream_synchronize"] = 719;
  EXPECT_FALSE(device_->Synchronize().ok());
  EXPECT_EQ(device_->sticky_error(), 700);
}

TEST_F(CudaDeviceTest, OutOfMemoryIsNotSticky) {
  fake_.results["memory_allocate"] = 2;
  EXPECT_EQ(device_->Memory().Allocate(1 << 20).status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(device_->sticky_error(), 0);
}

TEST_F(CudaDeviceTest, MemoryIsCopiedAndSetInTheDevicesOwnStream) {
  std::array<std::byte, 4> bytes{};
  EXPECT_TRUE(device_->Memory().Set(0x700000, 1, 4).ok());
  EXPECT_TRUE(device_->Memory().Write(0x700000, bytes).ok());
  EXPECT_TRUE(device_->Memory().Read(bytes, 0x700000).ok());
  EXPECT_EQ(fake_.memory_streams, std::set{FakeDriver::kStream});
  // The caller's bytes may go away, or are there.
  EXPECT_EQ(fake_.calls["stream_synchronize"], 2);
}

TEST_F(CudaDeviceTest, BuffersAreFreedOnce) {
  {
    DeviceBuffer first = DeviceBuffer::Allocate(device_->Memory(), 64).value();
    const DeviceBuffer second = std::move(first);
    EXPECT_EQ(second.bytes(), 64);
  }
  EXPECT_EQ(fake_.calls["memory_free"], 1);
}

TEST_F(CudaDeviceTest, ARefusedLaunchEndsTheCapture) {
  fake_.results["launch_kernel"] = 701;
  EXPECT_FALSE(device_->Capture([this] { return device_->Launch({}); }).ok());
  EXPECT_EQ(fake_.calls["launch_kernel"], 1);
  EXPECT_EQ(fake_.calls["capture_end"], 1);
  EXPECT_EQ(device_->sticky_error(), 0);
}

TEST_F(CudaDeviceTest, AReplayIsTimedByEvents) {
  auto graph = device_->Capture([this] { return device_->Launch({}); }).value();
  const ReplayTime time = graph->RunTimed().value();
  EXPECT_EQ(time.device_ns, 1.5e6);
  EXPECT_GT(time.host_ns, 0);
  EXPECT_EQ(fake_.calls["event_record"], 2);
  EXPECT_EQ(fake_.calls["graph_launch"], 1);
}

TEST_F(CudaDeviceTest, DynamicSharedMemoryIsAskedFor) {
  auto module = device_->Load("image").value();
  EXPECT_TRUE(module->GetKernel("entry", 0).ok());
  EXPECT_EQ(fake_.calls["function_set_attribute"], 0);
  fake_.results["function_set_attribute"] = 1;
  EXPECT_THAT(module->GetKernel("entry", 300'000).status().message(),
              testing::HasSubstr("300000 bytes"));
}

TEST_F(CudaDeviceTest, WithoutNvmlConditionsAreZero) {
  EXPECT_EQ(device_->ReadConditions().conditions, Conditions{});
}

TEST(Nvml, WhatFailsReadsAsZero) {
  NvmlApi nvml;
  nvml.clock_info = [](NvmlHandle, int, unsigned* mhz) {
    *mhz = 1410;
    return 0;
  };
  nvml.power_usage = [](NvmlHandle, unsigned* milliwatts) {
    *milliwatts = 690'500;
    return 0;
  };
  nvml.temperature = [](NvmlHandle, int, unsigned* celsius) {
    *celsius = 99;
    return 3;  // not supported
  };
  nvml.compute_processes = [](NvmlHandle, unsigned* count, void*) {
    *count = 2;
    return 7;  // insufficient size
  };
  const DeviceReading reading = ReadNvml(nvml, nullptr);
  EXPECT_EQ(reading.conditions.sm_clock_mhz, 1410);
  EXPECT_DOUBLE_EQ(reading.conditions.power_w, 690.5);
  EXPECT_EQ(reading.conditions.temperature_c, 0);
  EXPECT_EQ(reading.conditions.throttle_reasons, 0U);
  EXPECT_EQ(reading.compute_processes, 2);
}

}  // namespace
}  // namespace tw
