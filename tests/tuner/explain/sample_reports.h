// Reports of a run on an H200 with resources by the families' own plans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/core/device_spec.h"
#include "codegen/core/outcome.h"
#include "codegen/families/registry.h"
#include "tuner/search/cost_model.h"

namespace tw::fakes {

inline GemmProblem SquareProblem(std::int64_t size) {
  GemmProblem problem;
  problem.m = problem.n = problem.k = size;
  problem.a.type = problem.b.type = problem.c.type = problem.d.type = DType::kBf16;
  problem.b.major = Major::kCol;
  return *Normalize(problem);
}

inline DeviceSpec H200() {
  return *ReferenceDevice("sm_90a");
}

// Its id is `id`, its resources and prediction are of the knobs.
inline CandidateReport ReportOf(const GemmProblem& problem,
                                const std::string& id,
                                const std::string& config) {
  CandidateReport report;
  report.candidate_id = id;
  report.config = *ParseKernelConfig(config);
  const PlanResult plan = FindFamily(report.config.family)->plan(problem, H200(), report.config);
  EXPECT_TRUE(plan.resources) << plan.rejection.rule << " " << plan.rejection.detail;
  if (!plan.resources) {
    return report;
  }
  report.resources = *plan.resources;
  Candidate candidate;
  candidate.config = report.config;
  candidate.resources = report.resources;
  Prediction prediction = PredictTime(problem, H200(), candidate);
  report.predicted_ns = prediction.time_ns;
  report.predicted_bound = std::move(prediction.bound);
  return report;
}

inline CandidateReport Compiled(CandidateReport report, int registers) {
  report.kind = OutcomeKind::kCompiled;
  EntryResources entry;
  entry.entry = "kernel";
  entry.registers = registers;
  report.compiled = {entry};
  return report;
}

inline CandidateReport Measured(CandidateReport report, double median_ns, double half_width_ns) {
  report.kind = OutcomeKind::kMeasured;
  Measurement measurement;
  measurement.samples_ns = {median_ns - half_width_ns, median_ns, median_ns + half_width_ns};
  measurement.median_ns = median_ns;
  measurement.ci_low_ns = median_ns - half_width_ns;
  measurement.ci_high_ns = median_ns + half_width_ns;
  report.measurement = measurement;
  return report;
}

}  // namespace tw::fakes
