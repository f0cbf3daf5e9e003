// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/host_elements.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "codegen/core/check.h"

namespace tw {
namespace {

template <class T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
void Store(T value, std::byte* bytes) {
  std::memcpy(bytes, &value, sizeof(T));
}

// IEEE-like 16-bit formats: sign, exponent, `mantissa` bits.
double Decode16(std::uint16_t bits, int mantissa, int min_exponent) {
  const auto width = static_cast<unsigned>(mantissa);
  const unsigned fraction = bits & ((1U << width) - 1U);
  const unsigned field = (bits & 0x7fffU) >> width;
  const unsigned top = 0x7fffU >> width;
  double value = 0;
  if (field == top) {
    value = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                          : std::numeric_limits<double>::infinity();
  } else if (field == 0) {
    value = std::ldexp(static_cast<double>(fraction), min_exponent - mantissa);
  } else {
    value = std::ldexp(static_cast<double>(fraction + (1U << width)),
                       static_cast<int>(field) - 1 + min_exponent - mantissa);
  }
  return (bits & 0x8000U) != 0 ? -value : value;
}

std::uint16_t Encode16(double value, int mantissa, int min_exponent) {
  const auto width = static_cast<unsigned>(mantissa);
  const std::uint64_t infinity = (0x7fffU >> width) << width;
  const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
  if (std::isnan(value))
    return 0x7fffU;
  const double size = std::abs(value);
  std::uint64_t bits = infinity;
  if (size < std::ldexp(1.0, 2 - min_exponent)) {  // a power of two above every finite value
    const int exponent = size == 0 ? min_exponent : std::max(std::ilogb(size), min_exponent);
    // The implicit bit carries into the exponent field; so does a rounding to the next power.
    const double steps = std::nearbyint(std::ldexp(size, mantissa - exponent));
    bits = (static_cast<std::uint64_t>(exponent - min_exponent) << width) +
           static_cast<std::uint64_t>(steps);
  }
  return static_cast<std::uint16_t>(sign | std::min(bits, infinity));
}

template <class T>
void StoreInteger(double value, std::byte* bytes) {
  constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
  const double rounded = std::isnan(value) ? 0 : std::nearbyint(value);
  Store(static_cast<T>(std::clamp(rounded, kLow, kHigh)), bytes);
}

}  // namespace

double LoadElement(DType type, const std::byte* bytes) {
  const DTypeInfo& info = Info(type);
  switch (type) {
    case DType::kF64:
      return Load<double>(bytes);
    case DType::kF32:
    case DType::kTf32:
      return static_cast<double>(Load<float>(bytes));
    case DType::kF16:
    case DType::kBf16:
      return Decode16(Load<std::uint16_t>(bytes), info.mantissa_bits, info.min_exponent);
    case DType::kS8:
      return Load<std::int8_t>(bytes);
    case DType::kS32:
      return Load<std::int32_t>(bytes);
    case DType::kE4m3:
    case DType::kE5m2:
      break;
  }
  TW_CHECK(false);  // Normalize refuses fp8
}

void StoreElement(DType type, double value, std::byte* bytes) {
  const DTypeInfo& info = Info(type);
  switch (type) {
    case DType::kF64:
      return Store(value, bytes);
    case DType::kF32:
    case DType::kTf32:
      return Store(static_cast<float>(value), bytes);
    case DType::kF16:
    case DType::kBf16:
      return Store(Encode16(value, info.mantissa_bits, info.min_exponent), bytes);
    case DType::kS8:
      return StoreInteger<std::int8_t>(value, bytes);
    case DType::kS32:
      return StoreInteger<std::int32_t>(value, bytes);
    case DType::kE4m3:
    case DType::kE5m2:
      break;
  }
  TW_CHECK(false);
}

}  // namespace tw
