// SPDX-License-Identifier: Apache-2.0
#include "tuner/search/space.h"

#include <functional>
#include <optional>
#include <unordered_set>
#include <utility>

#include "codegen/families/registry.h"

namespace tw {
namespace {

using Visit = std::function<bool(const KernelConfig&)>;

// The plain product of the knobs, last knob fastest.
void EnumerateProduct(const KernelFamily& family, const Visit& visit) {
  KernelConfig config{.family = std::string(family.name), .knobs = {}};
  for (const KnobDomain& domain : family.knobs) {
    if (domain.values.empty()) {
      return;
    }
    config.knobs.emplace_back(std::string(domain.name), domain.values.front());
  }
  std::vector<std::size_t> index(family.knobs.size(), 0);
  while (visit(config)) {
    std::size_t knob = index.size();
    while (knob > 0 && index[knob - 1] + 1 == family.knobs[knob - 1].values.size()) {
      --knob;
      index[knob] = 0;
      config.knobs[knob].second = family.knobs[knob].values.front();
    }
    if (knob == 0) {
      return;
    }
    ++index[knob - 1];
    config.knobs[knob - 1].second = family.knobs[knob - 1].values[index[knob - 1]];
  }
}

std::optional<std::string> WhyUnsupported(const KernelFamily& family,
                                          const GemmProblem& problem,
                                          const DeviceSpec& device) {
  if (device.cc() < family.min_cc || device.cc() > family.max_cc) {
    return "needs compute capability " + std::to_string(family.min_cc) + " to " +
           std::to_string(family.max_cc) + ", the device has " + std::to_string(device.cc());
  }
  return family.unsupported != nullptr ? family.unsupported(problem, device) : std::nullopt;
}

struct SpaceBuilder {
  const GemmProblem& problem;
  const DeviceSpec& device;
  const NumericsContract& contract;
  Space space = {};
  std::unordered_set<std::string> seen = {};

  void Consider(const KernelFamily& family, const KernelConfig& config) {
    ++space.enumerated;
    PlanResult plan = family.plan(problem, device, config);
    if (!plan.resources) {
      ++space.pruned[plan.rejection.rule];
      return;
    }
    // A split of K adds the parts in an order of its own.
    if (contract.batch_invariant && plan.resources->split_k != 1) {
      ++space.pruned["batch_invariant"];
      return;
    }
    std::string id = CandidateId(config);
    // A family's enumeration may reach a configuration twice.
    if (!seen.insert(id).second) {
      ++space.pruned["duplicate"];
      return;
    }
    Candidate candidate;
    candidate.config = config;
    candidate.id = std::move(id);
    candidate.resources = *plan.resources;
    space.candidates.push_back(std::move(candidate));
  }

  void AddFamily(const KernelFamily& family) {
    const Visit visit = [this, &family](const KernelConfig& config) {
      Consider(family, config);
      return true;
    };
    if (family.enumerate != nullptr) {
      family.enumerate(problem, device, visit);
    } else {
      EnumerateProduct(family, visit);
    }
  }
};

// The one family whose reduction order a batch-invariant problem keeps for every M.
std::string_view BatchInvariantFamily(const std::vector<const KernelFamily*>& usable) {
  for (const KernelFamily* family : usable) {
    if (family->name != "simt") {
      return family->name;
    }
  }
  return usable.empty() ? std::string_view() : usable.front()->name;
}

}  // namespace

Space BuildSpace(const GemmProblem& problem,
                 const DeviceSpec& device,
                 const NumericsContract& contract,
                 std::string_view family) {
  return BuildSpace(AllFamilies(), problem, device, contract, family);
}

Space BuildSpace(std::span<const KernelFamily* const> families,
                 const GemmProblem& problem,
                 const DeviceSpec& device,
                 const NumericsContract& contract,
                 std::string_view family) {
  SpaceBuilder builder{.problem = problem, .device = device, .contract = contract};
  std::vector<const KernelFamily*> usable;
  for (const KernelFamily* candidate : families) {
    if (std::optional<std::string> reason = WhyUnsupported(*candidate, problem, device)) {
      builder.space.unsupported[std::string(candidate->name)] = *std::move(reason);
    } else {
      usable.push_back(candidate);
    }
  }
  const std::string_view invariant = BatchInvariantFamily(usable);
  for (const KernelFamily* candidate : usable) {
    if (!family.empty() && candidate->name != family) {
      builder.space.unsupported[std::string(candidate->name)] = "not the requested family";
    } else if (contract.batch_invariant && candidate->name != invariant) {
      builder.space.unsupported[std::string(candidate->name)] =
          "batch_invariant: one reduction order for every M, which is that of " +
          std::string(invariant);
    } else {
      builder.AddFamily(*candidate);
    }
  }
  return std::move(builder.space);
}

}  // namespace tw
