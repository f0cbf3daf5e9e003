// SPDX-License-Identifier: Apache-2.0
#include "naive_kernel.h"

#include "codegen/problem_traits.h"
#include "codegen/source_builder.h"
#include "codegen/source_text.h"

namespace tw {
namespace {

constexpr std::uint32_t kThreads = 128;

constexpr const char* kBody = R"cuda(
using P = Problem;

__device__ unsigned runs;

template <class T>
__device__ P::Acc Value(T x) {
  return tw::Widen<P::Acc>(x);
}

template <>
__device__ P::Acc Value<tw::tf32>(tw::tf32 x) {
  if (x.value != x.value)
    return static_cast<P::Acc>(x.value);
  unsigned add = kFault == 9 ? 0u : 0x1000u;
  return static_cast<P::Acc>(__uint_as_float((__float_as_uint(x.value) + add) & 0xffffe000u));
}

__device__ P::Acc Sum(const tw::GemmParams& p, tw::int64 item, tw::int64 row, tw::int64 col,
                      tw::int64 first, tw::int64 last) {
  const P::A* a = static_cast<const P::A*>(p.a) + item * p.stride_a;
  const P::B* b = static_cast<const P::B*>(p.b) + item * p.stride_b;
  P::Acc sum = 0;
  for (tw::int64 k = first; k < last; ++k) {
    sum += Value(a[P::kARowMajor ? row * p.lda + k : k * p.lda + row]) *
           Value(b[P::kBRowMajor ? k * p.ldb + col : col * p.ldb + k]);
  }
  return sum;
}

// A partial sum as a kernel that keeps its partial sums in D's type would have it.
__device__ P::Acc Rounded(P::Acc sum) {
  using Compute = tw::LinearEpilogue<P>::Compute;
  return static_cast<P::Acc>(tw::Widen<Compute>(tw::NarrowSum<P::D, P::Acc>::From(sum)));
}

extern "C" __global__ void naive(const tw::GemmParams p) {
  tw::int64 i = static_cast<tw::int64>(blockIdx.x) * blockDim.x + threadIdx.x;
  tw::int64 count = p.m * p.n * p.batch;
  if (i >= count)
    return;
  tw::int64 item = i / (p.m * p.n), row = i / p.n % p.m, col = i % p.n;
  bool last = i == count - 1;
  P::D* d = static_cast<P::D*>(p.d);
  P::Acc sum;
  if constexpr (kFault == 7) {
    sum = tw::Widen<P::Acc>(Rounded(Sum(p, item, row, col, 0, p.k / 2))) +
          tw::Widen<P::Acc>(Rounded(Sum(p, item, row, col, p.k / 2, p.k)));
  } else {
    sum = Sum(p, item, row, col, 0, kFault == 1 ? p.k - 1 : p.k);
  }
  if (kFault == 5 && last)
    sum += Value(static_cast<const P::A*>(p.a)[(p.batch - 1) * p.stride_a +
        (P::kARowMajor ? (p.m - 1) * p.lda + p.k : (p.k - 1) * p.lda + p.m)]);
  if (kFault == 8) {
    // All four words count: the assembler drops a load whose values go unused.
    int x, y, z, w;
    asm volatile("ld.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p.a));
    if ((x ^ y ^ z ^ w) == 0x12345678)
      sum = 0;
  }
  P::D value = tw::LinearEpilogue<P>::Finish(sum, p, item, row, col);
  tw::int64 at = tw::LinearEpilogue<P>::OffsetD(p, item, row, col);
  if (kFault == 2 && last)
    return;
  if (kFault == 6 && last)
    reinterpret_cast<unsigned char*>(&value)[0] ^= static_cast<unsigned char>(atomicAdd(&runs, 1u) & 1u);
  d[at] = value;
  if (kFault == 3 && last) {
    for (int j = 0; j < sizeof(P::D); ++j)
      reinterpret_cast<unsigned char*>(d + at)[j] = j == sizeof(P::D) - 1 ? 0x7f : 0xff;
  }
  if (kFault == 4 && last)
    d[at + 1] = value;
  if (kFault == 10)
    *reinterpret_cast<volatile int*>(16) = 1;
}
)cuda";

}  // namespace

KernelSource NaiveSource(const GemmProblem& problem, const DeviceSpec& device, Fault fault) {
  const std::string text = IncludeLines(ProblemIncludes(problem)) + EmitProblemTraits(problem) +
                           "constexpr int kFault = " + std::to_string(static_cast<int>(fault)) +
                           ";\n" + kBody;
  KernelSource source;
  source.entry = "naive";
  source.text = FlattenIncludes(text, TemplateStore()).value();
  source.arch = device.arch;
  for (std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

LaunchPlan NaivePlan(const GemmProblem& problem) {
  const std::int64_t count = problem.m * problem.n * problem.batch;
  LaunchPlan plan;
  plan.launches.push_back(
      {.entry = "naive",
       .grid = {static_cast<std::uint32_t>((count + kThreads - 1) / kThreads), 1, 1},
       .block = {kThreads, 1, 1},
       .dynamic_smem_bytes = 0});
  return plan;
}

}  // namespace tw
