// How far a right result may lie from the reference. One place for the constants and their reason.
//
//   |d - ref| <= E + half an ulp of D's type at |ref| + E,   E = eps * (c0 + c1 * sqrt(K)) * S
//
// S = |alpha scale| * sum |a b| + |bias| + |beta c| is the element's magnitude (the reference
// kernel computes it), eps the unit round-off of the accumulator.
//
// The worst case, K * eps * S, is useless as a test: it passes partial sums kept in 16 bits. The
// operands are drawn with mean 0 (inputs.h), so a partial sum after k terms is about sqrt(k).
//
// Rounding to nearest (fp32 and fp64 units): a rounding error is uniform over an ulp that follows
// the partial sum s_k, 0.42 eps |s_k| on average over a binade. An element's error has a standard
// deviation of 0.42 eps sqrt(sum s_k^2). The most extreme of N elements has an extreme path and an
// extreme draw at once: with R the normal quantile of 1 / N it reaches R^2 / 2 * 0.42 / sqrt(3) eps
// K = 0.19 R^2 eps S (S = 0.64 K), whatever K: 5.3 eps S for 2^24 elements (R = 5.3), 7 for 10^9,
// 9.2 for 10^12. Seen are 1.3 times as much (6.8 for 2^24 on an H200, 5.1 for 2 * 10^5 in the
// test): norms of rows and columns vary too. c0 = 12, c1 = 0. For f64 the reference errs as much,
// sqrt(2) more together: c0 = 18.
//
// The activation stretches that error by its slope at most and adds its own rounding, a few eps of
// its argument, which is at most S (codegen/core/activation.h). Of it nothing is exact any more.
//
// Truncation (tensor cores cut towards zero when they add a group of g products: g = 16, 8 or 4 by
// type and generation): errors of one sign. K / g steps of 0.72 eps |partial sum| each: on the most
// extreme path 0.72 * 5.5 eps sqrt(K) * K / (2 g) = 3.1 / g * eps S sqrt(K). 16-bit types, g >= 8:
// 0.39, so c1 = 1/2. tf32, g >= 4: 0.78, so c1 = 1.
//
// 8-bit floats: Hopper's tensor cores keep some 14 bits of a sum while they add. Promoted to fp32
// every 128 of k the errors of those blocks are independent: measured on an H200 (prototype and the
// vendor's library alike) 1.26e-4 of a result's standard deviation, sqrt(K), for K from 2048 to
// 8192. 12 of those deviations are 2.4e-3 S / sqrt(K) (S = 0.64 K). That is an average over what a
// block's sum may be: the bits that are cut off follow the largest number at hand. A block whose
// sum is 5.5 deviations out, 62, cuts at 2^(5 - 13); 132 cuts of that (four instructions of 33
// addends) have a deviation of 0.013, and 4 of those, for both are extreme at once, are 0.05: 0.08
// S / K, for one block in a sum. Seen is 1.0 of 2.4e-3 S / sqrt(K) alone at K = 127. Added up in
// the tensor cores
// ("fast") they follow the partial sum: 1.35e-3 sqrt(K) at K = 4096, 1.98e-3 at 8192, so 2.1e-5 K,
// and of one sign in part; 15 of those are 5e-4 S.
//
// A fast sum of K beyond 8192 is judged loosely by that: a dropped term may pass, and no trial's
// sums are exact there.
//
// What must be caught is far outside, even at K = 65536 and c1 = 1/2, where E = 0.35: a dropped
// term is 0.64 on average over all of D's elements, a wrong element sqrt(2 K), a partial sum
// rounded to bf16 about 0.004 sqrt(K) = 1. Integer sums are exact, and so are sums of small
// integers and of ones (inputs.h): E = 0 there. Cancelling sums stay shorter than random ones, and
// scales of rows and columns scale error and magnitude alike: the same bound.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "codegen/core/gemm_problem.h"
#include "tw/verify/params.h"

namespace tw {

// For operands drawn from N(0, 1). Requires: normalised.
ErrorBound BoundForNormal(const GemmProblem& problem);

// For small integers, whose sums every accumulator holds exactly: D is the rounded exact value.
ErrorBound BoundForIntegers(const GemmProblem& problem);

// How far the sum of a line of D with random signs may lie from the same sum of exact values. An
// element's error e_i is its accumulated error, at most E_i, and its rounding, whose mean square is
// (half ulp)^2 / 3. A sum of signed errors exceeds 8 sqrt(sum e_i^2) with a probability below 3e-14
// (Hoeffding). With E_i = E / terms each, the accumulated part is 8 E / sqrt(terms), and never more
// than E. `size`: sum of the elements' magnitudes; `rounding`: sum of (half an ulp of D)^2.
double ChecksumBound(const ErrorBound& bound, double size, double rounding, std::int64_t terms);

}  // namespace tw
