// How far a right result may lie from the reference. One place for the constants and their reason.
//
//   |d - ref| <= E + half an ulp of D's type at |ref| + E,   E = eps * (c0 + c1 * sqrt(K)) * S
//
// S = |alpha| * sum |a b| + |bias| + |beta c| is the element's magnitude (the reference kernel
// computes it), eps the unit round-off of the accumulator.
//
// The worst case, K * eps * S, is useless as a test: it passes partial sums kept in 16 bits. The
// operands are drawn with mean 0 (inputs.h), so a partial sum after k terms is about sqrt(k) and
// its rounding error about 0.4 eps sqrt(k).
//   Rounding to nearest (fp32 and fp64 units): errors are independent. Their sum has a standard
//   deviation of 0.4 eps K / sqrt(2) = 0.45 eps S, whatever K (S = 0.64 K); on the path of the most
//   extreme of 10^8 elements, whose partial sums grow to 5.5 sqrt(K), some 2 eps S. c0 = 8 leaves a
//   factor for the epilogue's own roundings, c1 = 0. For f64 the reference errs as much: c0 = 16.
//   Truncation (tensor cores cut towards zero when they add a group of g products: g = 16, 8 or 4
//   by type and generation): errors of one sign. K / g steps of 0.72 eps |partial sum| each: on the
//   most extreme path 0.72 * 5.5 eps sqrt(K) * K / (2 g) = 3.1 / g * eps S sqrt(K). 16-bit types, g
//   >= 8: 0.39, so c1 = 1/2. tf32, g >= 4: 0.78, so c1 = 1.
// What must be caught is far outside, even at K = 65536 and c1 = 1/2, where E = 0.34: a dropped
// term is 0.64 on average over all of D's elements, a wrong element sqrt(2 K), a partial sum
// rounded to bf16 about 0.004 sqrt(K) = 1. Integer sums are exact, and so are sums of small
// integers (inputs.h): E = 0 there. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/gemm_problem.h"
#include "tw/verify/params.h"

namespace tw {

// For operands drawn from N(0, 1). Requires: normalised.
ErrorBound BoundForNormal(const GemmProblem& problem);

// For small integers, whose sums every accumulator holds exactly: D is the rounded exact value.
ErrorBound BoundForIntegers(const GemmProblem& problem);

}  // namespace tw
