// SPDX-License-Identifier: Apache-2.0
#include "contest.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "codegen/families/registry.h"
#include "codegen/source_builder.h"
#include "parallel.h"
#include "tuner/measure/library_contestant.h"
#include "tuner/measure/loaded_candidate.h"
#include "tuner/measure/memory_plan.h"
#include "tuner/measure/ratio.h"
#include "tuner/measure/statistics.h"
#include "tuner/measure/timed_buffers.h"
#include "tuner/measure/timing.h"

namespace tw {
namespace {

constexpr std::int64_t kLibraryWorkspace = std::int64_t{64} << 20;

class Contest {
 public:
  Contest(GpuFixture& gpu, const GemmProblem& problem, const ContestOptions& options)
      : gpu_(gpu),
        device_(gpu.device()),
        problem_(problem),
        options_(options),
        support_(SupportKernels::Load(device_, gpu.CompileSupport(problem)).value()),
        memory_(PlanMemory(problem,
                           options.objective,
                           {device_.Memory().FreeBytes().value(), device_.Spec().l2_bytes})
                    .value()) {}

  void Run(const std::vector<Entrant>& entrants) {
    Enter(entrants);
    EnterLibrary();
    if (ours_.empty())
      return;
    auto buffers = TimedBuffers::Make(device_, support_, problem_,
                                      {.copies = memory_.copies, .seed = 1, .unread_c = 0})
                       .value();
    TimingRig rig(device_, gpu_.clock(), buffers, {.objective = options_.objective});
    KeepFastestAlgorithms(rig);
    Print(rig.Compare(Pointers(), {.regime = options_.regime,
                                   .max_rounds = options_.rounds,
                                   .max_seconds = options_.max_seconds})
              .value());
  }

 private:
  void Enter(const std::vector<Entrant>& entrants) {
    std::vector<std::optional<CompiledKernel>> kernels(entrants.size());
    ForEachInParallel(entrants.size(), [&](std::size_t i) {
      const KernelConfig& config = entrants[i].config;
      const KernelFamily& family = *FindFamily(config.family);
      if (family.plan(problem_, device_.Spec(), config).resources) {
        kernels[i] = gpu_.Compile(
            BuildSource({family, problem_, device_.Spec(), config}, TemplateStore()).value());
      }
    });
    auto verifier = Verifier::Open(device_, support_, problem_, {.trials = memory_.trials}).value();
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      if (kernels[i])
        EnterOne(entrants[i], *std::move(kernels[i]), *verifier);
      else
        std::printf("%-84s not legal\n", entrants[i].what.c_str());
    }
  }

  void EnterOne(const Entrant& entrant, CompiledKernel kernel, Verifier& verifier) {
    const KernelFamily& family = *FindFamily(entrant.config.family);
    LaunchPlan plan = family.launch(problem_, device_.Spec(), entrant.config);
    KernelLaunch& first = plan.launches.front();
    first.programmatic = options_.objective == Objective::kPdl && family.waits_for_dependencies &&
                         !first.cooperative;
    auto loaded = LoadedCandidate::Load(device_, {"", std::move(kernel), std::move(plan)});
    ASSERT_TRUE(loaded.ok()) << entrant.what << ": " << loaded.status().ToString();
    const auto verdict = verifier.Check(*loaded);
    ASSERT_TRUE(verdict.ok()) << entrant.what << ": " << verdict.status().ToString();
    EXPECT_TRUE(verdict->ok()) << entrant.what << ": " << verdict->rule << " " << verdict->detail;
    if (verdict->ok()) {
      ours_.push_back(*std::move(loaded));
      names_.push_back(entrant.what);
    }
  }

  void EnterLibrary() {
    if (options_.library == 0)
      return;
    auto library = device_.OpenGemmLibrary(problem_);
    if (!library.ok()) {
      std::printf("no library: %s\n", library.status().ToString().c_str());
      return;
    }
    library_ = *std::move(library);
    for (const LibraryAlgorithm& algorithm : library_->Algorithms(kLibraryWorkspace).value())
      theirs_.emplace_back(*library_, algorithm);
  }

  void KeepFastestAlgorithms(TimingRig& rig) {
    if (theirs_.empty())
      return;
    constexpr int kScreenRounds = 5;
    std::vector<const Contestant*> all;
    for (const LibraryContestant& algorithm : theirs_)
      all.push_back(&algorithm);
    const auto times =
        rig.Compare(all, {.min_rounds = kScreenRounds, .max_rounds = kScreenRounds}).value();
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i)
      order.emplace_back(Median(times.rounds_ns[i]), i);
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), options_.library));
    std::vector<LibraryContestant> kept;
    for (const auto& [time, i] : order)
      kept.push_back(theirs_[i]);
    theirs_ = std::move(kept);
  }

  std::vector<const Contestant*> Pointers() {
    std::vector<const Contestant*> all;
    for (const LoadedCandidate& candidate : ours_)
      all.push_back(&candidate);
    for (const LibraryContestant& algorithm : theirs_) {
      all.push_back(&algorithm);
      names_.push_back(algorithm.Name());
    }
    return all;
  }

  void Print(const InterleavedTimes& times) {
    std::size_t base = 0;
    const auto median = [&](std::size_t i) { return Median(times.rounds_ns[i]); };
    for (std::size_t i = ours_.size(); i < names_.size(); ++i) {
      if (base == 0 || median(i) < median(base))
        base = i;
    }
    std::printf("%s\n  %s, %s; %zu rounds, %.0f MHz, %.0f W, %.0f C; ratio: time of \"%s\" over\n",
                CanonicalText(problem_).c_str(), std::string(Name(options_.regime)).c_str(),
                std::string(Name(options_.objective)).c_str(), times.rounds_ns.front().size(),
                times.conditions.sm_clock_mhz, times.conditions.power_w,
                times.conditions.temperature_c, names_[base].c_str());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const RatioEstimate ratio = EstimateRatio(times.rounds_ns[base], times.rounds_ns[i]);
      std::printf("%-84s %9.2f us  %.4f [%.4f, %.4f]\n", names_[i].c_str(), median(i) / 1e3,
                  ratio.ratio, ratio.low, ratio.high);
    }
  }

  GpuFixture& gpu_;
  Device& device_;
  const GemmProblem& problem_;
  const ContestOptions& options_;
  SupportKernels support_;
  MemoryPlan memory_;
  std::vector<LoadedCandidate> ours_;
  std::unique_ptr<GemmLibrary> library_;
  std::vector<LibraryContestant> theirs_;
  std::vector<std::string> names_;  // ours, then the library's
};

}  // namespace

void RunContest(GpuFixture& gpu,
                const GemmProblem& problem,
                const std::vector<Entrant>& entrants,
                const ContestOptions& options) {
  Contest(gpu, problem, options).Run(entrants);
}

}  // namespace tw
