// What families with a split-K schedule share: the workspace, and the kernel that reduces it
// (templates/tw/schedule/split_k_reduce.cuh).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/core/candidate.h"
#include "codegen/core/gemm_problem.h"

namespace tw {

// Template piece of the reduce kernel.
inline constexpr std::string_view kSplitKHeader = "tw/schedule/split_k_reduce.cuh";

// Most bytes that a candidate may ask for.
inline constexpr std::int64_t kMaxWorkspaceBytes = std::int64_t{1} << 30U;

// Bytes of the partial sums, 0 for a single slice; nullopt beyond kMaxWorkspaceBytes.
std::optional<std::int64_t> SplitKWorkspaceBytes(const GemmProblem& problem, int slices);

// Bytes of the widest store that every row of the partial sums allows, at most 16.
int PartialStoreBytes(const GemmProblem& problem);

// "<entry>_reduce".
std::string SplitKReduceEntry(std::string_view entry);

// Text of the reduce kernel. Requires: slices > 1.
std::string SplitKReduceKernel(const GemmProblem& problem, std::string_view entry, int slices);

// Its launch. Requires: slices > 1.
KernelLaunch SplitKReduceLaunch(const GemmProblem& problem, std::string_view entry);

}  // namespace tw
