// SPDX-License-Identifier: Apache-2.0
#include "codegen/families/split_k.h"

#include <algorithm>

namespace tw {

namespace {

constexpr int kReduceThreads = 256;

// Enough blocks to fill any device; each thread walks on by the size of the grid.
constexpr std::int64_t kMaxReduceBlocks = 4096;

// Columns a thread: the widest access that both the workspace and D allow.
int ReduceWidth(const GemmProblem& problem) {
  if (problem.d.major == Major::kCol)
    return 1;
  constexpr int kMaxBytes = 16;
  int width = kMaxBytes / BytesOf(problem.acc);
  while (width > 1 && (problem.n % width != 0 ||
                       RowAlignment(problem.d, problem.batch) < width * BytesOf(problem.d.type)))
    width /= 2;
  return width;
}

}  // namespace

std::optional<std::int64_t> SplitKWorkspaceBytes(const GemmProblem& problem, int slices) {
  if (slices == 1)
    return 0;
  std::int64_t bytes = BytesOf(problem.acc);
  for (std::int64_t factor : {std::int64_t{slices}, problem.batch, problem.m, problem.n}) {
    if (__builtin_mul_overflow(bytes, factor, &bytes) || bytes > kMaxWorkspaceBytes)
      return std::nullopt;
  }
  return bytes;
}

int PartialStoreBytes(const GemmProblem& problem) {
  constexpr int kMaxBytes = 16;
  int bytes = kMaxBytes;
  while (problem.n * BytesOf(problem.acc) % bytes != 0)
    bytes /= 2;
  return bytes;
}

std::string SplitKReduceEntry(std::string_view entry) {
  return std::string(entry) + "_reduce";
}

std::string SplitKReduceKernel(const GemmProblem& problem, std::string_view entry, int slices) {
  return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(kReduceThreads) +
         ")\n" + SplitKReduceEntry(entry) + "(const __grid_constant__ tw::GemmParams params) {\n" +
         "  tw::SplitKReduce<Problem, " + std::to_string(slices) + ", " +
         std::to_string(ReduceWidth(problem)) + ">::Run(params);\n}\n";
}

KernelLaunch SplitKReduceLaunch(const GemmProblem& problem, std::string_view entry) {
  std::int64_t units = problem.batch * problem.m * (problem.n / ReduceWidth(problem));
  std::int64_t blocks = (units + kReduceThreads - 1) / kReduceThreads;
  KernelLaunch launch;
  launch.entry = SplitKReduceEntry(entry);
  launch.grid[0] =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, kMaxReduceBlocks));
  launch.block[0] = kReduceThreads;
  return launch;
}

}  // namespace tw
