// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_error.h"

namespace tw {
namespace {

StatusCode CodeOf(CuResult code) {
  if (IsStickyCudaError(code))
    return StatusCode::kDataLoss;
  switch (code) {
    case kCuOutOfMemory:
      return StatusCode::kResourceExhausted;
    case kCuStubLibrary:
      return StatusCode::kUnavailable;
    case kCuNoDevice:
    case kCuNotFound:
      return StatusCode::kNotFound;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

bool IsDeviceSuspect(CuResult code) {
  return code == kCuDeviceUnavailable || code == kCuEccUncorrectable ||
         code == kCuNvlinkUncorrectable || code == kCuUnknown;
}

bool IsStickyCudaError(CuResult code) {
  switch (code) {
    case kCuContained:
    case kCuIllegalAddress:
    case kCuLaunchTimeout:
    case kCuAssert:
    case kCuHardwareStackError:
    case kCuIllegalInstruction:
    case kCuMisalignedAddress:
    case kCuInvalidAddressSpace:
    case kCuInvalidPc:
    case kCuLaunchFailed:
    case kCuTensorMemoryLeak:
    case kCuMpsClientTerminated:
    case kCuExternalDevice:
      return true;
    default:
      return IsDeviceSuspect(code);
  }
}

std::string CudaErrorText(const DriverApi& driver, CuResult code) {
  std::string text = "CUDA error " + std::to_string(code);
  const char* name = nullptr;
  if (driver.error_name && driver.error_name(code, &name) == kCuSuccess && name != nullptr)
    text.append(" ").append(name);
  return text;
}

Status CudaStatus(const DriverApi& driver, std::string_view what, CuResult code) {
  if (code == kCuSuccess)
    return OkStatus();
  return {CodeOf(code), std::string(what) + ": " + CudaErrorText(driver, code)};
}

}  // namespace tw
