// SPDX-License-Identifier: Apache-2.0
#include "client/cli/render.h"

#include <gtest/gtest.h>

#include "client/cli/problem_text.h"
#include "client/cli/render_json.h"
#include "tests/client/golden.h"
#include "tests/client/samples.h"

namespace tw::cli {
namespace {

TEST(Render, MeasuredTune) {
  ExpectGolden("tune_measured.txt", TuneText(SampleKey(), SampleTune()));
  ExpectGolden("tune_measured.json", TuneJson(SampleKey(), SampleTune()));
}

TEST(Render, PredictedTuneSaysSoAndClaimsNoMeasurement) {
  const std::string text = TuneText(SampleKey(), SamplePredicted());
  EXPECT_NE(text.find("PREDICTED (not measured)"), std::string::npos);
  EXPECT_EQ(text.find("±"), std::string::npos);
  ExpectGolden("tune_predicted.txt", text);
  ExpectGolden("tune_predicted.json", TuneJson(SampleKey(), SamplePredicted()));
}

TEST(Render, TuneFromTheStoreTellsTheDaemonsTime) {
  v1::Operation operation = SampleTune();
  operation.set_from_store(true);
  const std::string text = TuneText(SampleKey(), operation);
  EXPECT_NE(text.find("from the store, 0.40 ms in the daemon"), std::string::npos) << text;
}

TEST(Render, EmptyProblemHasNothingToLaunch) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_SUCCEEDED);
  operation.mutable_result()->set_empty_problem(true);
  const std::string text = TuneText(SampleKey(), operation);
  EXPECT_NE(text.find("nothing to launch"), std::string::npos);
  EXPECT_EQ(text.find("time"), std::string::npos);
  EXPECT_NE(TuneJson(SampleKey(), operation).find("\"state\": \"EMPTY\""), std::string::npos);
}

TEST(Render, Lookup) {
  ExpectGolden("lookup.txt", LookupText(SampleKey(), SampleTune().result()));
  ExpectGolden("lookup.json", LookupJson(SampleKey(), SampleTune().result()));
  ExpectGolden("lookup_miss.json", LookupMissJson(SampleKey()));
}

TEST(Render, ALaunchWithClustersAndMapsIsToldWhole) {
  v1::TuneResult result = SampleTune().result();
  v1::KernelLaunch& launch = *result.mutable_launches(0);
  EXPECT_EQ(LookupText(SampleKey(), result).find("cluster"), std::string::npos);
  launch.mutable_cluster()->Resize(3, 1);
  EXPECT_EQ(LookupText(SampleKey(), result).find("cluster"), std::string::npos);
  launch.set_cluster(1, 2);
  launch.set_cooperative(true);
  launch.set_programmatic(true);
  EXPECT_NE(LookupText(SampleKey(), result)
                .find("73728 B>>> in clusters of 1x2x1, cooperative, programmatic, workspace"),
            std::string::npos);
  v1::TensorMap& map = *launch.add_tensor_maps();
  map.set_operand(v1::MAP_OPERAND_D);
  map.set_type(v1::DATA_TYPE_BF16);
  for (const std::int64_t extent : {11008, 4096})
    map.add_dims(extent);
  map.add_strides(22016);
  for (const int extent : {64, 128})
    map.add_box(extent);
  map.set_swizzle_bytes(128);
  map.set_l2_promotion_bytes(256);
  result.set_workspace_zero_bytes(4096);
  ExpectGolden("lookup_cluster.json", LookupJson(SampleKey(), result));
}

TEST(Render, StaleAndUnverifiedAreNamed) {
  v1::TuneResult result = SampleTune().result();
  result.set_state(v1::RESULT_STATE_STALE);
  EXPECT_NE(LookupText(SampleKey(), result).find("STALE: measured with another"),
            std::string::npos);
  result.set_state(v1::RESULT_STATE_UNVERIFIED);
  EXPECT_NE(LookupText(SampleKey(), result).find("UNVERIFIED: imported"), std::string::npos);
}

TEST(Render, ProblemTextShowsWhatDiffersFromTheDefaults) {
  v1::Key key = SampleKey();
  EXPECT_EQ(ProblemText(key), "4096 x 11008 x 4096 bf16 nt, lda 4104, bias col, relu");
  v1::GemmProblem& p = *key.mutable_problem();
  p.mutable_a()->clear_leading_dimension();
  p.clear_bias();
  p.clear_activation();
  p.set_batch(3);
  p.mutable_b()->set_batch_stride(0);
  p.mutable_b()->set_align_bytes(2);
  p.mutable_d()->set_type(v1::DATA_TYPE_F32);
  p.set_accumulate(v1::DATA_TYPE_F32);
  p.set_beta(v1::SCALAR_KIND_OTHER);
  p.set_alpha(v1::SCALAR_KIND_ONE);
  key.mutable_contract()->set_deterministic(false);
  key.set_objective(v1::OBJECTIVE_WARM);
  EXPECT_EQ(ProblemText(key),
            "4096 x 11008 x 4096 bf16 nt -> f32, acc f32, batch 3, stride_b 0, align_b 2, "
            "beta other, warm, nondeterministic");
}

TEST(Render, Devices) {
  ExpectGolden("devices.txt", DevicesText(SampleDevices()));
  ExpectGolden("devices.json", DevicesJson(SampleDevices()));
}

TEST(Render, NoDevicesSaysWhyAndWhatArchsAreKnown) {
  v1::ListDevicesResponse devices = SampleDevices();
  devices.clear_devices();
  devices.set_note("libcuda.so.1 not found");
  EXPECT_EQ(DevicesText(devices),
            "no GPU: libcuda.so.1 not found\nknown to --arch: sm_80, sm_90a\n");
}

TEST(Render, Status) {
  ExpectGolden("status.txt", StatusText(SampleStatus()));
  ExpectGolden("status.json", StatusJson(SampleStatus()));
}

TEST(Render, Jobs) {
  ExpectGolden("jobs.txt", JobsText(SampleJobs()));
  ExpectGolden("jobs.json", JobsJson(SampleJobs()));
  EXPECT_EQ(JobsText({}), "no jobs\n");
}

TEST(Render, Source) {
  v1::GetSourceResponse source;
  source.set_source("extern \"C\" __global__ void k() {}\n");
  source.set_entry("k");
  source.set_source_digest("5d1f");
  ExpectGolden("source.json", SourceJson(SampleKey(), source));
}

TEST(Render, ErrorObject) {
  EXPECT_EQ(ErrorJson({StatusCode::kInvalidArgument, "m = -1: must be >= 0"}, ExitCode::kUsage),
            "{\n  \"schema\": \"tilewright.error.v1\",\n  \"code\": \"INVALID_ARGUMENT\",\n"
            "  \"message\": \"m = -1: must be >= 0\",\n  \"exit\": 64\n}\n");
}

TEST(Render, BytesThatAreNoUtf8DoNotThrow) {
  EXPECT_NE(ErrorJson({StatusCode::kInternal, "\xff\xfe"}, ExitCode::kInternal).find("70"),
            std::string::npos);
}

}  // namespace
}  // namespace tw::cli
