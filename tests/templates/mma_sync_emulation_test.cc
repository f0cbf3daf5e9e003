// The mma.sync kernels, run thread by thread on the host by an emulation of the instructions that
// they use: exact results for every kind of copy, fragment and store, at every kind of edge. Inputs
// are small integers, so that all sums are exact; what no result may depend on is NaN.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include "tests/templates/emulation/machine.h"
#include "tw/epilogue/identity.cuh"
#include "tw/epilogue/relu.cuh"
#include "tw/families/mma_sync.cuh"

namespace tw {
namespace {

using mma_sync::Plan;

// What a case's problem is made of; `a_row` and so on: row-major.
struct Traits {
  bool a_row = true, b_row = false, d_row = true;
  Scalar alpha = Scalar::kOne, beta = Scalar::kZero;
  Bias bias = Bias::kNone;
};

template <class T, class Out, Traits kTraits>
struct ProblemOf {
  using A = T;
  using B = T;
  using C = Out;
  using D = Out;
  using Acc = std::conditional_t<std::is_same_v<T, s8>, int, float>;
  using Activation = std::conditional_t<kTraits.bias == Bias::kNone, Identity, Relu>;
  static constexpr bool kARowMajor = kTraits.a_row, kBRowMajor = kTraits.b_row;
  static constexpr bool kCRowMajor = kTraits.d_row, kDRowMajor = kTraits.d_row;
  static constexpr Scalar kAlpha = kTraits.alpha, kBeta = kTraits.beta;
  static constexpr Bias kBias = kTraits.bias;
};

template <Plan kValue>
struct CandidateOf {
  static constexpr Plan kPlan = kValue;
};

struct Size {
  int64 m, n, k, batch = 1;
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

// A matrix in a buffer of NaN (of a large number where the type has none), aligned to `align` bytes
// and not to more.
template <class T>
class Matrix {
 public:
  Matrix(int64 rows, int64 cols, int64 batch, bool row_major, int align)
      : row_major_(row_major), lines_(row_major ? rows : cols) {
    const int64 unit = std::max<int64>(1, align / static_cast<int64>(sizeof(T)));
    length_ = row_major ? cols : rows;
    ld_ = RoundUp(std::max<int64>(length_, 1), unit) + unit;
    stride_ = ld_ * lines_ + unit;
    bytes_.assign(static_cast<std::size_t>(stride_ * batch) * sizeof(T) + 1024, std::byte{0xff});
    const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
    const std::uintptr_t aligned =
        (address + 511) / 256 * 256 + static_cast<std::uintptr_t>(align < 16 ? align : 0);
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

template <class P>
class Case {
 public:
  static constexpr double kAlpha = 2;
  static constexpr double kBeta = -3;

  Case(const Size& size, const Plan& plan, std::uint64_t seed)
      : size_(size),
        random_(seed),
        machine_(seed),
        a_(size.m, size.k, size.batch, P::kARowMajor, plan.copy_bytes_a),
        b_(size.k, size.n, size.batch, P::kBRowMajor, plan.copy_bytes_b),
        c_(size.m, size.n, size.batch, P::kCRowMajor, 16),
        d_(size.m, size.n, size.batch, P::kDRowMajor, plan.split_k > 1 ? 16 : plan.store_bytes),
        bias_(static_cast<std::size_t>(std::max(size.m, size.n))),
        workspace_(plan.split_k > 1
                       ? static_cast<std::size_t>(plan.split_k * size.batch * size.m * size.n) + 4
                       : 0) {
    Fill(a_, size.m, size.k);
    Fill(b_, size.k, size.n);
    Fill(c_, size.m, size.n);
    for (auto& x : bias_)
      x = FromInt<typename P::D>(Draw());
  }

  template <Plan kPlan>
  void Run(unsigned blocks) {
    const GemmParams params = Params();
    machine_.Launch(blocks, static_cast<unsigned>(mma_sync::Threads(kPlan)),
                    [&] { mma_sync::Gemm<P, CandidateOf<kPlan>>::Run(params); });
    if constexpr (kPlan.split_k > 1)
      machine_.Launch(2, 64, [&] { SplitKReduce<P, kPlan.split_k>::Run(params); });
    EXPECT_EQ(machine_.error(), "");
  }

  void Check() {
    int wrong = 0;
    for (int64 item = 0; item < size_.batch; ++item) {
      for (int64 row = 0; row < size_.m; ++row) {
        for (int64 col = 0; col < size_.n; ++col)
          wrong += ToFloat(d_.At(item, row, col)) == ToFloat(Expected(item, row, col)) ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0) << "of " << size_.m * size_.n * size_.batch << " elements";
    EXPECT_EQ(d_.StrayBytes(size_.batch), 0) << "written outside of D";
  }

  Matrix<typename P::A>& a() { return a_; }

 private:
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

  GemmParams Params() {
    GemmParams p{};
    p.a = P::kAlpha == Scalar::kZero ? nullptr : a_.data();
    p.b = P::kAlpha == Scalar::kZero ? nullptr : b_.data();
    p.c = P::kBeta == Scalar::kZero ? nullptr : c_.data();
    p.d = d_.data();
    p.bias = P::kBias == Bias::kNone ? nullptr : bias_.data();
    const auto address = reinterpret_cast<std::uintptr_t>(workspace_.data());
    p.workspace = workspace_.empty() ? nullptr : reinterpret_cast<void*>((address + 15) / 16 * 16);
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

  // A tf32 product's operands are rounded first; the others hold what they hold.
  template <class T>
  static double Product(T a, T b) {
    if constexpr (std::is_same_v<T, tf32>) {
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
  emulation::Machine machine_;
  Matrix<typename P::A> a_;
  Matrix<typename P::B> b_;
  Matrix<typename P::C> c_;
  Matrix<typename P::D> d_;
  std::vector<typename P::D> bias_;
  std::vector<typename P::Acc> workspace_;
};

constexpr Plan MakePlan(Traits traits, int element_bytes, int tile_m, int tile_n, int k_bytes) {
  Plan plan{};
  plan.tile_m = tile_m;
  plan.tile_n = tile_n;
  plan.tile_k = k_bytes / element_bytes;
  plan.warp_m = tile_m < 32 ? 16 : 32;
  plan.warp_n = tile_n < 32 ? 16 : 32;
  plan.stages = 3;
  plan.group_m = 2;
  plan.split_k = 1;
  plan.element_bytes = element_bytes;
  plan.k_major_a = traits.a_row;
  plan.k_major_b = !traits.b_row;
  plan.copy_bytes_a = plan.copy_bytes_b = 16;
  plan.store_bytes = 16;
  plan.min_blocks = 1;
  return plan;
}

constexpr Plan WithCopies(Plan plan, int a, int b, int store) {
  plan.copy_bytes_a = a;
  plan.copy_bytes_b = b;
  plan.store_bytes = store;
  return plan;
}

constexpr Plan WithStages(Plan plan, int stages) {
  plan.stages = stages;
  return plan;
}

constexpr Plan WithSplit(Plan plan, int split_k, int store) {
  plan.split_k = split_k;
  plan.store_bytes = store;
  return plan;
}

constexpr Plan WithWarps(Plan plan, int warp_m, int warp_n) {
  plan.warp_m = warp_m;
  plan.warp_n = warp_n;
  return plan;
}

template <class P, Plan kPlan>
void RunCase(const Size& size, std::uint64_t seed = 1) {
  SCOPED_TRACE("m " + std::to_string(size.m) + " n " + std::to_string(size.n) + " k " +
               std::to_string(size.k) + " batch " + std::to_string(size.batch));
  Case<P> test(size, kPlan, seed);
  const int64 items =
      CeilDiv(size.m, kPlan.tile_m) * CeilDiv(size.n, kPlan.tile_n) * size.batch * kPlan.split_k;
  // A grid that is too small, where the plan says that it may be.
  test.template Run<kPlan>(static_cast<unsigned>(kPlan.huge ? (items + 1) / 2 : items));
  test.Check();
}

// A whole tile and edges in every direction; less than one of anything; no K.
template <class P, Plan kPlan>
void RunSizes() {
  RunCase<P, kPlan>({kPlan.tile_m + 3, kPlan.tile_n + 17, kPlan.tile_k * 3 + 5});
  RunCase<P, kPlan>({5, 7, kPlan.tile_k - 1, 2}, 2);
  RunCase<P, kPlan>({1, 3, 0}, 3);
}

template <class T, class Out, bool kARow, bool kBRow>
void RunLayout() {
  constexpr Traits kTraits{.a_row = kARow, .b_row = kBRow};
  constexpr Traits kColumnD{.a_row = kARow, .b_row = kBRow, .d_row = false};
  constexpr int kBytes = static_cast<int>(sizeof(T));
  constexpr Plan kWide = WithWarps(MakePlan(kColumnD, kBytes, 32, 64, 128), 32, 64);
  RunSizes<ProblemOf<T, Out, kTraits>, MakePlan(kTraits, kBytes, 64, 32, 64)>();
  RunSizes<ProblemOf<T, Out, kColumnD>, WithStages(kWide, 2)>();
}

template <class T, class Out>
void RunLayouts() {
  RunLayout<T, Out, true, false>();
  RunLayout<T, Out, true, true>();
  RunLayout<T, Out, false, false>();
  RunLayout<T, Out, false, true>();
}

TEST(MmaSyncKernel, Bf16InEveryLayout) {
  RunLayouts<bf16, bf16>();
}

TEST(MmaSyncKernel, F16WithF32Output) {
  RunLayouts<f16, float>();
}

TEST(MmaSyncKernel, Tf32InEveryLayout) {
  RunLayouts<tf32, float>();
}

TEST(MmaSyncKernel, S8InEveryLayout) {
  RunLayouts<s8, int>();
}

template <class T, class Out, bool kARow, bool kBRow, int kCopyA, int kCopyB, int kStore>
void RunAlignment() {
  constexpr Traits kTraits{.a_row = kARow, .b_row = kBRow};
  constexpr int kBytes = static_cast<int>(sizeof(T));
  RunSizes<ProblemOf<T, Out, kTraits>,
           WithCopies(MakePlan(kTraits, kBytes, 32, 64, 64), kCopyA, kCopyB, kStore)>();
}

TEST(MmaSyncKernel, NarrowCopies) {
  RunAlignment<bf16, bf16, true, false, 8, 4, 8>();
  RunAlignment<bf16, bf16, false, true, 4, 8, 4>();
  RunAlignment<tf32, float, true, false, 4, 8, 4>();
  RunAlignment<tf32, float, false, true, 8, 4, 8>();
  RunAlignment<s8, int, true, false, 4, 8, 4>();
}

TEST(MmaSyncKernel, CopiesThroughRegisters) {
  RunAlignment<bf16, bf16, true, false, 2, 2, 2>();
  RunAlignment<bf16, bf16, false, true, 2, 2, 2>();
  RunAlignment<bf16, bf16, true, true, 16, 2, 16>();
  RunAlignment<f16, float, false, false, 2, 8, 4>();
  RunAlignment<s8, int, true, false, 1, 1, 4>();
  RunAlignment<s8, int, false, true, 1, 16, 8>();
}

TEST(MmaSyncKernel, OneWarpAndFewRows) {
  constexpr Traits kTraits{};
  using P = ProblemOf<bf16, bf16, kTraits>;
  RunSizes<P, MakePlan(kTraits, 2, 16, 16, 128)>();
  RunSizes<P, WithStages(WithWarps(MakePlan(kTraits, 2, 16, 32, 256), 16, 16), 4)>();
  RunSizes<P, WithCopies(MakePlan(kTraits, 2, 16, 16, 64), 2, 2, 2)>();
}

TEST(MmaSyncKernel, LargeTiles) {
  constexpr Traits kTraits{};
  constexpr Traits kMnMajor{.a_row = false, .b_row = true};
  RunCase<ProblemOf<bf16, bf16, kTraits>, WithWarps(MakePlan(kTraits, 2, 128, 256, 64), 64, 64)>(
      {130, 70, 100});
  RunCase<ProblemOf<bf16, bf16, kMnMajor>, WithWarps(MakePlan(kMnMajor, 2, 256, 128, 64), 64, 64)>(
      {70, 130, 100});
  RunCase<ProblemOf<s8, int, kMnMajor>, WithWarps(MakePlan(kMnMajor, 1, 128, 128, 64), 64, 32)>(
      {100, 120, 100});
}

TEST(MmaSyncKernel, SplitKLeavesTheSumToTheReduction) {
  constexpr Traits kTraits{.alpha = Scalar::kOther, .beta = Scalar::kOther, .bias = Bias::kCol};
  constexpr Traits kColumnD{.d_row = false};
  constexpr Plan kPlan = MakePlan(kTraits, 2, 32, 64, 64);
  using P = ProblemOf<bf16, bf16, kTraits>;
  RunCase<P, WithSplit(kPlan, 3, 16)>({40, 68, 200});
  RunCase<P, WithSplit(kPlan, 4, 8)>({33, 66, 130, 2});
  RunCase<P, WithSplit(kPlan, 2, 4)>({33, 65, 33});
  RunCase<ProblemOf<bf16, bf16, kColumnD>, WithSplit(kPlan, 2, 4)>({33, 65, 100});
}

template <Traits kTraits>
void RunEpilogue() {
  RunSizes<ProblemOf<bf16, bf16, kTraits>, MakePlan(kTraits, 2, 32, 32, 64)>();
  RunSizes<ProblemOf<s8, int, kTraits>, MakePlan(kTraits, 1, 32, 32, 64)>();
}

TEST(MmaSyncKernel, Epilogues) {
  RunEpilogue<Traits{.alpha = Scalar::kOther, .beta = Scalar::kOther}>();
  RunEpilogue<Traits{.d_row = false, .beta = Scalar::kOne, .bias = Bias::kRow}>();
  RunEpilogue<Traits{.alpha = Scalar::kOther, .bias = Bias::kCol}>();
  // Neither A nor B exists.
  RunEpilogue<Traits{.alpha = Scalar::kZero, .beta = Scalar::kOne}>();
}

TEST(MmaSyncKernel, BlocksWalkOnWhereTheGridIsTooSmall) {
  constexpr Traits kTraits{};
  constexpr Plan kPlan = [] {
    Plan plan = MakePlan(Traits{}, 2, 32, 32, 64);
    plan.huge = true;
    return plan;
  }();
  RunSizes<ProblemOf<bf16, bf16, kTraits>, kPlan>();
}

// 1 + 2^-11 lies between two tf32 numbers and goes away from zero, to 1 + 2^-10.
TEST(MmaSyncKernel, Tf32OperandsAreRounded) {
  constexpr Traits kTraits{};
  constexpr Plan kPlan = MakePlan(kTraits, 4, 64, 64, 64);
  using P = ProblemOf<tf32, float, kTraits>;
  Case<P> test({16, 16, 16}, kPlan, 7);
  for (int64 row = 0; row < 16; ++row) {
    for (int64 k = 0; k < 16; ++k)
      test.a().At(0, row, k) = {1 + std::ldexp(1.0F, -11)};
  }
  test.Run<kPlan>(1);
  test.Check();
}

}  // namespace
}  // namespace tw
