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

// e4m3 keeps its last exponent for values; e5m2 is an IEEE-like half with fewer bits.
double DecodeE4m3(std::uint8_t bits) {
  constexpr int kMantissa = 3, kMinExponent = -6;
  const int size = bits & 0x7f;
  const int field = size >> kMantissa;
  const int fraction = size & 0x7;
  double value = std::numeric_limits<double>::quiet_NaN();
  if (size != 0x7f)
    value = field == 0 ? std::ldexp(fraction, kMinExponent - kMantissa)
                       : std::ldexp(fraction + 8, field - 1 + kMinExponent - kMantissa);
  return (bits & 0x80) != 0 ? -value : value;
}

double Decode8(DType type, std::uint8_t bits) {
  if (type == DType::kE4m3)
    return DecodeE4m3(bits);
  const DTypeInfo& half = Info(DType::kF16);
  return Decode16(static_cast<std::uint16_t>(bits << 8U), half.mantissa_bits, half.min_exponent);
}

// The code of the nearest value, the even one of two, by search: codes of one sign order as values.
std::uint8_t Encode8(DType type, double value) {
  if (std::isnan(value))
    return 0x7f;
  const std::uint8_t last = type == DType::kE4m3 ? 0x7e : 0x7b;
  const double size = std::min(std::abs(value), MaxFinite(type));
  std::uint8_t above = 0;
  while (above < last && Decode8(type, above) < size)
    ++above;
  std::uint8_t code = above;
  if (above > 0 && Decode8(type, above) != size) {
    const auto below = static_cast<std::uint8_t>(above - 1);
    const double up = Decode8(type, above) - size;
    const double down = size - Decode8(type, below);
    code = down < up || (down == up && below % 2 == 0) ? below : above;
  }
  return static_cast<std::uint8_t>(code | (std::signbit(value) ? 0x80 : 0));
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
      return Decode8(type, Load<std::uint8_t>(bytes));
  }
  TW_CHECK(false);
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
      return Store(Encode8(type, value), bytes);
  }
  TW_CHECK(false);
}

}  // namespace tw
