// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/support_kernels.h"

#include <algorithm>

namespace tw {

namespace {

constexpr std::int64_t kVectorBytes = 16;  // of traffic

}  // namespace

Result<SupportKernels> SupportKernels::Load(Device& device, const CompiledKernel& support) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModule> module, device.Load(support.cubin));
  SupportKernels kernels(device, std::move(module));
  TW_RETURN_IF_ERROR(kernels.Bind(kFillA, kernels.fill_a_));
  TW_RETURN_IF_ERROR(kernels.Bind(kFillB, kernels.fill_b_));
  TW_RETURN_IF_ERROR(kernels.Bind(kFillC, kernels.fill_c_));
  TW_RETURN_IF_ERROR(kernels.Bind(kFillBias, kernels.fill_bias_));
  TW_RETURN_IF_ERROR(kernels.Bind(kFillScale, kernels.fill_scale_));
  TW_RETURN_IF_ERROR(kernels.Bind(kReference, kernels.reference_));
  TW_RETURN_IF_ERROR(kernels.Bind(kCompare, kernels.compare_));
  TW_RETURN_IF_ERROR(kernels.Bind(kGuard, kernels.guard_));
  TW_RETURN_IF_ERROR(kernels.Bind(kScan, kernels.scan_));
  TW_RETURN_IF_ERROR(kernels.Bind(kHash, kernels.hash_));
  TW_RETURN_IF_ERROR(kernels.Bind(kScrub, kernels.scrub_, device.Spec().smem_per_block_optin));
  TW_RETURN_IF_ERROR(kernels.Bind(kTraffic, kernels.traffic_));
  TW_RETURN_IF_ERROR(kernels.Bind(kSumA, kernels.sum_a_));
  TW_RETURN_IF_ERROR(kernels.Bind(kSumB, kernels.sum_b_));
  TW_RETURN_IF_ERROR(kernels.Bind(kSumD, kernels.sum_d_));
  return kernels;
}

Status SupportKernels::Bind(const char* entry, KernelHandle& handle, std::int64_t smem_bytes) {
  TW_ASSIGN_OR_RETURN(handle, module_->GetKernel(entry, static_cast<std::uint32_t>(smem_bytes)));
  return OkStatus();
}

std::uint32_t SupportKernels::BlocksFor(std::int64_t items) const {
  constexpr std::int64_t kBlocksPerSm = 16;
  const std::int64_t most = std::max(device_->Spec().sm_count, 1) * kBlocksPerSm;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(CeilDiv(items, kJudgeThreads), 1, most));
}

template <class Params>
Status SupportKernels::Launch(KernelHandle kernel, std::uint32_t blocks, const Params& params) {
  return device_->Launch({.kernel = kernel,
                          .grid = {blocks, 1, 1},
                          .block = {kJudgeThreads, 1, 1},
                          .dynamic_smem_bytes = 0,
                          .argument = ArgumentBytes(params)});
}

KernelHandle SupportKernels::FillOf(Part part) const {
  switch (part) {
    case Part::kA:
      return fill_a_;
    case Part::kB:
      return fill_b_;
    case Part::kC:
      return fill_c_;
    case Part::kBias:
      return fill_bias_;
    case Part::kScaleA:
    case Part::kScaleB:
      return fill_scale_;
    case Part::kD:
      break;
  }
  TW_CHECK(false);  // D is written, never filled
}

Status SupportKernels::Fill(Part part, const FillParams& params) {
  const std::int64_t items = params.matrix.Count() * params.copies;
  if (items == 0)
    return OkStatus();
  return Launch(FillOf(part), BlocksFor(items), params);
}

Status SupportKernels::ComputeReference(const ReferenceParams& params) {
  constexpr std::int64_t kMostBlocks = 1 << 20;  // the kernel walks over the rest
  const std::int64_t tiles = params.coverage.tiles != nullptr
                                 ? params.coverage.count
                                 : CeilDiv(params.gemm.m, kReferenceTile) *
                                       CeilDiv(params.gemm.n, kReferenceTile) * params.gemm.batch;
  return Launch(reference_, static_cast<std::uint32_t>(std::min(tiles, kMostBlocks)), params);
}

Status SupportKernels::Compare(const CompareParams& params) {
  return Launch(compare_, BlocksFor(SlotsOf(params.d, params.coverage)), params);
}

Status SupportKernels::CheckGuard(const GuardParams& params) {
  return Launch(guard_, BlocksFor(params.end - params.begin), params);
}

Status SupportKernels::Scan(const ScanParams& params) {
  return Launch(scan_, BlocksFor(params.d.Count()), params);
}

Status SupportKernels::HashLines(const HashParams& params) {
  return Launch(hash_, BlocksFor(params.d.Count()), params);
}

Status SupportKernels::ScrubShared(std::uint8_t poison) {
  // A block takes all the shared memory of an SM, so that every SM gets one.
  const DeviceSpec& spec = device_->Spec();
  const ScrubParams params{spec.smem_per_block_optin / std::int64_t{sizeof(std::uint32_t)},
                           poison * 0x01010101U};
  return device_->Launch(
      {.kernel = scrub_,
       .grid = {static_cast<std::uint32_t>(std::max(spec.sm_count, 1)), 1, 1},
       .block = {kJudgeThreads, 1, 1},
       .dynamic_smem_bytes = static_cast<std::uint32_t>(spec.smem_per_block_optin),
       .argument = ArgumentBytes(params)});
}

Status SupportKernels::EvictCaches(const DeviceSpan& data) {
  const std::int64_t vectors = data.bytes / kVectorBytes;
  // A step of all threads is no longer than the data: the kernel wraps round once a load.
  const auto blocks = static_cast<int>(std::clamp<std::int64_t>(
      vectors / kTrafficThreads, 1, 2 * std::max<std::int64_t>(device_->Spec().sm_count, 1)));
  const std::int64_t vectors_per_step = std::int64_t{kTrafficLoads} * kTrafficThreads * blocks;
  const TrafficParams params{DevicePointer<const void>(data.address), vectors,
                             CeilDiv(vectors, vectors_per_step)};
  return device_->Launch({.kernel = traffic_,
                          .grid = {static_cast<std::uint32_t>(blocks), 1, 1},
                          .block = {kTrafficThreads, 1, 1},
                          .dynamic_smem_bytes = 0,
                          .argument = ArgumentBytes(params)});
}

Status SupportKernels::StartTraffic(const DeviceSpan& data) {
  constexpr double kSeconds = 1e-3;
  const DeviceSpec& spec = device_->Spec();
  const int blocks = std::max(spec.sm_count / 2, 1);
  const double bytes_per_step =
      static_cast<double>(kVectorBytes) * kTrafficLoads * kTrafficThreads * blocks;
  const TrafficParams params{
      DevicePointer<const void>(data.address), data.bytes / kVectorBytes,
      static_cast<std::int64_t>(spec.dram_bytes_per_s * kSeconds / bytes_per_step)};
  return device_->LaunchBeside({.kernel = traffic_,
                                .grid = {static_cast<std::uint32_t>(blocks), 1, 1},
                                .block = {kTrafficThreads, 1, 1},
                                .dynamic_smem_bytes = 0,
                                .argument = ArgumentBytes(params)});
}

Status SupportKernels::SumRows(Part part, const SumParams& params) {
  const KernelHandle kernel = part == Part::kA ? sum_a_ : part == Part::kB ? sum_b_ : sum_d_;
  return Launch(kernel, BlocksFor(params.matrix.Count()), params);
}

}  // namespace tw
