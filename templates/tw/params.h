// The one kernel argument, shared by every family and by the host: passed by value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/base.cuh"

namespace tw {

// Pointers are device pointers. Leading dimensions and batch strides are in elements; a batch
// stride of 0 broadcasts. C is read only where the problem's beta is not 0, bias only where it
// has one (scales likewise: fp32, one each, or one a row and one a column of D), workspace only
// where the launch plan asks for one.
struct GemmParams {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  const void* bias;
  void* workspace;
  const float* scale_a;
  const float* scale_b;
  int64 m, n, k, batch;
  int64 lda, ldb, ldc, ldd;
  int64 stride_a, stride_b, stride_c, stride_d;
  double alpha, beta;
};

static_assert(sizeof(GemmParams) == 176, "host and device agree on the layout");

}  // namespace tw
