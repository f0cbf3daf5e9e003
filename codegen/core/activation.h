// Activations of the epilogue: one row each; the row names the template piece that implements it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tw {

struct Activation {
  std::string_view name;     // as users write it and as the key text spells it: "relu"
  std::string_view header;   // template piece: "tw/epilogue/relu.cuh"
  std::string_view functor;  // device functor: "tw::Relu"
  double (*host)(double);    // reference in double precision; NaN in, NaN out
  double slope;              // the largest |derivative|: what an error of the argument becomes
  // The functor's own error at most, in unit round-offs of the type it computes in times
  // |argument|.
  double rounding;
};

// "none" is the first row (header "tw/epilogue/identity.cuh", functor "tw::Identity").
std::span<const Activation> AllActivations();

// nullptr where unknown.
const Activation* FindActivation(std::string_view name);

}  // namespace tw
