// SPDX-License-Identifier: Apache-2.0
#include "tuner/compiled_rules.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace tw {
namespace {

// A few bytes spilled outside the main loop do not show; more than this is inside it.
constexpr int kMaxSpillBytes = 64;

// Of a message "… (C7511) …"; 0 where it has none.
int CodeOf(std::string_view message) {
  constexpr std::string_view kMark = "(C";
  const std::size_t at = message.find(kMark);
  int code = 0;
  if (at != std::string_view::npos)
    std::from_chars(message.data() + at + kMark.size(), message.data() + message.size(), code);
  return code;
}

// C7504 and C7508: setmaxnreg is ignored, so that the consumers lack registers. C7509 to C7520:
// wgmma is serialised, each for another reason. Of these C7517 and C7519 tell of a wait or an
// arrive that the compiler adds, which could be cheap; but NVRTC 13.0 then waited for too few
// products, and the sums were wrong.
bool MeansSerialised(int code) {
  return code == 7504 || (code >= 7508 && code <= 7520);
}

std::optional<Rejection> RejectMessages(const CompiledKernel& kernel) {
  for (const std::string& message : kernel.warnings) {
    if (MeansSerialised(CodeOf(message))) {
      return Rejection{.rule = "serialised", .detail = message};
    }
  }
  return std::nullopt;
}

const EntryResources* FindEntry(const CompiledKernel& kernel, const std::string& name) {
  const auto at = std::find_if(kernel.entries.begin(), kernel.entries.end(),
                               [&](const EntryResources& entry) { return entry.entry == name; });
  return at == kernel.entries.end() ? nullptr : &*at;
}

int Threads(const KernelLaunch& launch) {
  return static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
}

BlockNeeds NeedsOfEntry(const EntryResources& entry, const KernelLaunch& launch) {
  return {
      .threads = Threads(launch),
      .registers_per_thread = entry.registers,
      .smem_bytes = static_cast<std::int64_t>(launch.dynamic_smem_bytes) + entry.static_smem_bytes};
}

std::optional<Rejection> RejectLaunch(const DeviceSpec& device,
                                      const CompiledKernel& kernel,
                                      const KernelLaunch& launch) {
  const EntryResources* entry = FindEntry(kernel, launch.entry);
  if (entry == nullptr) {
    return Rejection{.rule = "missing_entry", .detail = launch.entry};
  }
  const int spilled = entry->spill_store_bytes + entry->spill_load_bytes;
  if (spilled > kMaxSpillBytes) {
    return Rejection{.rule = "spills",
                     .detail = std::to_string(spilled) + " bytes spilled, at most " +
                               std::to_string(kMaxSpillBytes)};
  }
  const BlockNeeds needs = NeedsOfEntry(*entry, launch);
  if (ComputeOccupancy(device, needs).blocks_per_sm == 0) {
    return Rejection{.rule = "occupancy_zero",
                     .detail = std::to_string(needs.threads) + " threads, " +
                               std::to_string(needs.registers_per_thread) + " registers, " +
                               std::to_string(needs.smem_bytes) + " bytes of shared memory"};
  }
  return std::nullopt;
}

}  // namespace

CompiledNeeds NeedsOf(const CompiledKernel& kernel, const LaunchPlan& launch) {
  CompiledNeeds needs;
  for (const KernelLaunch& step : launch.launches) {
    const EntryResources* entry = FindEntry(kernel, step.entry);
    if (entry == nullptr) {
      continue;
    }
    const std::int64_t smem =
        static_cast<std::int64_t>(step.dynamic_smem_bytes) + entry->static_smem_bytes;
    needs.registers = std::max(needs.registers, entry->registers);
    needs.smem_bytes = std::max(needs.smem_bytes, smem);
    needs.spill_bytes =
        std::max(needs.spill_bytes, entry->spill_store_bytes + entry->spill_load_bytes);
  }
  return needs;
}

std::optional<BlockNeeds> BlockNeedsOf(const CompiledKernel& kernel, const KernelLaunch& launch) {
  const EntryResources* entry = FindEntry(kernel, launch.entry);
  if (entry == nullptr) {
    return std::nullopt;
  }
  return NeedsOfEntry(*entry, launch);
}

std::optional<Rejection> RejectCompiled(const DeviceSpec& device,
                                        const CompiledKernel& kernel,
                                        const LaunchPlan& launch) {
  if (std::optional<Rejection> rejection = RejectMessages(kernel)) {
    return rejection;
  }
  for (const KernelLaunch& step : launch.launches) {
    if (std::optional<Rejection> rejection = RejectLaunch(device, kernel, step)) {
      return rejection;
    }
  }
  return std::nullopt;
}

}  // namespace tw
