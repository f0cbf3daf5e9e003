// Deliberately broken kernels: one line of one template changed. What the verifier is worth is
// measured by them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <random>
#include <span>
#include <string_view>

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/core/gemm_problem.h"
#include "codegen/template_store.h"

namespace tw {

struct Mutant {
  std::string_view name;    // "dropped_k_tail"
  std::string_view family;  // whose candidates carry it
  std::string_view file;    // template that is patched
  std::string_view text;    // occurs there once
  std::string_view replacement;
  // A problem on which the fault shows in every candidate that `carries` accepts. Normalised.
  GemmProblem (*problem)();
  bool (*carries)(const GemmProblem& problem, const KernelConfig& config);
};

// For test reports.
void PrintTo(const Mutant& mutant, std::ostream* out);

std::span<const Mutant> AllMutants();

// A random legal candidate of the mutant's family that carries the fault. Requires: there is one.
Candidate DrawCarrier(const Mutant& mutant,
                      const GemmProblem& problem,
                      const DeviceSpec& device,
                      std::mt19937_64& rng);

// Source of a candidate from these templates.
Result<KernelSource> SourceFrom(const TemplateStore& templates,
                                const GemmProblem& problem,
                                const DeviceSpec& device,
                                const KernelConfig& config);

// The templates with the mutant's fault.
Result<TemplateStore> Plant(const Mutant& mutant, const TemplateStore& templates);

}  // namespace tw
