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
Operand Padded(DType type, std::int64_t rows, std::int64_t cols, bool padded, Rng& rng) {
  Operand op{.type = type, .major = Coin(rng) ? Major::kRow : Major::kCol};
  if (padded)
    op.ld = (PackedLd(rows, cols, op.major) + 7) / 8 * 8 + Pick(rng, std::array{0, 0, 8, 56});
  return op;
}

KernelConfig RandomConfig(Rng& rng) {
  const int swap = Coin(rng) ? 1 : 0;
  const int consumers = 1 + static_cast<int>(rng() % 3);
  const int pingpong = consumers == 2 && Coin(rng) ? 1 : 0;
  const int share = pingpong != 0 ? 1 : consumers;
  const int rows = 64 * share * (1 + static_cast<int>(rng() % (4 / static_cast<unsigned>(share))));
  const int cols =
      Coin(rng) ? 8 * (1 + static_cast<int>(rng() % 32)) : 64 * (1 + static_cast<int>(rng() % 4));
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
      {"blocks", Pick(rng, std::array{1, 1, 2, 3})}};
  return config;
}

GemmProblem AnyProblem(Rng& rng) {
  constexpr std::array kSizes{1, 7, 8, 15, 16, 63, 64, 65, 127, 128, 129, 255, 257, 1000};
  const DType type = Coin(rng) ? DType::kBf16 : DType::kF16;
  const DType out = rng() % 4 == 0 ? DType::kF32 : type;
  GemmProblem p{.m = Pick(rng, kSizes), .n = Pick(rng, kSizes), .k = Pick(rng, kSizes)};
  p.batch = rng() % 4 == 0 ? 3 : 1;
  p.a = Padded(type, p.m, p.k, true, rng);
  p.b = Padded(type, p.k, p.n, true, rng);
  p.d = Padded(out, p.m, p.n, Coin(rng), rng);
  p.c = Padded(out, p.m, p.n, Coin(rng), rng);
  if (p.batch > 1 && Coin(rng))
    (Coin(rng) ? p.a : p.b).batch_stride = 0;
  p.acc = DType::kF32;
  p.alpha = Coin(rng) ? ScalarKind::kOne : ScalarKind::kOther;
  p.beta = std::array{ScalarKind::kZero, ScalarKind::kZero, ScalarKind::kOne,
                      ScalarKind::kOther}[rng() % 4];
  p.epilogue.bias = std::array{BiasKind::kNone, BiasKind::kCol, BiasKind::kRow}[rng() % 3];
  p.epilogue.activation = testing::AnyActivation(rng());
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
    candidate.config = RandomConfig(rng);
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
