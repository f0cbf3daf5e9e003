// The problems of the emulation tests: matrices, parameters, and what the kernel must make of them.
// Included after machine.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/templates/emulation/machine.h"
#include "tw/dtype.cuh"
#include "tw/epilogue/identity.cuh"
#include "tw/epilogue/linear.cuh"
#include "tw/epilogue/relu.cuh"
#include "tw/ptx/mma_sync.cuh"

namespace tw::emulation {

// What a case's problem is made of; `a_row` and so on: row-major.
struct Traits {
  bool a_row = true, b_row = false, d_row = true;
  Scalar alpha = Scalar::kOne, beta = Scalar::kZero;
  Bias bias = Bias::kNone;
  Scale scale = Scale::kNone;
};

template <class T, class Out, Traits kTraits, class OtherB = T>
struct ProblemOf {
  using A = T;
  using B = OtherB;
  using C = Out;
  using D = Out;
  using Acc = std::conditional_t<std::is_same_v<T, s8>, int, float>;
  using Activation = std::conditional_t<kTraits.bias == Bias::kNone, Identity, Relu>;
  static constexpr bool kARowMajor = kTraits.a_row, kBRowMajor = kTraits.b_row;
  static constexpr bool kCRowMajor = kTraits.d_row, kDRowMajor = kTraits.d_row;
  static constexpr Scalar kAlpha = kTraits.alpha, kBeta = kTraits.beta;
  static constexpr Bias kBias = kTraits.bias;
  static constexpr Scale kScale = kTraits.scale;
};

// `kValue`: a family's plan.
template <auto kValue>
struct CandidateOf {
  static constexpr auto kPlan = kValue;
};

struct Size {
  int64 m, n, k, batch = 1;
  bool broadcast_a = false, broadcast_b = false;
};

template <class T>
T FromInt(int value) {
  if constexpr (std::is_same_v<T, s8> || std::is_same_v<T, int> || std::is_same_v<T, float>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, tf32>) {
    return {static_cast<float>(value)};
  } else {
    return Narrow<T>::From(static_cast<float>(value));
  }
}

// Matrices in a buffer of NaN (of a large number where the type has none), aligned to `align` bytes
// and not to more. One item serves a whole batch.
template <class T>
class Matrix {
 public:
  Matrix(int64 rows, int64 cols, int64 items, bool row_major, int align)
      : row_major_(row_major), lines_(row_major ? rows : cols) {
    const int64 unit = std::max<int64>(1, align / static_cast<int64>(sizeof(T)));
    length_ = row_major ? cols : rows;
    ld_ = RoundUp(std::max<int64>(length_, 1), unit) + unit;
    const int64 item = ld_ * lines_ + unit;
    stride_ = items > 1 ? item : 0;
    bytes_.assign(static_cast<std::size_t>(item * items) * sizeof(T) + 1024, std::byte{0xff});
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    const std::uintptr_t aligned = (address + 511) / 256 * 256 + static_cast<std::uintptr_t>(align);
    data_ = reinterpret_cast<T*>(aligned);
  }

  T& At(int64 item, int64 row, int64 col) {
    return data_[item * stride_ + (row_major_ ? row * ld_ + col : col * ld_ + row)];
  }

  [[nodiscard]] T* data() const { return data_; }

  [[nodiscard]] int64 ld() const { return ld_; }

  [[nodiscard]] int64 stride() const { return stride_; }

  // Bytes other than 0xff outside of the matrix: what a kernel wrote there.
  [[nodiscard]] int StrayBytes(int64 batch) const {
    std::vector<bool> inside(bytes_.size());
    const auto first = reinterpret_cast<const std::byte*>(data_) - bytes_.data();
    for (int64 item = 0; item < batch; ++item) {
      for (int64 line = 0; line < lines_; ++line) {
        const auto at = first + (item * stride_ + line * ld_) * static_cast<int64>(sizeof(T));
        std::fill_n(inside.begin() + at, length_ * static_cast<int64>(sizeof(T)), true);
      }
    }
    int stray = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      stray += !inside[i] && bytes_[i] != std::byte{0xff} ? 1 : 0;
    return stray;
  }

 private:
  bool row_major_;
  int64 lines_;
  int64 length_ = 0, ld_ = 0, stride_ = 0;
  std::vector<std::byte> bytes_;
  T* data_ = nullptr;
};

// Alignment in bytes of what a kernel copies.
struct Alignments {
  int a = 16, b = 16, d = 16;
};

// NaN behind the first `zeroed` bytes.
struct Workspace {
  int64 bytes = 0, zeroed = 0;
};

// Of the sums of `slices` slices that a second kernel adds up; none for one slice.
template <class Acc>
Workspace SliceWorkspace(const Size& size, int slices) {
  return {slices > 1 ? slices * size.batch * size.m * size.n * int64{sizeof(Acc)} : 0, 0};
}

// A problem of small integers, so that all sums are exact, and its machine.
template <class P>
class GemmCase {
 public:
  static constexpr double kAlpha = 2;
  static constexpr double kBeta = -3;

  GemmCase(const Size& size,
           const Alignments& align,
           const Workspace& workspace,
           std::uint64_t seed)
      : size_(size),
        random_(seed),
        machine_(seed),
        a_(size.m, size.k, size.broadcast_a ? 1 : size.batch, P::kARowMajor, align.a),
        b_(size.k, size.n, size.broadcast_b ? 1 : size.batch, P::kBRowMajor, align.b),
        c_(size.m, size.n, size.batch, P::kCRowMajor, 16),
        d_(size.m, size.n, size.batch, P::kDRowMajor, align.d),
        bias_(static_cast<std::size_t>(std::max(size.m, size.n))),
        scale_a_(P::kScale == Scale::kTensor ? 1 : static_cast<std::size_t>(size.m)),
        scale_b_(P::kScale == Scale::kTensor ? 1 : static_cast<std::size_t>(size.n)),
        workspace_bytes_(workspace.bytes),
        workspace_(static_cast<std::size_t>(workspace.bytes) + kWorkspaceAlign, std::byte{0xff}) {
    std::memset(WorkspaceData(), 0, static_cast<std::size_t>(workspace.zeroed));
    Fill(a_, size.m, size.k);
    Fill(b_, size.k, size.n);
    Fill(c_, size.m, size.n);
    for (auto& x : bias_)
      x = FromInt<BiasType>(Draw());
    for (std::vector<float>* scales : {&scale_a_, &scale_b_}) {
      for (float& x : *scales)
        x = static_cast<float>(Draw());
    }
  }

  GemmParams Params() {
    GemmParams p{};
    p.a = P::kAlpha == Scalar::kZero ? nullptr : a_.data();
    p.b = P::kAlpha == Scalar::kZero ? nullptr : b_.data();
    p.c = P::kBeta == Scalar::kZero ? nullptr : c_.data();
    p.d = d_.data();
    p.bias = P::kBias == Bias::kNone ? nullptr : bias_.data();
    p.scale_a = P::kScale == Scale::kNone ? nullptr : scale_a_.data();
    p.scale_b = P::kScale == Scale::kNone ? nullptr : scale_b_.data();
    p.workspace = workspace_bytes_ == 0 ? nullptr : WorkspaceData();
    p.m = size_.m;
    p.n = size_.n;
    p.k = size_.k;
    p.batch = size_.batch;
    p.lda = a_.ld();
    p.ldb = b_.ld();
    p.ldc = c_.ld();
    p.ldd = d_.ld();
    p.stride_a = a_.stride();
    p.stride_b = b_.stride();
    p.stride_c = c_.stride();
    p.stride_d = d_.stride();
    p.alpha = kAlpha;
    p.beta = kBeta;
    return p;
  }

  // Elements of D that are not what they must be.
  int CountWrong() {
    int wrong = 0;
    for (int64 item = 0; item < size_.batch; ++item) {
      for (int64 row = 0; row < size_.m; ++row) {
        for (int64 col = 0; col < size_.n; ++col)
          wrong += ToFloat(d_.At(item, row, col)) == ToFloat(Expected(item, row, col)) ? 0 : 1;
      }
    }
    return wrong;
  }

  void Check() {
    EXPECT_EQ(CountWrong(), 0) << "of " << size_.m * size_.n * size_.batch << " elements";
    EXPECT_EQ(d_.StrayBytes(size_.batch), 0) << "written outside of D";
  }

  Matrix<typename P::A>& a() { return a_; }

  Matrix<typename P::B>& b() { return b_; }

  Matrix<typename P::D>& d() { return d_; }

  Machine& machine() { return machine_; }

  std::byte* WorkspaceData() {
    const auto address = reinterpret_cast<std::uintptr_t>(workspace_.data());
    return workspace_.data() + (kWorkspaceAlign - address % kWorkspaceAlign);
  }

  [[nodiscard]] const Size& size() const { return size_; }

 private:
  using BiasType = typename LinearEpilogue<P>::BiasType;

  static constexpr std::size_t kWorkspaceAlign = 128;

  int Draw() { return static_cast<int>(random_() % 7) - 3; }

  template <class T>
  void Fill(Matrix<T>& matrix, int64 rows, int64 cols) {
    for (int64 item = 0; item < size_.batch; ++item) {
      for (int64 row = 0; row < rows; ++row) {
        for (int64 col = 0; col < cols; ++col)
          matrix.At(item, row, col) = FromInt<T>(Draw());
      }
    }
  }

  // A tf32 product's operands are rounded first; the others hold what they hold.
  template <class TA, class TB>
  static double Product(TA a, TB b) {
    if constexpr (std::is_same_v<TA, tf32>) {
      auto round = [](tf32 x) {
        return static_cast<double>(
            std::bit_cast<float>(RoundToTf32(std::bit_cast<uint32>(x.value))));
      };
      return round(a) * round(b);
    } else {
      return static_cast<double>(Widen<float>(a)) * static_cast<double>(Widen<float>(b));
    }
  }

  typename P::D Expected(int64 item, int64 row, int64 col) {
    double sum = 0;
    for (int64 k = 0; k < size_.k; ++k)
      sum += Product(a_.At(item, row, k), b_.At(item, k, col));
    if (P::kScale != Scale::kNone)
      sum *= static_cast<double>(
          scale_a_[P::kScale == Scale::kRowCol ? static_cast<std::size_t>(row) : 0] *
          scale_b_[P::kScale == Scale::kRowCol ? static_cast<std::size_t>(col) : 0]);
    double x = P::kAlpha == Scalar::kZero ? 0 : (P::kAlpha == Scalar::kOne ? sum : kAlpha * sum);
    if (P::kBias == Bias::kCol)
      x += static_cast<double>(ToFloat(bias_[static_cast<std::size_t>(col)]));
    if (P::kBias == Bias::kRow)
      x += static_cast<double>(ToFloat(bias_[static_cast<std::size_t>(row)]));
    if (P::kBias != Bias::kNone)
      x = std::max(x, 0.0);
    if (P::kBeta != Scalar::kZero)
      x += (P::kBeta == Scalar::kOne ? 1 : kBeta) * ToFloat(c_.At(item, row, col));
    if constexpr (std::is_same_v<typename P::D, int>) {
      return static_cast<int>(x);
    } else {
      return Narrow<typename P::D>::From(static_cast<float>(x));
    }
  }

  Size size_;
  std::mt19937_64 random_;
  Machine machine_;
  Matrix<typename P::A> a_;
  Matrix<typename P::B> b_;
  Matrix<typename P::C> c_;
  Matrix<typename P::D> d_;
  std::vector<BiasType> bias_;
  std::vector<float> scale_a_, scale_b_;
  int64 workspace_bytes_;
  std::vector<std::byte> workspace_;
};

}  // namespace tw::emulation
