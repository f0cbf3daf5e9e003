// A right product on the CPU, spoiled by the test: for the fake device, whose memory is the host's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tuner/device/fake_kernels.h"
#include "tuner/device/host_elements.h"
#include "tuner/measure/contestant.h"

namespace tw {

// D as the test sees it.
class HostOutput {
 public:
  HostOutput(const GemmProblem& problem, void* data)
      : type_(problem.d.type),
        view_{data,
              problem.m,
              problem.n,
              problem.batch,
              problem.d.ld,
              problem.d.batch_stride,
              problem.d.major == Major::kRow ? 1 : 0} {}

  [[nodiscard]] double Get(const Position& at) const { return LoadElement(type_, AddressOf(at)); }

  void Set(const Position& at, double value) const { StoreElement(type_, value, AddressOf(at)); }

  void SetBytes(const Position& at, std::byte value) const {
    std::fill_n(AddressOf(at), BytesOf(type_), value);
  }

  void Swap(const Position& at, const Position& other) const {
    const double value = Get(at);
    Set(at, Get(other));
    Set(other, value);
  }

 private:
  [[nodiscard]] std::byte* AddressOf(const Position& at) const {
    return static_cast<std::byte*>(view_.data) + OffsetOf(view_, at) * BytesOf(type_);
  }

  DType type_;
  MatrixView view_;
};

class HostContestant final : public Contestant {
 public:
  using Spoil = std::function<void(const GemmParams&, const HostOutput&)>;

  explicit HostContestant(const GemmProblem& problem,
                          Spoil spoil = {},
                          std::int64_t workspace_zero_bytes = 0)
      : problem_(problem), spoil_(std::move(spoil)), workspace_zero_bytes_(workspace_zero_bytes) {}

  Status Launch(const GemmParams& params) const override {
    FakeKernels(problem_).Candidate(params);
    if (spoil_)
      spoil_(params, HostOutput(problem_, params.d));
    return OkStatus();
  }

  [[nodiscard]] std::int64_t workspace_bytes() const override { return 64; }

  [[nodiscard]] std::int64_t workspace_zero_bytes() const override { return workspace_zero_bytes_; }

 private:
  GemmProblem problem_;
  Spoil spoil_;
  std::int64_t workspace_zero_bytes_;
};

}  // namespace tw
