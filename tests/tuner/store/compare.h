// Field-by-field comparison of rows whose types have no operator==.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "tuner/store/result_store.h"

namespace tw {

inline void ExpectSame(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.samples_ns, b.samples_ns);
  EXPECT_EQ(a.median_ns, b.median_ns);
  EXPECT_EQ(a.ci_low_ns, b.ci_low_ns);
  EXPECT_EQ(a.ci_high_ns, b.ci_high_ns);
  EXPECT_EQ(a.min_ns, b.min_ns);
  EXPECT_EQ(a.discarded, b.discarded);
  EXPECT_EQ(a.conditions, b.conditions);
}

inline void ExpectSame(const CandidateReport& a, const CandidateReport& b) {
  EXPECT_EQ(a.candidate_id, b.candidate_id);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.rule, b.rule);
  EXPECT_EQ(a.detail, b.detail);
  EXPECT_EQ(a.resources, b.resources);
  EXPECT_EQ(a.predicted_ns, b.predicted_ns);
  EXPECT_EQ(a.predicted_bound, b.predicted_bound);
  EXPECT_EQ(a.compiled, b.compiled);
  EXPECT_EQ(a.error_ratio, b.error_ratio);
  EXPECT_EQ(a.artifact_digest, b.artifact_digest);
  ASSERT_EQ(a.measurement.has_value(), b.measurement.has_value());
  if (a.measurement) {
    ExpectSame(*a.measurement, *b.measurement);
  }
}

inline void ExpectSame(const PhaseTimes& a, const PhaseTimes& b) {
  EXPECT_EQ(a.enumerate_s, b.enumerate_s);
  EXPECT_EQ(a.compile_cpu_s, b.compile_cpu_s);
  EXPECT_EQ(a.compile_wall_s, b.compile_wall_s);
  EXPECT_EQ(a.verify_s, b.verify_s);
  EXPECT_EQ(a.measure_s, b.measure_s);
  EXPECT_EQ(a.total_s, b.total_s);
  EXPECT_EQ(a.compiled, b.compiled);
}

inline void ExpectSame(const Winner& a, const Winner& b) {
  EXPECT_EQ(a.candidate_id, b.candidate_id);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.source_digest, b.source_digest);
  EXPECT_EQ(a.launch, b.launch);
  EXPECT_EQ(a.time_ns, b.time_ns);
  EXPECT_EQ(a.ci_low_ns, b.ci_low_ns);
  EXPECT_EQ(a.ci_high_ns, b.ci_high_ns);
  EXPECT_EQ(a.error_ratio, b.error_ratio);
}

inline void ExpectSame(const TuneResult& a, const TuneResult& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.state, b.state);
  ExpectSame(a.winner, b.winner);
  EXPECT_EQ(a.ties, b.ties);
  EXPECT_EQ(a.funnel, b.funnel);
  EXPECT_EQ(a.conditions, b.conditions);
  ExpectSame(a.phases, b.phases);
  EXPECT_EQ(a.partial, b.partial);
  EXPECT_EQ(a.device_uuid, b.device_uuid);
  EXPECT_EQ(a.device_name, b.device_name);
  EXPECT_EQ(a.driver_version, b.driver_version);
  EXPECT_EQ(a.compiler, b.compiler);
  EXPECT_EQ(a.template_digest, b.template_digest);
  EXPECT_EQ(a.run_id, b.run_id);
  EXPECT_EQ(a.created_micros, b.created_micros);
}

inline void ExpectSame(const JobRecord& a, const JobRecord& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.attempts, b.attempts);
  EXPECT_EQ(a.request, b.request);
  EXPECT_EQ(a.error_code, b.error_code);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.created_micros, b.created_micros);
  EXPECT_EQ(a.updated_micros, b.updated_micros);
}

}  // namespace tw
