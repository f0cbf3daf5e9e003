// The problems of the wgmma_tma kernels: a plan, its tensor maps and its launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include "tests/templates/emulation/gemm_case.h"
#include "tests/templates/emulation/machine.h"
#include "tests/templates/emulation/register_pool.h"
#include "tests/templates/emulation/tensor_map.h"
#include "tw/families/wgmma_tma.cuh"
#include "tw/ptx/wgmma_bf16.cuh"
#include "tw/ptx/wgmma_f16.cuh"
#include "tw/ptx/wgmma_fp8.cuh"
#include "tw/ptx/wgmma_s8.cuh"
#include "tw/ptx/wgmma_tf32.cuh"

namespace tw::wgmma_tma {

using emulation::CandidateOf;
using emulation::ProblemOf;
using emulation::Size;
using emulation::TensorMapShape;
using emulation::Traits;

// A and B are K-major, D is row-major.
using Bf16 = ProblemOf<bf16, bf16, Traits{}>;
using F16 = ProblemOf<f16, f16, Traits{}>;
using F16ToFloat = ProblemOf<f16, float, Traits{}>;

// What a case chooses; the rest of the plan follows from the problem.
struct Knobs {
  int rows = 64, cols = 64, consumers = 1;
  bool pingpong = false;
  int stages = 3, cluster_rows = 1, cluster_cols = 1, group = 1, split_k = 1;
  bool swap = false, deferred = false, tma_store = true;
  int store_bytes = 16, blocks_per_sm = 1;
  Reduce reduce = Reduce::kKernel;
  int rank = 2;                                   // of the maps: 3 for a batch
  bool broadcast_a = false, broadcast_b = false;  // from maps of rank 2
  int temporaries = 0, unroll = 1;
};

template <class P>
constexpr Plan MakePlan(const Knobs& knobs) {
  const bool split = knobs.split_k > 1 && knobs.reduce == Reduce::kKernel;
  const int rank_a = knobs.broadcast_a ? 2 : knobs.rank;
  const int rank_b = knobs.broadcast_b ? 2 : knobs.rank;
  Plan plan{};
  plan.tile_rows = knobs.rows;
  plan.tile_cols = knobs.cols;
  plan.consumers = knobs.consumers;
  plan.pingpong = knobs.pingpong;
  plan.stages = knobs.stages;
  plan.cluster_rows = knobs.cluster_rows;
  plan.cluster_cols = knobs.cluster_cols;
  plan.group = knobs.group;
  plan.split_k = knobs.split_k;
  plan.swap = knobs.swap;
  plan.deferred = knobs.deferred;
  plan.tma_store = knobs.tma_store;
  plan.blocks_per_sm = knobs.blocks_per_sm;
  plan.temporaries = knobs.temporaries;
  plan.unroll = knobs.unroll;
  plan.integers = std::is_same_v<typename P::A, s8>;
  plan.element_bytes = static_cast<int>(sizeof(typename P::A));
  plan.row_k_major = knobs.swap ? !P::kBRowMajor : P::kARowMajor;
  plan.col_k_major = knobs.swap ? P::kARowMajor : !P::kBRowMajor;
  plan.lines_are_rows = (split || P::kDRowMajor) != knobs.swap;
  plan.out_bytes = split ? 4 : static_cast<int>(sizeof(typename P::D));
  plan.store_bytes = knobs.store_bytes;
  plan.reduce = knobs.reduce;
  plan.row_map_rank = knobs.swap ? rank_b : rank_a;
  plan.col_map_rank = knobs.swap ? rank_a : rank_b;
  plan.out_map_rank = knobs.rank;
  return plan;
}

// The maps as the host encodes them.
template <class P, Plan kPlan>
class Maps {
 public:
  explicit Maps(emulation::GemmCase<P>& test) : test_(test), size_(test.size()) {}

  void Put(TensorMap (&maps)[kMaps]) {
    constexpr int kRowShare = kPlan.tile_rows / kPlan.cluster_cols;
    constexpr int kColShare = kPlan.tile_cols / kPlan.cluster_rows;
    maps[0] = kPlan.swap ? OfB(kRowShare) : OfA(kRowShare);
    maps[1] = kPlan.swap ? OfA(kColShare) : OfB(kColShare);
    constexpr int kPiece = kSwizzleSpan / kPlan.out_bytes;
    if constexpr (kPlan.tma_store) {
      constexpr int kRest = kPlan.tile_cols % kPiece;
      maps[2] = OfD(kPlan.tile_cols < kPiece ? kRest : kPiece);
      maps[3] = OfD(kRest == 0 ? kPiece : kRest);
    }
  }

 private:
  TensorMap OfA(int share) {
    return Operand(test_.a(), P::kARowMajor, size_.m, share,
                   kPlan.swap ? kPlan.col_map_rank : kPlan.row_map_rank);
  }

  TensorMap OfB(int share) {
    return Operand(test_.b(), !P::kBRowMajor, size_.n, share,
                   kPlan.swap ? kPlan.row_map_rank : kPlan.col_map_rank);
  }

  template <class Matrix>
  TensorMap Operand(const Matrix& matrix, bool k_major, int64 mn, int share, int rank) {
    TensorMapShape shape;
    shape.address = matrix.data();
    shape.element_bytes = kPlan.element_bytes;
    shape.rank = rank;
    shape.dims = {k_major ? size_.k : mn, k_major ? mn : size_.k, size_.batch};
    shape.strides = {matrix.ld() * kPlan.element_bytes, matrix.stride() * kPlan.element_bytes};
    constexpr int kDepth = BlockK(kPlan);
    shape.box = {k_major ? kDepth : kStripRows, k_major ? share : kDepth, 1};
    shape.swizzle_bytes = kSwizzleSpan;
    return Encode(shape);
  }

  // For pieces of `width` columns, in the kernel's words.
  TensorMap OfD(int width) {
    constexpr int kPiece = kSwizzleSpan / kPlan.out_bytes;
    TensorMapShape shape;
    shape.address = test_.d().data();
    shape.element_bytes = kPlan.out_bytes;
    shape.rank = kPlan.out_map_rank;
    shape.dims = {P::kDRowMajor ? size_.n : size_.m, P::kDRowMajor ? size_.m : size_.n,
                  size_.batch};
    shape.strides = {test_.d().ld() * kPlan.out_bytes, test_.d().stride() * kPlan.out_bytes};
    const bool packed = kPlan.lines_are_rows && width < kPiece;
    shape.box = kPlan.lines_are_rows ? std::array{width, 64, 1} : std::array{kPiece, width, 1};
    shape.swizzle_bytes = packed ? 0 : kSwizzleSpan;
    return Encode(shape);
  }

  static TensorMap Encode(const TensorMapShape& shape) {
    EXPECT_EQ(emulation::CheckTensorMap(shape), "");
    return emulation::EncodeTensorMap(shape);
  }

  emulation::GemmCase<P>& test_;
  const Size& size_;
};

// Clusters that have work each.
inline int64 ItemsOf(const Plan& plan, const Size& size) {
  const int64 rows = plan.tile_rows * plan.cluster_rows;
  const int64 cols = plan.tile_cols * plan.cluster_cols;
  const int64 slices = plan.reduce == Reduce::kCluster ? 1 : plan.split_k;
  return CeilDiv(size.m, plan.swap ? cols : rows) * CeilDiv(size.n, plan.swap ? rows : cols) *
         size.batch * slices;
}

// Of a launch of `clusters`.
inline emulation::Workspace WorkspaceOf(const Plan& plan, const Size& size, int64 clusters) {
  int64 counters = 0;
  switch (plan.reduce) {
    case Reduce::kKernel:
      return emulation::SliceWorkspace<float>(size, plan.split_k);
    case Reduce::kCluster:
      return {};
    case Reduce::kGrid:
      counters = clusters / plan.split_k;
      break;
    case Reduce::kStream:
      counters = clusters;
      break;
  }
  const int64 zeroed = counters * kCounterBytes;
  return {zeroed + clusters * SliceBytes(plan), zeroed};
}

// A case of a plan, with as many clusters as there is work for where `clusters` is 0.
template <class P, Knobs kKnobs>
class Case : public emulation::GemmCase<P> {
 public:
  static constexpr Plan kPlan = MakePlan<P>(kKnobs);
  using Kernel = Gemm<P, CandidateOf<kPlan>>;

  Case(const Size& size, std::uint64_t seed, int64 clusters)
      : emulation::GemmCase<P>(size,
                               {.d = kKnobs.tma_store ? 16 : kKnobs.store_bytes},
                               WorkspaceOf(kPlan, size, Clusters(size, clusters)),
                               seed),
        clusters_(Clusters(size, clusters)) {}

  // What the kernel did wrong, if anything.
  std::string Run() {
    TmaParams<kMaps> params{};
    params.gemm = this->Params();
    Maps<P, kPlan>(*this).Put(params.maps);
    emulation::Machine& machine = this->machine();
    machine.Launch(Shape(), [&] { Kernel::Run(params); });
    if constexpr (kPlan.split_k > 1 && kPlan.reduce == Reduce::kKernel)
      machine.Launch({.blocks = 2, .threads = 64},
                     [&] { SplitKReduce<P, kPlan.split_k>::Run(params.gemm); });
    return machine.error();
  }

  // As the next launch needs them.
  bool CountersAreZero() {
    const int64 bytes = WorkspaceOf(kPlan, this->size(), clusters_).zeroed;
    return std::all_of(this->WorkspaceData(), this->WorkspaceData() + bytes,
                       [](std::byte x) { return x == std::byte{0}; });
  }

 private:
  static constexpr auto kCluster = static_cast<unsigned>(ClusterBlocks(kPlan));
  static_assert(LaunchRegisters(kPlan) * Threads(kPlan) * kPlan.blocks_per_sm <=
                    emulation::RegisterPool::kFile,
                "the register file holds the blocks");

  static int64 Clusters(const Size& size, int64 clusters) {
    return clusters == 0 ? ItemsOf(kPlan, size) : clusters;
  }

  emulation::LaunchShape Shape() {
    emulation::LaunchShape shape;
    shape.blocks = kCluster * static_cast<unsigned>(clusters_);
    shape.threads = static_cast<unsigned>(Kernel::kThreads);
    shape.cluster = kCluster;
    shape.together = kPlan.reduce == Reduce::kGrid || kPlan.reduce == Reduce::kStream;
    shape.shared_bytes = static_cast<std::size_t>(Kernel::kSmemBytes);
    shape.shared_start = static_cast<std::uint32_t>(this->machine().Random() % 64 * 16);
    shape.registers = LaunchRegisters(kPlan);
    return shape;
  }

  int64 clusters_;
};

// `size`, but D's lines end with a unit of 16 bytes where TMA stores them: it writes nothing less,
// so that the host lets it store no others.
template <class P, Knobs kKnobs>
constexpr Size Storable(Size size) {
  if (kKnobs.tma_store) {
    constexpr int64 kUnit = 16 / static_cast<int64>(sizeof(typename P::D));
    int64& length = P::kDRowMajor ? size.n : size.m;
    length = RoundUp(length, kUnit);
  }
  return size;
}

// Of `wanted`, or what is next to it that the plan can store.
template <class P, Knobs kKnobs>
void RunCase(const Size& wanted, std::uint64_t seed = 1, int64 clusters = 0) {
  const Size size = Storable<P, kKnobs>(wanted);
  SCOPED_TRACE("m " + std::to_string(size.m) + " n " + std::to_string(size.n) + " k " +
               std::to_string(size.k) + " batch " + std::to_string(size.batch) + " seed " +
               std::to_string(seed));
  Case<P, kKnobs> test(size, seed, clusters);
  EXPECT_EQ(test.Run(), "");
  EXPECT_TRUE(test.CountersAreZero());
  test.Check();
}

// A whole tile and more in every direction; less than one of anything; one element, or the least
// that TMA stores. With less, just and more than enough blocks.
template <class P, Knobs kKnobs>
void RunSizes(std::uint64_t seed = 1) {
  constexpr Plan kPlan = MakePlan<P>(kKnobs);
  constexpr int kTileM = kPlan.swap ? kPlan.tile_cols : kPlan.tile_rows;
  constexpr int kTileN = kPlan.swap ? kPlan.tile_rows : kPlan.tile_cols;
  constexpr int64 kDepth = BlockK(kPlan);
  RunCase<P, kKnobs>({kTileM + 3, kTileN + 7, kDepth * 4 + 9}, seed, 1);
  RunCase<P, kKnobs>({kTileM * 2, kTileN, kDepth}, seed + 1, 2);
  RunCase<P, kKnobs>({7, 5, kDepth * kKnobs.stages + 1}, seed + 2, 3);
  RunCase<P, kKnobs>({1, 1, 1}, seed + 3);
}

}  // namespace tw::wgmma_tma
