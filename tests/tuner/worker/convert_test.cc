#include "tuner/worker/convert.h"

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/sample_launch.h"

namespace tw {
namespace {

// Through the bytes, as between two processes.
template <class Message>
Message Sent(const Message& message) {
  Message received;
  EXPECT_TRUE(received.ParseFromString(message.SerializeAsString()));
  return received;
}

TEST(Convert, DeviceSpec) {
  for (DeviceSpec device : ReferenceDevices()) {
    device.uuid = "GPU-1";
    device.mig_profile = "1g.18gb";
    device.driver_version = 13000;
    device.l2_bytes_per_clock_per_sm = 31.5;
    device.launch_s = 1.5e-6;
    EXPECT_EQ(FromProto(Sent(ToProto(device))), device) << device.name;
  }
}

TEST(Convert, Calibration) {
  const Calibration calibration{.device_uuid = "GPU-1",
                                .driver_version = 13000,
                                .dram_bytes_per_s = 4.1e12,
                                .l2_bytes_per_clock_per_sm = 31.5,
                                .sm_clock_hz = 1.7e9,
                                .launch_s = 1.5e-6};
  EXPECT_EQ(FromProto(Sent(ToProto(calibration))), calibration);
}

TEST(Convert, KernelSource) {
  const KernelSource source{.entry = "k",
                            .text = "// text\n",
                            .arch = "sm_80",
                            .options = {"--a", "--b=1"},
                            .digest = "ab"};
  const KernelSource got = FromProto(Sent(ToProto(source)));
  EXPECT_EQ(got.entry, source.entry);
  EXPECT_EQ(got.text, source.text);
  EXPECT_EQ(got.arch, source.arch);
  EXPECT_EQ(got.options, source.options);
  EXPECT_EQ(got.digest, source.digest);
}

CompiledKernel Kernel() {
  CompiledKernel kernel;
  kernel.arch = "sm_90a";
  kernel.cubin = std::string("\x7f\0\xff", 3);
  kernel.entries = {{.entry = "k",
                     .registers = 1,
                     .spill_store_bytes = 2,
                     .spill_load_bytes = 3,
                     .stack_bytes = 4,
                     .static_smem_bytes = 5}};
  kernel.warnings = {"w1", "w2"};
  kernel.compiler = "nvrtc 13.0";
  kernel.compile_seconds = 0.25;
  return kernel;
}

void ExpectEqual(const CompiledKernel& got, const CompiledKernel& want) {
  EXPECT_EQ(got.arch, want.arch);
  EXPECT_EQ(got.cubin, want.cubin);
  EXPECT_EQ(got.entries, want.entries);
  EXPECT_EQ(got.warnings, want.warnings);
  EXPECT_EQ(got.compiler, want.compiler);
  EXPECT_EQ(got.compile_seconds, want.compile_seconds);
}

TEST(Convert, Candidate) {
  const CandidateRun run{
      .candidate_id = "c1", .kernel = Kernel(), .launch = fakes::SampleLaunchPlan()};
  const auto got = FromProto(Sent(ToProto(run)));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->candidate_id, "c1");
  ExpectEqual(got->kernel, run.kernel);
  EXPECT_EQ(got->launch, run.launch);
}

TEST(Convert, TextThatIsNotUtf8StillArrives) {
  CompiledKernel kernel = Kernel();
  kernel.warnings = {"caf\xe9"};
  EXPECT_EQ(FromProto(Sent(ToProto(kernel))).warnings.at(0), "caf?");
  BenchmarkOutcome outcome;
  outcome.detail = "\xff!";
  EXPECT_EQ(FromProto(Sent(ToProto(outcome)))->detail, "?!");
}

TEST(Convert, DamagedPlanIsDataLossAndNamed) {
  struct Row {
    const char* message;
    std::function<void(wire::LaunchPlan&, wire::KernelLaunch&, wire::TensorMapRecipe&)> damage;
  };

  const std::vector<Row> rows{
      {"grid = 4 values: must be 3", [](auto&, auto& launch, auto&) { launch.add_grid(9); }},
      {"block = 0 values: must be 3", [](auto&, auto& launch, auto&) { launch.clear_block(); }},
      {"cluster = 2 values",
       [](auto&, auto& launch, auto&) { launch.mutable_cluster()->RemoveLast(); }},
      {"cluster[1] = 0: must be at least 1",
       [](auto&, auto& launch, auto&) { launch.set_cluster(1, 0); }},
      {"operand = c: must be a, b or d", [](auto&, auto&, auto& map) { map.set_operand("c"); }},
      {"type = f7: must be an element type", [](auto&, auto&, auto& map) { map.set_type("f7"); }},
      {"rank = 6: must be 2 to 5", [](auto&, auto&, auto& map) { map.add_dims(1); }},
      {"rank = 0: must be 2 to 5", [](auto&, auto&, auto& map) { map.clear_dims(); }},
      {"strides = 5 values: must be 4", [](auto&, auto&, auto& map) { map.add_strides(16); }},
      {"box = 6 values: must be 5", [](auto&, auto&, auto& map) { map.add_box(1); }},
      {"swizzle_bytes = 16: must be 0, 32, 64 or 128",
       [](auto&, auto&, auto& map) { map.set_swizzle_bytes(16); }},
      {"l2_promotion_bytes = 32: must be 0, 64, 128 or 256",
       [](auto&, auto&, auto& map) { map.set_l2_promotion_bytes(32); }},
      {"workspace_zero_bytes = -1",
       [](auto& plan, auto&, auto&) { plan.set_workspace_zero_bytes(-1); }},
      {"workspace_zero_bytes = 8589934592: must be 0 to workspace_bytes, 100",
       [](auto& plan, auto&, auto&) { plan.set_workspace_bytes(100); }}};
  for (const Row& row : rows) {
    wire::LaunchPlan plan = ToProto(fakes::SampleLaunchPlan());
    wire::KernelLaunch& launch = *plan.mutable_launches(0);
    row.damage(plan, launch, *launch.mutable_tensor_maps(0));
    const Status status = FromProto(plan).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << row.message;
    EXPECT_THAT(status.message(), testing::HasSubstr(row.message));
  }
}

BenchmarkOutcome Outcome(OutcomeKind kind) {
  BenchmarkOutcome outcome;
  outcome.kind = kind;
  outcome.rule = "rule";
  outcome.detail = "detail";
  outcome.error_ratio = 0.5;
  outcome.verify_seconds = 1.5;
  outcome.measure_seconds = 2.5;
  return outcome;
}

TEST(Convert, OutcomeOfEveryKind) {
  for (int kind = 0; kind <= static_cast<int>(OutcomeKind::kSkipped); ++kind) {
    const BenchmarkOutcome outcome = Outcome(static_cast<OutcomeKind>(kind));
    const auto got = FromProto(Sent(ToProto(outcome)));
    ASSERT_TRUE(got.ok());
    EXPECT_EQ(got->kind, outcome.kind);
    EXPECT_EQ(got->rule, "rule");
    EXPECT_EQ(got->detail, "detail");
    EXPECT_EQ(got->error_ratio, 0.5);
    EXPECT_EQ(got->verify_seconds, 1.5);
    EXPECT_EQ(got->measure_seconds, 2.5);
    EXPECT_FALSE(got->measurement);
  }
  wire::Outcome damaged;
  damaged.set_kind("no such kind");
  EXPECT_EQ(FromProto(damaged).status().code(), StatusCode::kDataLoss);
}

TEST(Convert, Measurement) {
  BenchmarkOutcome outcome = Outcome(OutcomeKind::kMeasured);
  Measurement measurement;
  measurement.samples_ns = {1.25, 2.5};
  measurement.median_ns = 3;
  measurement.ci_low_ns = 4;
  measurement.ci_high_ns = 5;
  measurement.min_ns = 6;
  measurement.discarded = 7;
  measurement.conditions = {.sm_clock_mhz = 8,
                            .temperature_c = 9,
                            .power_w = 10,
                            .power_limit_w = 11,
                            .throttle_reasons = std::uint64_t{1} << 63};
  outcome.measurement = measurement;
  const auto got = FromProto(Sent(ToProto(outcome)));
  ASSERT_TRUE(got.ok() && got->measurement);
  EXPECT_EQ(got->measurement->samples_ns, measurement.samples_ns);
  EXPECT_EQ(got->measurement->median_ns, 3);
  EXPECT_EQ(got->measurement->ci_low_ns, 4);
  EXPECT_EQ(got->measurement->ci_high_ns, 5);
  EXPECT_EQ(got->measurement->min_ns, 6);
  EXPECT_EQ(got->measurement->discarded, 7);
  EXPECT_EQ(got->measurement->conditions, measurement.conditions);
}

TEST(Convert, JobWithItsProblem) {
  GemmProblem problem;
  problem.m = 100;
  problem.n = 200;
  problem.k = 300;
  const auto normalised = Normalize(problem);
  ASSERT_TRUE(normalised.ok()) << normalised.status().ToString();
  BenchmarkJob job;
  job.device_uuid = "GPU-1";
  job.problem = *normalised;
  job.support = Kernel();
  job.options = {.objective = Objective::kWarm,
                 .min_samples = 2,
                 .max_samples = 3,
                 .max_seconds = 0.5,
                 .warmup_seconds = 0.125,
                 .seed = ~std::uint64_t{0}};
  job.check_determinism = false;
  const auto got = FromProto(Sent(ToProto(job)));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(got->device_uuid, "GPU-1");
  EXPECT_EQ(got->problem, *normalised);
  ExpectEqual(got->support, job.support);
  EXPECT_EQ(got->options.objective, Objective::kWarm);
  EXPECT_EQ(got->options.min_samples, 2);
  EXPECT_EQ(got->options.max_samples, 3);
  EXPECT_EQ(got->options.max_seconds, 0.5);
  EXPECT_EQ(got->options.warmup_seconds, 0.125);
  EXPECT_EQ(got->options.seed, ~std::uint64_t{0});
  EXPECT_FALSE(got->check_determinism);
}

TEST(Convert, DamagedJobIsAnError) {
  wire::OpenJobRequest job;
  job.set_problem("gibberish");
  EXPECT_FALSE(FromProto(job).ok());
}

BaselineReport Report() {
  Measurement measured;
  measured.samples_ns = {1, 2};
  measured.median_ns = 1.5;
  BaselineReport report;
  report.library = "cublaslt 13.1.0";
  report.unavailable = "why not";
  report.regime = Regime::kAlone;
  report.algorithms.resize(2);
  report.algorithms[0] = {.index = 3,
                          .description = "id 66",
                          .workspace_bytes = std::int64_t{1} << 40U,
                          .kind = OutcomeKind::kWrongResult,
                          .rule = "wrong_element",
                          .detail = "D[0]",
                          .error_ratio = 2.5,
                          .screened_ns = 7,
                          .measurement = {}};
  report.algorithms[1].measurement = measured;
  report.best = 1;
  report.first = -1;
  report.over_best = {.ratio = 1.25, .low = 1.125, .high = 1.5, .pairs = 11};
  report.over_first = {.ratio = 2, .low = 1, .high = 3, .pairs = 12};
  report.verdict = ComparisonVerdict::kFaster;
  report.ours = measured;
  report.discarded = {{"throttled", 2}, {"outlier", 5}};
  report.conditions.power_w = 600;
  return report;
}

TEST(Convert, BaselineReport) {
  const BaselineReport report = Report();
  const auto got = FromProto(Sent(ToProto(report)));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(got->library, report.library);
  EXPECT_EQ(got->unavailable, report.unavailable);
  EXPECT_EQ(got->regime, report.regime);
  ASSERT_EQ(got->algorithms.size(), 2U);
  EXPECT_EQ(got->algorithms[0].index, 3);
  EXPECT_EQ(got->algorithms[0].description, "id 66");
  EXPECT_EQ(got->algorithms[0].workspace_bytes, std::int64_t{1} << 40U);
  EXPECT_EQ(got->algorithms[0].kind, OutcomeKind::kWrongResult);
  EXPECT_EQ(got->algorithms[0].rule, "wrong_element");
  EXPECT_EQ(got->algorithms[0].detail, "D[0]");
  EXPECT_EQ(got->algorithms[0].error_ratio, 2.5);
  EXPECT_EQ(got->algorithms[0].screened_ns, 7);
  EXPECT_FALSE(got->algorithms[0].measurement.has_value());
  EXPECT_EQ(got->algorithms[1].measurement->samples_ns, (std::vector<double>{1, 2}));
  EXPECT_EQ(got->best, 1);
  EXPECT_EQ(got->first, -1);
  EXPECT_EQ(got->over_best, report.over_best);
  EXPECT_EQ(got->over_first, report.over_first);
  EXPECT_EQ(got->verdict, report.verdict);
  EXPECT_EQ(got->ours.median_ns, 1.5);
  EXPECT_EQ(got->discarded, report.discarded);
  EXPECT_EQ(got->conditions, report.conditions);
}

TEST(Convert, DamagedBaselineReportIsAnError) {
  const wire::BaselineReport good = ToProto(Report());
  wire::BaselineReport bad = good;
  bad.set_best(2);
  EXPECT_EQ(FromProto(bad).status().code(), StatusCode::kDataLoss);
  bad = good;
  bad.set_verdict("won");
  EXPECT_EQ(FromProto(bad).status().code(), StatusCode::kDataLoss);
  bad = good;
  bad.mutable_algorithms(0)->set_kind("odd");
  EXPECT_EQ(FromProto(bad).status().code(), StatusCode::kDataLoss);
}

TEST(Convert, BaselineOptions) {
  const BaselineOptions options{.regime = Regime::kCool,
                                .workspace_limit_bytes = 1,
                                .screen_rounds = 2,
                                .finalists = 3,
                                .min_rounds = 4,
                                .max_rounds = 5,
                                .max_seconds = 0.5};
  const auto got = FromProto(Sent(ToProto(options)));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->regime, Regime::kCool);
  EXPECT_EQ(got->workspace_limit_bytes, 1);
  EXPECT_EQ(got->screen_rounds, 2);
  EXPECT_EQ(got->finalists, 3);
  EXPECT_EQ(got->min_rounds, 4);
  EXPECT_EQ(got->max_rounds, 5);
  EXPECT_EQ(got->max_seconds, 0.5);
}

TEST(Convert, Status) {
  wire::Reply reply;
  SetStatus(Status(StatusCode::kNotFound, "what"), &reply);
  EXPECT_EQ(StatusOf(Sent(reply)).code(), StatusCode::kNotFound);
  EXPECT_EQ(StatusOf(Sent(reply)).message(), "what");
  SetStatus(OkStatus(), &reply);
  EXPECT_TRUE(StatusOf(Sent(reply)).ok());
  reply.set_status_code(99);
  EXPECT_EQ(StatusOf(reply).code(), StatusCode::kUnknown);
}

}  // namespace
}  // namespace tw
