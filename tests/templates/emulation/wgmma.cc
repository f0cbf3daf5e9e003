// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/wgmma.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tw/swizzle.h"

namespace tw::emulation {

namespace {

constexpr std::size_t kRows = WarpgroupProducts::kRows;

// Where thread `thread` holds sum `i`: row and column.
struct Place {
  std::size_t row, col;
};

Place PlaceOf(std::size_t thread, std::size_t i) {
  return {thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + thread % 4 * 2 + i % 2};
}

// The fields of a matrix descriptor, offsets in bytes.
class Operand {
 public:
  Operand(std::uint64_t descriptor, bool mn_major, int element_bytes)
      : element_bytes_(static_cast<std::size_t>(element_bytes)),
        start_(Field(descriptor, 0)),
        leading_(Field(descriptor, 16)),
        stride_(Field(descriptor, 32)),
        mn_major_(mn_major),
        layout_(static_cast<unsigned>(descriptor >> 62U)),
        rest_(descriptor & kUnused) {}

  [[nodiscard]] std::string Error() const {
    if (rest_ != 0)
      return "a matrix descriptor with bits outside of its fields, or a base offset";
    if (layout_ == 0 && mn_major_)
      return "an MN-major operand without swizzle, which is not emulated";
    if (element_bytes_ != 2 && (mn_major_ || layout_ == 0))
      return "an operand of other than 16 bits that is not K-major, or not swizzled";
    return {};
  }

  // Of element (mn, k), within the window.
  [[nodiscard]] std::uint32_t Address(std::size_t mn, std::size_t k) const {
    std::size_t offset = 0;
    if (layout_ == 0) {
      offset = mn / 8 * stride_ + mn % 8 * 16 + k / 8 * leading_ + k % 8 * 2;
    } else {
      const std::size_t span = std::size_t{256} >> layout_;
      offset = mn_major_ ? mn / (span / 2) * leading_ + mn % (span / 2) * 2 + k / 8 * stride_ +
                               k % 8 * span
                         : mn / 8 * stride_ + mn % 8 * span + k * element_bytes_;
    }
    const auto address = static_cast<std::uint32_t>((start_ + offset) & 0x3ffffU);
    return layout_ == 0 ? address : SwizzleAddress(address, 4 - static_cast<int>(layout_));
  }

 private:
  // Bits outside of the start, the two offsets and the layout; bits 49 to 51 move the pattern.
  static constexpr std::uint64_t kUnused =
      ~((std::uint64_t{3} << 62U) | std::uint64_t{0x3fff} | (std::uint64_t{0x3fff} << 16U) |
        (std::uint64_t{0x3fff} << 32U));

  static std::size_t Field(std::uint64_t descriptor, unsigned bit) {
    return static_cast<std::size_t>(descriptor >> bit & 0x3fffU) * 16;
  }

  std::size_t element_bytes_;
  std::size_t start_, leading_, stride_;
  bool mn_major_;
  unsigned layout_;  // 0 none, 1, 2, 3: spans of 128, 64, 32 bytes
  std::uint64_t rest_;
};

// Rows (or columns) of one product's operand.
using Values = std::vector<double>;

// `count` x the product's depth, or what is wrong.
std::string Read(
    SharedMemory& shared, std::uint32_t base, const Product& product, bool is_a, Values& values) {
  const std::size_t depth = product.Depth();
  const auto bytes = static_cast<std::size_t>(product.element_bytes);
  const Operand operand(is_a ? product.a : product.b,
                        is_a ? product.mn_major_a : product.mn_major_b, product.element_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t address = operand.Address(i / depth, i % depth);
    const std::byte* from = address < base ? nullptr : shared.At(address - base, bytes, bytes);
    if (from == nullptr)
      return "wgmma reads shared address " + std::to_string(address);
    values[i] = (is_a ? product.widen_a : product.widen_b)(from);
  }
  return {};
}

// A thread's sums: floats or ints.
double GetSum(const void* registers, std::size_t i, bool integers) {
  return integers ? static_cast<const int*>(registers)[i]
                  : static_cast<double>(static_cast<const float*>(registers)[i]);
}

void PutSum(void* registers, std::size_t i, bool integers, double x) {
  if (integers) {
    static_cast<int*>(registers)[i] = static_cast<int>(x);
  } else {
    static_cast<float*>(registers)[i] = static_cast<float>(x);
  }
}

// What a sum reads as while its product is in flight.
double InFlight(bool integers) {
  return integers ? std::numeric_limits<int>::min() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::shared_ptr<WarpgroupProducts::Sums> WarpgroupProducts::FindSums(std::size_t thread,
                                                                     const void* registers,
                                                                     int n) const {
  for (const auto& sums : open_) {
    if (sums->registers.at(thread) == registers && sums->n == n)
      return sums;
  }
  return nullptr;
}

std::string WarpgroupProducts::Issue(std::size_t thread, const Product& product, void* sums) {
  ThreadState& state = threads_.at(thread);
  if (!state.fenced)
    return "wgmma without a fence behind other uses of its registers";
  if (state.issued == first_ + queue_.size()) {
    for (const auto& [descriptor, mn_major] :
         {std::pair(product.a, product.mn_major_a), std::pair(product.b, product.mn_major_b)}) {
      std::string error = Operand(descriptor, mn_major, product.element_bytes).Error();
      if (!error.empty())
        return error;
    }
    Issued next{product, FindSums(thread, sums, product.n), 0};
    if (next.sums == nullptr) {
      next.sums = std::make_shared<Sums>();
      next.sums->n = product.n;
      next.sums->integers = product.integers;
      next.sums->values.resize(kRows * static_cast<std::size_t>(product.n));
      open_.push_back(next.sums);
    }
    queue_.push_back(std::move(next));
  }
  if (state.issued < first_)
    return "wgmma lost its warpgroup";
  Issued& issued = queue_[state.issued - first_];
  if (!(issued.product == product))
    return "the threads of a warpgroup issue different products";
  ++state.issued;
  std::string error = Join(thread, issued, sums);
  if (++issued.threads == kThreads)
    ++issued_;
  return error;
}

// The thread's registers leave its hands.
std::string WarpgroupProducts::Join(std::size_t thread, Issued& issued, void* registers) {
  Sums& sums = *issued.sums;
  sums.last.at(thread) = threads_.at(thread).issued;
  if (sums.registers.at(thread) == registers)
    return {};
  if (sums.registers.at(thread) != nullptr)
    return "the threads of a warpgroup use different accumulators";
  sums.registers.at(thread) = registers;
  const auto n = static_cast<std::size_t>(sums.n);
  for (std::size_t i = 0; i < n / 2; ++i) {
    const Place at = PlaceOf(thread, i);
    sums.values[at.row * n + at.col] = GetSum(registers, i, sums.integers);
    PutSum(registers, i, sums.integers, InFlight(sums.integers));
  }
  return {};
}

void WarpgroupProducts::Commit(std::size_t thread) {
  ThreadState& state = threads_.at(thread);
  state.groups.push_back(state.issued);
}

std::size_t WarpgroupProducts::Target(std::size_t thread, int pending) const {
  const auto& groups = threads_.at(thread).groups;
  const auto left = static_cast<std::size_t>(pending);
  return groups.size() <= left ? 0 : groups[groups.size() - 1 - left];
}

void WarpgroupProducts::Return(std::size_t thread, std::size_t target) {
  for (const auto& sums : open_) {
    void*& registers = sums->registers.at(thread);
    if (registers == nullptr || sums->last.at(thread) > target)
      continue;
    const auto n = static_cast<std::size_t>(sums->n);
    for (std::size_t i = 0; i < n / 2; ++i) {
      const Place at = PlaceOf(thread, i);
      PutSum(registers, i, sums->integers, sums->values[at.row * n + at.col]);
    }
    registers = nullptr;
    threads_.at(thread).fenced = false;
  }
  std::erase_if(open_, [this](const std::shared_ptr<Sums>& sums) {
    const bool queued = std::any_of(queue_.begin(), queue_.end(),
                                    [&](const Issued& issued) { return issued.sums == sums; });
    return !queued && std::all_of(sums->registers.begin(), sums->registers.end(),
                                  [](const void* r) { return r == nullptr; });
  });
}

std::string WarpgroupProducts::RunNext(SharedMemory& shared, std::uint32_t base) {
  const Issued next = std::move(queue_.front());
  queue_.pop_front();
  ++first_;
  ++ended_;
  const Product& product = next.product;
  const auto n = static_cast<std::size_t>(product.n);
  const std::size_t depth = product.Depth();
  Values a(kRows * depth);
  Values b(n * depth);
  std::string error = Read(shared, base, product, true, a);
  if (error.empty())
    error = Read(shared, base, product, false, b);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      double& sum = next.sums->values[row * n + col];
      double x = product.accumulate ? sum : 0;
      for (std::size_t k = 0; k < depth; ++k)
        x += a[row * depth + k] * b[col * depth + k];
      sum = x;
    }
  }
  return error;
}

}  // namespace tw::emulation
