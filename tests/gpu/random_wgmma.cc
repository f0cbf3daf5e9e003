// SPDX-License-Identifier: Apache-2.0
#include "random_wgmma.h"

#include <array>

#include "codegen/families/wgmma_tma.h"
#include "tests/codegen/core/any_activation.h"

namespace tw {
namespace {

template <std::size_t kCount>
int Pick(Rng& rng, const std::array<int, kCount>& values) {
  return values.at(rng() % kCount);
}

bool Coin(Rng& rng) {
  return (rng() & 1U) != 0;
}

// Rows of multiples of 16 bytes: what the family needs of A and B.
void Pad(Operand& op, std::int64_t rows, std::int64_t cols, Rng& rng) {
  const std::int64_t unit = 16 / BytesOf(op.type);
  op.ld = (PackedLd(rows, cols, op.major) + unit - 1) / unit * unit +
          unit * Pick(rng, std::array{0, 0, 1, 7});
}

Operand Output(DType type, std::int64_t rows, std::int64_t cols, Rng& rng) {
  Operand op{.type = type, .major = Coin(rng) ? Major::kRow : Major::kCol};
  if (Coin(rng))
    Pad(op, rows, cols, rng);
  return op;
}

struct Types {
  DType a, b, d;
};

Types AnyTypes(Rng& rng) {
  const DType half = Coin(rng) ? DType::kBf16 : DType::kF16;
  switch (rng() % 8) {
    case 0:
      return {DType::kTf32, DType::kTf32, DType::kF32};
    case 1:
      return {DType::kS8, DType::kS8,
              std::array{DType::kS32, DType::kS8, DType::kF32, half}[rng() % 4]};
    case 2:
    case 3:
    case 4: {
      const std::array fp8{DType::kE4m3, DType::kE5m2};
      const DType d = std::array{half, DType::kF32, fp8[rng() % 2]}[rng() % 3];
      return {fp8[rng() % 2], fp8[rng() % 2], d};
    }
    default:
      return {half, half, rng() % 4 == 0 ? DType::kF32 : half};
  }
}

// Of 8-bit floats over more than one k block, unless they may be fast.
bool IsPromoted(const GemmProblem& problem) {
  return IsFp8(problem.a.type) && !problem.fp8_fast_accumulate && problem.k > 128;
}

KernelConfig RandomConfig(const GemmProblem& problem, Rng& rng) {
  const bool promoted = IsPromoted(problem);
  const int swap = Coin(rng) ? 1 : 0;
  const int consumers = 1 + static_cast<int>(rng() % 3);
  const int pingpong = consumers == 2 && !promoted && Coin(rng) ? 1 : 0;
  const int share = pingpong != 0 ? 1 : consumers;
  const unsigned most_strips = promoted ? 1 : 4 / static_cast<unsigned>(share);
  const int rows = 64 * share * (1 + static_cast<int>(rng() % most_strips));
  const int cols =
      Coin(rng) ? 8 * (1 + static_cast<int>(rng() % 32)) : 64 * (1 + static_cast<int>(rng() % 4));
  const int temporaries = promoted ? 1 + static_cast<int>(rng() % 2) : 0;
  const int split = Coin(rng) ? 1 : Pick(rng, std::array{2, 3, 4, 8});
  KernelConfig config;
  config.family = "wgmma_tma";
  config.knobs = {
      {"tile_m", swap != 0 ? cols : rows},
      {"tile_n", swap != 0 ? rows : cols},
      {"swap", swap},
      {"consumers", consumers},
      {"pingpong", pingpong},
      {"stages", Pick(rng, std::array{2, 3, 4, 5, 8})},
      {"cluster_m", Pick(rng, std::array{1, 1, 2, 4})},
      {"cluster_n", Pick(rng, std::array{1, 1, 2, 4})},
      {"group_m", Pick(rng, std::array{1, 2, 4, 8})},
      {"split_k", split},
      {"reduce", split > 1 ? Pick(rng, std::array{0, 1, 2}) : Pick(rng, std::array{0, 3})},
      {"deferred", rng() % 4 == 0 ? 0 : 1},
      {"tma_store", Coin(rng) ? 1 : 0},
      {"blocks", Pick(rng, std::array{1, 1, 2, 3})},
      {"temporaries", temporaries},
      {"unroll", temporaries == 0 ? 1 : Pick(rng, std::array{2, 4, 8})}};
  return config;
}

GemmProblem AnyProblem(Rng& rng) {
  constexpr std::array kSizes{1, 7, 8, 15, 16, 63, 64, 65, 127, 128, 129, 255, 257, 1000};
  const Types types = AnyTypes(rng);
  const bool any_major = BytesOf(types.a) == 2;
  GemmProblem p{.m = Pick(rng, kSizes), .n = Pick(rng, kSizes), .k = Pick(rng, kSizes)};
  p.batch = rng() % 4 == 0 ? 3 : 1;
  p.a = {.type = types.a, .major = any_major && Coin(rng) ? Major::kCol : Major::kRow};
  p.b = {.type = types.b, .major = any_major && Coin(rng) ? Major::kRow : Major::kCol};
  Pad(p.a, p.m, p.k, rng);
  Pad(p.b, p.k, p.n, rng);
  p.d = Output(types.d, p.m, p.n, rng);
  p.c = Output(types.d, p.m, p.n, rng);
  p.fp8_fast_accumulate = Coin(rng);
  if (p.batch > 1 && Coin(rng))
    (Coin(rng) ? p.a : p.b).batch_stride = 0;
  p.acc = types.a == DType::kS8 ? DType::kS32 : DType::kF32;
  p.alpha = Coin(rng) ? ScalarKind::kOne : ScalarKind::kOther;
  p.beta = std::array{ScalarKind::kZero, ScalarKind::kZero, ScalarKind::kOne,
                      ScalarKind::kOther}[rng() % 4];
  p.epilogue.bias = std::array{BiasKind::kNone, BiasKind::kCol, BiasKind::kRow}[rng() % 3];
  p.epilogue.activation = testing::AnyActivation(rng());
  p.epilogue.scale = std::array{ScaleKind::kNone, ScaleKind::kNone, ScaleKind::kTensor,
                                ScaleKind::kRowCol}[rng() % 4];
  return Normalize(p).value();
}

}  // namespace

// A single line has no stride, and then no alignment: those are not for this family.
GemmProblem RandomWgmmaProblem(Rng& rng) {
  const DeviceSpec device = ReferenceDevice("sm_90a").value();
  for (;;) {
    GemmProblem problem = AnyProblem(rng);
    if (!kWgmmaTmaFamily.unsupported(problem, device))
      return problem;
  }
}

std::optional<Candidate> RandomWgmmaCandidate(const GemmProblem& problem,
                                              const DeviceSpec& device,
                                              Rng& rng) {
  constexpr int kTries = 2000;
  for (int i = 0; i < kTries; ++i) {
    Candidate candidate;
    candidate.config = RandomConfig(problem, rng);
    const PlanResult plan = kWgmmaTmaFamily.plan(problem, device, candidate.config);
    if (plan.resources) {
      candidate.id = CandidateId(candidate.config);
      candidate.resources = *plan.resources;
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace tw
