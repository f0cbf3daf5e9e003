// How many blocks a configuration of wgmma_tma has, and what they exchange. Internal to the family.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/families/wgmma_tma.h"

namespace tw::wgmma_tma {

// What counts tiles, blocks and elements along a dimension has 32 bits, signed.
inline constexpr std::int64_t kMostCount = 0x7fffffff;

// Rows of a matrix that TMA can step over, in bytes.
inline constexpr int kTmaAlignment = 16;

// Whether TMA can store D: it writes whole units of kTmaAlignment bytes, so that the last one of a
// row must not reach past it (an H200 writes the unit whole, whatever the map's extent says).
bool StoresByTma(const GemmProblem& problem);

// Blocks' work: tiles, in whole clusters, times slices of k.
std::int64_t BlocksOf(const GemmProblem& problem, const KernelConfig& config);

// That the device holds at a time.
std::int64_t ResidentBlocks(const DeviceSpec& device, const KernelConfig& config);

// Of the launch: what the device holds, in whole clusters; blocks that sum slices together have one
// piece of work each.
std::int64_t GridOf(const GemmProblem& problem,
                    const DeviceSpec& device,
                    const KernelConfig& config);

bool SumsInSecondKernel(const KernelConfig& config);

// Counters of blocks that wait for each other: one a tile, or one a block.
std::int64_t Counters(const GemmProblem& problem,
                      const DeviceSpec& device,
                      const KernelConfig& config);

// Bytes, 0 for none; nullopt beyond kMaxWorkspaceBytes.
std::optional<std::int64_t> WorkspaceBytes(const GemmProblem& problem,
                                           const DeviceSpec& device,
                                           const KernelConfig& config);

// The first rule that the configuration breaks.
std::optional<Rejection> Reject(const GemmProblem& problem,
                                const DeviceSpec& device,
                                const KernelConfig& config);

}  // namespace tw::wgmma_tma
