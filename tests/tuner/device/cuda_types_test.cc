// Our declarations beside the toolkit's, where there is one.
// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cuda_types.h"

#include <cstddef>

#include <gtest/gtest.h>

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace tw {
namespace {

static_assert(kCuLaunchCooperative == int{CU_LAUNCH_ATTRIBUTE_COOPERATIVE});
static_assert(kCuLaunchClusterDimension == int{CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION});
static_assert(kCuLaunchProgrammaticStreamSerialization ==
              int{CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION});
static_assert(kCuTensorMapUint8 == int{CU_TENSOR_MAP_DATA_TYPE_UINT8});
static_assert(kCuTensorMapInt32 == int{CU_TENSOR_MAP_DATA_TYPE_INT32});
static_assert(kCuTensorMapFloat16 == int{CU_TENSOR_MAP_DATA_TYPE_FLOAT16});
static_assert(kCuTensorMapFloat32 == int{CU_TENSOR_MAP_DATA_TYPE_FLOAT32});
static_assert(kCuTensorMapFloat64 == int{CU_TENSOR_MAP_DATA_TYPE_FLOAT64});
static_assert(kCuTensorMapBfloat16 == int{CU_TENSOR_MAP_DATA_TYPE_BFLOAT16});
static_assert(kCuTensorMapTfloat32 == int{CU_TENSOR_MAP_DATA_TYPE_TFLOAT32});
static_assert(kCuTensorMapInterleaveNone == int{CU_TENSOR_MAP_INTERLEAVE_NONE});
static_assert(kCuTensorMapFillZeros == int{CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE});
static_assert(kCuTensorMapSwizzleNone == int{CU_TENSOR_MAP_SWIZZLE_NONE});
static_assert(kCuTensorMapSwizzle32 == int{CU_TENSOR_MAP_SWIZZLE_32B});
static_assert(kCuTensorMapSwizzle64 == int{CU_TENSOR_MAP_SWIZZLE_64B});
static_assert(kCuTensorMapSwizzle128 == int{CU_TENSOR_MAP_SWIZZLE_128B});
static_assert(kCuTensorMapL2PromotionNone == int{CU_TENSOR_MAP_L2_PROMOTION_NONE});
static_assert(kCuTensorMapL2Promotion64 == int{CU_TENSOR_MAP_L2_PROMOTION_L2_64B});
static_assert(kCuTensorMapL2Promotion128 == int{CU_TENSOR_MAP_L2_PROMOTION_L2_128B});
static_assert(kCuTensorMapL2Promotion256 == int{CU_TENSOR_MAP_L2_PROMOTION_L2_256B});

static_assert(sizeof(CuLaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(offsetof(CuLaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(CuLaunchAttributeValue) == sizeof(CUlaunchAttributeValue));
static_assert(offsetof(CUlaunchAttributeValue, clusterDim.z) ==
              offsetof(CuLaunchAttributeValue, cluster.z));
static_assert(sizeof(CuLaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(CuLaunchConfig, block_z) == offsetof(CUlaunchConfig, blockDimZ));
static_assert(offsetof(CuLaunchConfig, dynamic_smem_bytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(CuLaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(CuLaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(CuLaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(CUtensorMap) == 128);

TEST(CudaTypes, AreTheToolkits) {
  SUCCEED() << "checked by the compiler";
}

}  // namespace
}  // namespace tw
#else
TEST(CudaTypes, AreTheToolkits) {
  GTEST_SKIP() << "no toolkit";
}
#endif
