// A configuration of wgmma_tma in the generated source: the kernel's name and its plan.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "codegen/core/check.h"
#include "codegen/families/common.h"
#include "codegen/families/wgmma_tma.h"

namespace tw {

namespace {

std::string_view Name(wgmma_tma::Reduce reduce) {
  switch (reduce) {
    case wgmma_tma::Reduce::kKernel:
      return "tw::wgmma_tma::Reduce::kKernel";
    case wgmma_tma::Reduce::kGrid:
      return "tw::wgmma_tma::Reduce::kGrid";
    case wgmma_tma::Reduce::kCluster:
      return "tw::wgmma_tma::Reduce::kCluster";
    case wgmma_tma::Reduce::kStream:
      return "tw::wgmma_tma::Reduce::kStream";
  }
  TW_CHECK(false);
}

}  // namespace

// Every knob is in the name, so that a profiler's list tells candidates apart.
std::string WgmmaTmaEntryName(const GemmProblem& problem, const KernelConfig& config) {
  const auto knob = [&](std::string_view name) { return std::to_string(config.Get(name)); };
  const auto flag = [&](std::string_view name, std::string_view text) {
    return config.Get(name) != 0 ? std::string(text) : std::string();
  };
  return "tw_wgmma_tma_" + TypeLetters(problem) + "_" + LayoutLetters(problem) + "_" +
         knob("tile_m") + "x" + knob("tile_n") + flag("swap", "_swap") + "_c" + knob("consumers") +
         flag("pingpong", "_pp") + "_s" + knob("stages") + "_cl" + knob("cluster_m") + "x" +
         knob("cluster_n") + "_g" + knob("group_m") + "_k" + knob("split_k") + "r" +
         knob("reduce") + flag("deferred", "_d") + flag("tma_store", "_t") + "_b" + knob("blocks") +
         flag("temporaries", "_p" + knob("temporaries") + "u" + knob("unroll"));
}

std::string WgmmaTmaPlanText(const wgmma_tma::Plan& plan) {
  return "  static constexpr tw::wgmma_tma::Plan kPlan{\n" +
         PlanField("tile_rows", plan.tile_rows) + PlanField("tile_cols", plan.tile_cols) +
         PlanField("consumers", plan.consumers) + PlanFlag("pingpong", plan.pingpong) +
         PlanField("stages", plan.stages) + PlanField("cluster_rows", plan.cluster_rows) +
         PlanField("cluster_cols", plan.cluster_cols) + PlanField("group", plan.group) +
         PlanField("split_k", plan.split_k) + "      .reduce = " + std::string(Name(plan.reduce)) +
         ",\n" + PlanFlag("swap", plan.swap) + PlanFlag("deferred", plan.deferred) +
         PlanFlag("tma_store", plan.tma_store) + PlanField("blocks_per_sm", plan.blocks_per_sm) +
         PlanField("temporaries", plan.temporaries) + PlanField("unroll", plan.unroll) +
         PlanField("element_bytes", plan.element_bytes) + PlanFlag("integers", plan.integers) +
         PlanFlag("row_k_major", plan.row_k_major) + PlanFlag("col_k_major", plan.col_k_major) +
         PlanFlag("row_once", plan.row_once) + PlanFlag("col_once", plan.col_once) +
         PlanFlag("lines_are_rows", plan.lines_are_rows) + PlanField("out_bytes", plan.out_bytes) +
         PlanField("store_bytes", plan.store_bytes) + PlanField("row_map_rank", plan.row_map_rank) +
         PlanField("col_map_rank", plan.col_map_rank) +
         PlanField("out_map_rank", plan.out_map_rank) + "  };";
}

}  // namespace tw
