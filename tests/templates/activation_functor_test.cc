// The device code of the activations, run on the host, against the registry's references.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>  // NOLINT(modernize-deprecated-headers): the device compiler's unqualified names

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "codegen/core/activation.h"
#include "tests/templates/emulation/machine.h"
#include "tw/epilogue/gelu.cuh"
#include "tw/epilogue/identity.cuh"
#include "tw/epilogue/relu.cuh"
#include "tw/epilogue/silu.cuh"

namespace tw {
namespace {

struct Functor {
  std::function<float(float)> in_float;
  std::function<double(double)> in_double;
};

template <class F>
Functor Of() {
  return {[](float x) { return F::Apply(x); }, [](double x) { return F::Apply(x); }};
}

const std::map<std::string, Functor, std::less<>>& Functors() {
  static const std::map<std::string, Functor, std::less<>> functors = {
      {"tw::Identity", Of<Identity>()}, {"tw::Relu", Of<Relu>()}, {"tw::GeluErf", Of<GeluErf>()},
      {"tw::GeluTanh", Of<GeluTanh>()}, {"tw::Silu", Of<Silu>()},
  };
  return functors;
}

const Functor& Of(const Activation& activation) {
  const auto at = Functors().find(activation.functor);
  EXPECT_NE(at, Functors().end()) << activation.functor << " is not tested here";
  return at->second;
}

TEST(ActivationFunctor, ErrsAtMostAsTheRegistrySays) {
  for (const Activation& activation : AllActivations()) {
    const Functor& functor = Of(activation);
    double worst_float = 0;
    double worst_double = 0;
    // Steps that no binary fraction shares.
    for (double x = -50; x <= 50; x += 0.0007213) {
      const auto argument = static_cast<float>(x);
      const double exact = activation.host(argument);
      const double got = functor.in_float(argument);
      const double unit = std::abs(static_cast<double>(argument)) * 0x1p-24;
      worst_float = std::max(worst_float, std::abs(got - exact) / unit);
      worst_double = std::max(worst_double, std::abs(functor.in_double(x) - activation.host(x)) /
                                                (std::abs(x) * 0x1p-53));
    }
    EXPECT_LE(worst_float, activation.rounding) << activation.name;
    EXPECT_LE(worst_double, 2 * activation.rounding) << activation.name;  // and the reference's own
    EXPECT_GE(worst_float, activation.rounding / 8) << activation.name << ": the row says too much";
  }
}

TEST(ActivationFunctor, TheEndsAndNan) {
  for (const Activation& activation : AllActivations().subspan(1)) {
    const Functor& functor = Of(activation);
    const auto both = [&](double x, double want) {
      EXPECT_EQ(functor.in_float(static_cast<float>(x)), static_cast<float>(want))
          << activation.name << " " << x;
      EXPECT_EQ(functor.in_double(x), want) << activation.name << " " << x;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    both(0, 0);
    both(1e30, 1e30);
    both(-1e30, 0);
    both(infinity, infinity);
    both(-infinity, 0);
    EXPECT_TRUE(std::isnan(functor.in_float(std::nanf("")))) << activation.name;
    EXPECT_TRUE(std::isnan(functor.in_double(std::nan("")))) << activation.name;
  }
}

}  // namespace
}  // namespace tw
