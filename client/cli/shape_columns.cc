// SPDX-License-Identifier: Apache-2.0
#include "client/cli/shape_columns.h"

#include <cstddef>

namespace tw::cli {
namespace {

constexpr std::size_t kRequired = 7;  // the first ones
constexpr ShapeColumn kColumns[] = {
    {"name"},
    {"m", &ProblemFlags::m},
    {"n", &ProblemFlags::n},
    {"k", &ProblemFlags::k},
    {"batch", &ProblemFlags::batch},
    {"dtype", &ProblemFlags::dtype},
    {"layout", &ProblemFlags::layout},
    {"dtype_b", &ProblemFlags::dtype_b},
    {"acc", &ProblemFlags::accumulate},
    {"out_dtype", &ProblemFlags::out_dtype},
    {"layout_c", &ProblemFlags::layout_c},
    {"layout_d", &ProblemFlags::layout_d},
    {"alpha", &ProblemFlags::alpha},
    {"beta", &ProblemFlags::beta},
    {"bias", &ProblemFlags::bias},
    {"act", &ProblemFlags::activation},
    {"scale", &ProblemFlags::scale},
    {"fp8_accumulate", &ProblemFlags::fp8_accumulate},
    {"lda", nullptr, &ProblemFlags::a, &OperandFlags::leading_dimension},
    {"ldb", nullptr, &ProblemFlags::b, &OperandFlags::leading_dimension},
    {"ldc", nullptr, &ProblemFlags::c, &OperandFlags::leading_dimension},
    {"ldd", nullptr, &ProblemFlags::d, &OperandFlags::leading_dimension},
    {"stride_a", nullptr, &ProblemFlags::a, &OperandFlags::batch_stride},
    {"stride_b", nullptr, &ProblemFlags::b, &OperandFlags::batch_stride},
    {"stride_c", nullptr, &ProblemFlags::c, &OperandFlags::batch_stride},
    {"stride_d", nullptr, &ProblemFlags::d, &OperandFlags::batch_stride},
    {"align_a", nullptr, &ProblemFlags::a, &OperandFlags::align_bytes},
    {"align_b", nullptr, &ProblemFlags::b, &OperandFlags::align_bytes},
    {"align_c", nullptr, &ProblemFlags::c, &OperandFlags::align_bytes},
    {"align_d", nullptr, &ProblemFlags::d, &OperandFlags::align_bytes},
};

}  // namespace

std::span<const ShapeColumn> RequiredColumns() {
  return std::span(kColumns).first(kRequired);
}

std::span<const ShapeColumn> AllColumns() {
  return kColumns;
}

std::string* TextOf(ProblemFlags& flags, const ShapeColumn& column) {
  if (column.operand != nullptr) {
    return &(flags.*column.operand.*column.part);
  }
  return column.flag != nullptr ? &(flags.*column.flag) : nullptr;
}

}  // namespace tw::cli
