// Launch plans.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "codegen/core/tensor_map.h"
#include "tuner/worker/convert.h"
#include "tuner/worker/convert_text.h"

namespace tw {
namespace {

// Copies a field of as many values as `count`, at most kCount, to the front of `values`.
template <class Field, class T, std::size_t kCount>
Status GetValues(const char* name, const Field& field, int count, std::array<T, kCount>* values) {
  if (field.size() != count) {
    return Damaged(std::string(name) + " = " + std::to_string(field.size()) + " values: must be " +
                   std::to_string(count));
  }
  std::copy(field.begin(), field.end(), values->begin());
  return OkStatus();
}

wire::TensorMapRecipe ToProto(const TensorMapRecipe& map) {
  wire::TensorMapRecipe out;
  out.set_operand(std::string(Name(map.operand)));
  out.set_type(std::string(Name(map.type)));
  out.mutable_dims()->Add(map.dims.begin(), map.dims.begin() + map.rank);
  out.mutable_strides()->Add(map.strides.begin(), map.strides.begin() + map.rank - 1);
  out.mutable_box()->Add(map.box.begin(), map.box.begin() + map.rank);
  out.set_swizzle_bytes(map.swizzle_bytes);
  out.set_l2_promotion_bytes(map.l2_promotion_bytes);
  return out;
}

// Only the form: what the hardware makes of the values is the candidate's failure, not the peer's.
Result<TensorMapRecipe> FromProto(const wire::TensorMapRecipe& map) {
  TensorMapRecipe out;
  const auto operand = ParseMapOperand(map.operand());
  if (!operand)
    return Damaged("operand = " + map.operand() + ": must be a, b or d");
  const auto type = ParseDType(map.type());
  if (!type)
    return Damaged("type = " + map.type() + ": must be an element type");
  out.operand = *operand;
  out.type = *type;
  out.rank = map.dims_size();
  out.swizzle_bytes = map.swizzle_bytes();
  out.l2_promotion_bytes = map.l2_promotion_bytes();
  if (const Status form = CheckTensorMapForm(out); !form.ok())
    return Damaged("tensor map: " + form.message());
  TW_RETURN_IF_ERROR(GetValues("dims", map.dims(), out.rank, &out.dims));
  TW_RETURN_IF_ERROR(GetValues("strides", map.strides(), out.rank - 1, &out.strides));
  TW_RETURN_IF_ERROR(GetValues("box", map.box(), out.rank, &out.box));
  return out;
}

wire::KernelLaunch ToProto(const KernelLaunch& launch) {
  wire::KernelLaunch out;
  out.set_entry(launch.entry);
  out.mutable_grid()->Add(launch.grid.begin(), launch.grid.end());
  out.mutable_block()->Add(launch.block.begin(), launch.block.end());
  out.set_dynamic_smem_bytes(launch.dynamic_smem_bytes);
  out.mutable_cluster()->Add(launch.cluster.begin(), launch.cluster.end());
  out.set_cooperative(launch.cooperative);
  out.set_programmatic(launch.programmatic);
  for (const TensorMapRecipe& map : launch.tensor_maps)
    *out.add_tensor_maps() = ToProto(map);
  return out;
}

Result<KernelLaunch> FromProto(const wire::KernelLaunch& launch) {
  KernelLaunch out;
  out.entry = launch.entry();
  out.dynamic_smem_bytes = launch.dynamic_smem_bytes();
  TW_RETURN_IF_ERROR(GetValues("grid", launch.grid(), 3, &out.grid));
  TW_RETURN_IF_ERROR(GetValues("block", launch.block(), 3, &out.block));
  TW_RETURN_IF_ERROR(GetValues("cluster", launch.cluster(), 3, &out.cluster));
  for (std::size_t i = 0; i < out.cluster.size(); ++i) {
    if (out.cluster[i] < 1)
      return Damaged("cluster[" + std::to_string(i) + "] = 0: must be at least 1");
  }
  out.cooperative = launch.cooperative();
  out.programmatic = launch.programmatic();
  for (const wire::TensorMapRecipe& map : launch.tensor_maps()) {
    TW_ASSIGN_OR_RETURN(TensorMapRecipe recipe, FromProto(map));
    out.tensor_maps.push_back(recipe);
  }
  return out;
}

}  // namespace

wire::LaunchPlan ToProto(const LaunchPlan& plan) {
  wire::LaunchPlan out;
  for (const KernelLaunch& launch : plan.launches)
    *out.add_launches() = ToProto(launch);
  out.set_workspace_bytes(plan.workspace_bytes);
  out.set_workspace_zero_bytes(plan.workspace_zero_bytes);
  return out;
}

Result<LaunchPlan> FromProto(const wire::LaunchPlan& plan) {
  LaunchPlan out;
  out.workspace_bytes = plan.workspace_bytes();
  out.workspace_zero_bytes = plan.workspace_zero_bytes();
  if (out.workspace_zero_bytes < 0 || out.workspace_zero_bytes > out.workspace_bytes) {
    return Damaged("workspace_zero_bytes = " + std::to_string(out.workspace_zero_bytes) +
                   ": must be 0 to workspace_bytes, " + std::to_string(out.workspace_bytes));
  }
  for (const wire::KernelLaunch& row : plan.launches()) {
    TW_ASSIGN_OR_RETURN(KernelLaunch launch, FromProto(row));
    out.launches.push_back(std::move(launch));
  }
  return out;
}

}  // namespace tw
