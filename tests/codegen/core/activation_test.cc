// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/activation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Apply(std::string_view name, double x) {
  const Activation* activation = FindActivation(name);
  EXPECT_NE(activation, nullptr) << name;
  return activation == nullptr ? 0 : activation->host(x);
}

TEST(Activation, NoneIsFirstAndNamesWhatItNeeds) {
  const Activation& none = AllActivations().front();
  EXPECT_EQ(none.name, "none");
  EXPECT_EQ(none.header, "tw/epilogue/identity.cuh");
  EXPECT_EQ(none.functor, "tw::Identity");
  EXPECT_EQ(FindActivation("relu")->header, "tw/epilogue/relu.cuh");
  EXPECT_EQ(FindActivation("relu")->functor, "tw::Relu");
}

TEST(Activation, KnownNames) {
  EXPECT_EQ(AllActivations().size(), 5U);
  for (const Activation& activation : AllActivations())
    EXPECT_EQ(FindActivation(activation.name), &activation);
  for (const char* unknown : {"", "Relu", "gelu", "tanh"})
    EXPECT_EQ(FindActivation(unknown), nullptr) << unknown;
}

TEST(Activation, KeepsNan) {
  for (const Activation& activation : AllActivations())
    EXPECT_TRUE(std::isnan(activation.host(std::nan("")))) << activation.name;
}

TEST(Activation, GoesToZeroAndToIdentityAtTheEnds) {
  for (const Activation& activation : AllActivations().subspan(1)) {
    EXPECT_EQ(activation.host(0), 0) << activation.name;
    EXPECT_NEAR(activation.host(-40), 0, 1e-12) << activation.name;
    EXPECT_EQ(activation.host(100), 100) << activation.name;
    EXPECT_EQ(activation.host(kInfinity), kInfinity) << activation.name;
  }
}

TEST(Activation, KnownValues) {
  EXPECT_EQ(Apply("none", -3.5), -3.5);
  EXPECT_EQ(Apply("relu", -3.5), 0);
  EXPECT_EQ(Apply("relu", 3.5), 3.5);
  for (const char* name : {"relu", "gelu_erf", "gelu_tanh", "silu"})
    EXPECT_EQ(Apply(name, -kInfinity), 0) << name;
  // Phi(1) = 0.8413447460685429, Phi(-6) = 9.865876450376946e-10.
  EXPECT_NEAR(Apply("gelu_erf", 1), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(Apply("gelu_erf", -6) / (-6 * 9.865876450376946e-10), 1, 1e-12);
  EXPECT_NEAR(Apply("gelu_tanh", 1), 0.8411919906082768, 1e-15);
  EXPECT_NEAR(Apply("silu", 1), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(Apply("silu", -2), -0.23840584404423517, 1e-15);
}

TEST(Activation, TheSlopeIsTheLargest) {
  constexpr double kStep = 1e-4;
  for (const Activation& activation : AllActivations()) {
    double steepest = 0;
    for (double x = -10; x <= 10; x += kStep) {
      const double slope = (activation.host(x + kStep) - activation.host(x)) / kStep;
      steepest = std::max(steepest, std::abs(slope));
    }
    EXPECT_LE(steepest, activation.slope + 1e-6) << activation.name;
    EXPECT_GE(steepest, activation.slope - 0.01) << activation.name;
  }
}

TEST(Activation, BothGelusAgreeToThreeDigits) {
  for (double x = -6; x <= 6; x += 0.125)
    EXPECT_NEAR(Apply("gelu_erf", x), Apply("gelu_tanh", x), 1e-3) << x;
}

}  // namespace
}  // namespace tw
