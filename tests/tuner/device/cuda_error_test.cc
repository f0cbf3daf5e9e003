// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_error.h"

#include <gtest/gtest.h>

namespace tw {
namespace {

TEST(CudaError, StickyCodesEndTheProcess) {
  for (int code :
       {226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 214, 220, 999, 46})
    EXPECT_TRUE(IsStickyCudaError(code)) << code;
}

TEST(CudaError, OtherCodesDoNot) {
  for (int code : {0, 1, 2, 34, 100, 200, 209, 218, 222, 500, 701, 720, 912})
    EXPECT_FALSE(IsStickyCudaError(code)) << code;
}

TEST(CudaError, SomeCastDoubtOnTheDevice) {
  for (int code : {214, 220, 999, 46})
    EXPECT_TRUE(IsDeviceSuspect(code)) << code;
  EXPECT_FALSE(IsDeviceSuspect(700));
}

TEST(CudaError, StatusKeepsCodeAndName) {
  DriverApi driver;
  driver.error_name = [](CuResult, const char** name) {
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return CuResult{kCuSuccess};
  };
  const Status status = CudaStatus(driver, "cuMemAlloc", 2);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "cuMemAlloc: CUDA error 2 CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_TRUE(CudaStatus(driver, "cuInit", 0).ok());
  EXPECT_EQ(CudaStatus(driver, "x", 719).code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tw
