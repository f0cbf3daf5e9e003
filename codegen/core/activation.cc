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

// x * Phi(x) by erfc, which keeps its relative accuracy where Phi(x) is tiny.
double GeluErf(double x) {
  return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2);
}

double GeluTanh(double x) {
  const double scale = std::sqrt(2 / std::numbers::pi);
  return 0.5 * x * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

// x * sigmoid(x); -inf has the limit 0, not -inf * 0.
double Silu(double x) {
  return std::isinf(x) && x < 0 ? -0.0 : x / (1 + std::exp(-x));
}

constexpr std::array<Activation, 5> kActivations = {{
    {"none", "tw/epilogue/identity.cuh", "tw::Identity", Identity, true},
    {"relu", "tw/epilogue/relu.cuh", "tw::Relu", Relu, true},
    {"gelu_erf", "tw/epilogue/gelu.cuh", "tw::GeluErf", GeluErf, false},
    {"gelu_tanh", "tw/epilogue/gelu.cuh", "tw::GeluTanh", GeluTanh, false},
    {"silu", "tw/epilogue/silu.cuh", "tw::Silu", Silu, false},
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
