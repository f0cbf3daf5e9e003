// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/activation.h"

#include <array>
#include <cmath>
#include <numbers>

namespace tw {
namespace {

double Identity(double x) {
  return x;
}

// NaN compares false and passes through.
double Relu(double x) {
  return x < 0 ? 0.0 : x;
}

bool IsMinusInfinity(double x) {
  return std::isinf(x) && x < 0;
}

// x * Phi(x) by erfc, which keeps its relative accuracy where Phi(x) is tiny. -inf has the limit
// 0, not -inf * 0; in the ones below too.
double GeluErf(double x) {
  return IsMinusInfinity(x) ? 0 : 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2);
}

double GeluTanh(double x) {
  const double scale = std::sqrt(2 / std::numbers::pi);
  return IsMinusInfinity(x) ? 0 : 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

// x * sigmoid(x).
double Silu(double x) {
  return IsMinusInfinity(x) ? 0 : x / (1 + std::exp(-x));
}

constexpr std::array<Activation, 5> kActivations = {{
    {"none", "tw/epilogue/identity.cuh", "tw::Identity", Identity, 1, 0},
    {"relu", "tw/epilogue/relu.cuh", "tw::Relu", Relu, 1, 0},
    {"gelu_erf", "tw/epilogue/gelu.cuh", "tw::GeluErf", GeluErf, 1.13, 4},
    {"gelu_tanh", "tw/epilogue/gelu.cuh", "tw::GeluTanh", GeluTanh, 1.13, 6},
    {"silu", "tw/epilogue/silu.cuh", "tw::Silu", Silu, 1.1, 4},
}};

}  // namespace

std::span<const Activation> AllActivations() {
  return kActivations;
}

const Activation* FindActivation(std::string_view name) {
  for (const Activation& activation : kActivations) {
    if (activation.name == name)
      return &activation;
  }
  return nullptr;
}

}  // namespace tw
