// A driver of lambdas: one H200, every call succeeds unless told otherwise.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "tuner/device/driver_api.h"

namespace tw {

// Outlives the tables it makes.
class FakeDriver {
 public:
  // Of every device.
  static inline const CuStream kStream = std::bit_cast<CuStream>(std::uintptr_t{0x51});

  // Result of the call of that member's name; success where absent.
  std::map<std::string, CuResult> results;
  std::map<std::string, int> calls;
  std::map<int, int> attributes{
      {kCuMaxThreadsPerBlock, 1024},
      {kCuMaxRegistersPerBlock, 65536},
      {kCuClockRateKhz, 1980000},
      {kCuMultiprocessorCount, 132},
      {kCuMemoryClockRateKhz, 3201000},
      {kCuMemoryBusWidthBits, 6144},
      {kCuL2CacheBytes, 62914560},
      {kCuMaxThreadsPerMultiprocessor, 2048},
      {kCuComputeCapabilityMajor, 9},
      {kCuComputeCapabilityMinor, 0},
      {kCuMaxSharedMemoryPerMultiprocessor, 233472},
      {kCuMaxRegistersPerMultiprocessor, 65536},
      {kCuMaxSharedMemoryPerBlockOptin, 232448},
      {kCuMaxBlocksPerMultiprocessor, 32},
      {kCuReservedSharedMemoryPerBlock, 1024},
  };
  std::set<CuStream> memory_streams;  // of copies and sets
  std::string name = "NVIDIA H200";
  int devices = 1;

  DriverApi Table() {
    DriverApi api;
    Accept(api);
    api.driver_version = [this](int* version) { return Answer("driver_version", version, 13000); };
    api.error_name = [](CuResult, const char** text) {
      *text = "CUDA_ERROR_OF_SOME_NAME";
      return kCuSuccess;
    };
    api.device_count = [this](int* count) { return Answer("device_count", count, devices); };
    api.device_get = [this](CuDevice* device, int index) {
      return Answer("device_get", device, index);
    };
    api.device_name = [this](char* text, int size, CuDevice) {
      std::strncpy(text, name.c_str(), static_cast<std::size_t>(size));
      return Note("device_name");
    };
    api.device_uuid = [this](CuUuid* uuid, CuDevice device) {
      for (unsigned i = 0; i < sizeof(uuid->bytes); ++i)
        uuid->bytes[i] = static_cast<unsigned char>(0x10U * i + static_cast<unsigned>(device));
      return Note("device_uuid");
    };
    api.device_attribute = [this](int* value, int attribute, CuDevice) {
      return Answer("device_attribute", value, attributes.at(attribute));
    };
    api.device_total_memory = [this](std::size_t* bytes, CuDevice) {
      return Answer("device_total_memory", bytes, std::size_t{150'108'340'224});
    };
    api.memory_allocate = [this](CuDevicePtr* address, std::size_t) {
      return Answer("memory_allocate", address, CuDevicePtr{0x700000});
    };
    api.stream_create = [this](CuStream* stream, unsigned) {
      return Answer("stream_create", stream, kStream);
    };
    api.set_bytes = [this](CuDevicePtr, unsigned char, std::size_t, CuStream stream) {
      memory_streams.insert(stream);
      return Note("set_bytes");
    };
    api.copy_to_device = [this](CuDevicePtr, const void*, std::size_t, CuStream stream) {
      memory_streams.insert(stream);
      return Note("copy_to_device");
    };
    api.copy_to_host = [this](void*, CuDevicePtr, std::size_t, CuStream stream) {
      memory_streams.insert(stream);
      return Note("copy_to_host");
    };
    api.event_elapsed = [this](float* milliseconds, CuEvent, CuEvent) {
      return Answer("event_elapsed", milliseconds, 1.5F);
    };
    return api;
  }

 private:
  CuResult Note(const std::string& function) {
    ++calls[function];
    auto result = results.find(function);
    return result == results.end() ? CuResult{kCuSuccess} : result->second;
  }

  template <class T>
  CuResult Answer(const std::string& function, T* slot, T value) {
    *slot = value;
    return Note(function);
  }

  void Accept(DriverApi& api) {
#define TW_DRIVER_FUNCTION(member, symbol, ...) \
  api.member = [this](auto... /*arguments*/) { return Note(#member); };
#include "tuner/device/driver_api.def"
#undef TW_DRIVER_FUNCTION
  }
};

}  // namespace tw
