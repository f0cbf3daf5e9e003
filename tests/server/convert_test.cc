// Wire <-> core. Reflection walks every field of a request, so a new one cannot be forgotten.
// SPDX-License-Identifier: Apache-2.0
#include "server/convert.h"

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "tests/fakes/sample_launch.h"

namespace tw {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

DeviceSpec Gpu(std::string uuid, const char* arch) {
  DeviceSpec device = *ReferenceDevice(arch);
  device.uuid = std::move(uuid);
  return device;
}

class Convert : public ::testing::Test {
 protected:
  Result<TuneRequest> FromProto(const v1::StartTuneRequest& request) const {
    return TuneRequestFromProto(request, devices_);
  }

  DeviceInventory devices_{[] {
    return DiscoveredDevices{{Gpu("GPU-1", "sm_90a"), Gpu("GPU-2", "sm_80")}, ""};
  }};
};

// Every field set, to something other than its default, so that a change of any is legal.
v1::StartTuneRequest FullRequest() {
  v1::StartTuneRequest request;
  v1::Key* key = request.mutable_key();
  v1::GemmProblem* problem = key->mutable_problem();
  problem->set_m(64);
  problem->set_n(96);
  problem->set_k(128);
  problem->set_batch(3);
  for (v1::Operand* op :
       {problem->mutable_a(), problem->mutable_b(), problem->mutable_c(), problem->mutable_d()}) {
    op->set_type(v1::DATA_TYPE_BF16);
    op->set_major(v1::MATRIX_MAJOR_ROW);
    op->set_leading_dimension(256);
    op->set_batch_stride(std::int64_t{1} << 20);
    op->set_align_bytes(16);
  }
  problem->set_accumulate(v1::DATA_TYPE_F32);
  problem->set_alpha(v1::SCALAR_KIND_OTHER);
  problem->set_beta(v1::SCALAR_KIND_OTHER);
  problem->set_bias(v1::BIAS_COLUMN);
  problem->set_activation("relu");
  problem->set_scale(v1::SCALE_NONE);
  key->mutable_contract()->set_deterministic(true);
  key->set_objective(v1::OBJECTIVE_COLD);
  key->set_arch("sm_90a");
  key->set_device_uuid("GPU-1");
  request.set_policy(v1::TUNE_POLICY_REUSE);
  request.set_budget_s(7);
  request.set_max_candidates(11);
  request.set_family("simt");
  request.set_seed(13);
  request.set_request_id("id");
  return request;
}

struct FieldRef {
  std::string path;  // "key.problem.a.type"
  Message* message;
  const FieldDescriptor* field;
};

void Collect(Message* message, const std::string& prefix, std::vector<FieldRef>& fields) {
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const std::string path = prefix + field->name();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      Collect(message->GetReflection()->MutableMessage(message, field), path + ".", fields);
    else
      fields.push_back({path, message, field});
  }
}

std::vector<FieldRef> FieldsOf(v1::StartTuneRequest& request) {
  std::vector<FieldRef> fields;
  Collect(&request, "", fields);
  return fields;
}

TEST_F(Convert, FullRequestIsLegal) {
  const auto request = FromProto(FullRequest());
  ASSERT_TRUE(request.ok()) << request.status().ToString();
  EXPECT_EQ(request->spec.problem.batch, 3);
  EXPECT_EQ(request->spec.device.uuid, "GPU-1");
  EXPECT_EQ(request->spec.options.budget, std::chrono::seconds(7));
  EXPECT_EQ(request->spec.options.max_candidates, 11);
  EXPECT_EQ(request->spec.options.family, "simt");
  EXPECT_EQ(request->spec.options.seed, 13u);
  EXPECT_EQ(request->request_id, "id");
  const auto again = DecodeTuneRequest(request->body, devices_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(KeyOf(again->spec), KeyOf(request->spec));
  EXPECT_EQ(again->request_id, "id");
  EXPECT_EQ(DecodeTuneRequest("\xff\xff", devices_).status().code(), StatusCode::kDataLoss);
}

TEST_F(Convert, UnknownEnumValuesAreRefusedByNameAndValue) {
  int enums = 0;
  v1::StartTuneRequest scan = FullRequest();
  for (std::size_t i = 0; i < FieldsOf(scan).size(); ++i) {
    for (const int value : {99, -1}) {
      v1::StartTuneRequest request = FullRequest();
      const FieldRef ref = FieldsOf(request)[i];
      if (ref.field->cpp_type() != FieldDescriptor::CPPTYPE_ENUM)
        continue;
      ++enums;
      ref.message->GetReflection()->SetEnumValue(ref.message, ref.field, value);
      const auto converted = FromProto(request);
      ASSERT_FALSE(converted.ok()) << ref.path << " = " << value;
      EXPECT_EQ(converted.status().code(), StatusCode::kInvalidArgument) << ref.path;
      const std::string& message = converted.status().message();
      EXPECT_NE(message.find(ref.field->name()), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(value)), std::string::npos) << message;
    }
  }
  EXPECT_EQ(enums, 2 * 18);
}

TEST_F(Convert, EveryDeclaredEnumValueIsKnown) {
  // A declared value may be unimplemented or illegal here, but it is never "unknown".
  v1::StartTuneRequest scan = FullRequest();
  for (std::size_t i = 0; i < FieldsOf(scan).size(); ++i) {
    const FieldDescriptor* field = FieldsOf(scan)[i].field;
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_ENUM)
      continue;
    for (int v = 0; v < field->enum_type()->value_count(); ++v) {
      v1::StartTuneRequest request = FullRequest();
      const FieldRef ref = FieldsOf(request)[i];
      ref.message->GetReflection()->SetEnumValue(ref.message, ref.field,
                                                 field->enum_type()->value(v)->number());
      const auto converted = FromProto(request);
      if (!converted.ok()) {
        EXPECT_EQ(converted.status().message().find("unknown value"), std::string::npos)
            << ref.path << ": " << converted.status().message();
      }
    }
  }
}

// Sets the field to another legal value. False where this test knows of none.
bool Change(const FieldRef& ref) {
  const auto* reflection = ref.message->GetReflection();
  const std::string& name = ref.field->name();
  switch (ref.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      if (name == "align_bytes")
        reflection->SetInt64(ref.message, ref.field, 32);
      else
        reflection->SetInt64(ref.message, ref.field,
                             reflection->GetInt64(*ref.message, ref.field) + 8);
      return true;
    case FieldDescriptor::CPPTYPE_ENUM: {
      const int now = reflection->GetEnumValue(*ref.message, ref.field);
      reflection->SetEnumValue(ref.message, ref.field, now == 2 ? 1 : 2);
      return true;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection->SetBool(ref.message, ref.field, !reflection->GetBool(*ref.message, ref.field));
      return true;
    default:
      return false;
  }
}

TEST_F(Convert, EveryKeyFieldChangesTheKeyOrIsRefused) {
  const std::string base = Text(KeyOf(FromProto(FullRequest())->spec));
  v1::StartTuneRequest scan = FullRequest();
  int changed = 0;
  for (std::size_t i = 0; i < FieldsOf(scan).size(); ++i) {
    v1::StartTuneRequest request = FullRequest();
    const FieldRef ref = FieldsOf(request)[i];
    if (!ref.path.starts_with("key.") || !Change(ref))
      continue;
    if (ref.field->name() == "fp8_fast_accumulate")
      continue;  // means nothing for bf16; see KeyTellsFp8AccumulationApart
    ++changed;
    const auto converted = FromProto(request);
    if (converted.ok()) {
      EXPECT_NE(Text(KeyOf(converted->spec)), base) << ref.path;
    }
  }
  EXPECT_EQ(changed, 4 + 4 * 5 + 5 + 2 + 1) << "a field was added: teach Change about it";
}

TEST_F(Convert, KeyTellsFp8AccumulationApart) {
  v1::StartTuneRequest request = FullRequest();
  v1::GemmProblem* problem = request.mutable_key()->mutable_problem();
  for (v1::Operand* op : {problem->mutable_a(), problem->mutable_b()})
    op->set_type(v1::DATA_TYPE_E4M3);
  const auto precise = FromProto(request);
  problem->set_fp8_fast_accumulate(true);
  const auto fast = FromProto(request);
  ASSERT_EQ(precise.ok(), fast.ok());
  if (precise.ok()) {
    EXPECT_NE(Text(KeyOf(precise->spec)), Text(KeyOf(fast->spec)));
  } else {
    EXPECT_EQ(precise.status().code(), StatusCode::kUnimplemented);
  }
}

TEST_F(Convert, TextFieldsOfTheKeyChangeIt) {
  const std::string base = Text(KeyOf(FromProto(FullRequest())->spec));
  v1::StartTuneRequest request = FullRequest();
  request.mutable_key()->mutable_problem()->set_activation("none");
  EXPECT_NE(Text(KeyOf(FromProto(request)->spec)), base);
  request = FullRequest();
  request.mutable_key()->set_device_uuid("GPU-2");
  request.mutable_key()->clear_arch();
  EXPECT_NE(Text(KeyOf(FromProto(request)->spec)), base);
}

struct DefaultCase {
  v1::DataType a;
  DType accumulate;
  DType output;
};

TEST_F(Convert, UsualTypesFollowA) {
  const DefaultCase cases[] = {
      {v1::DATA_TYPE_F64, DType::kF64, DType::kF64},
      {v1::DATA_TYPE_F32, DType::kF32, DType::kF32},
      {v1::DATA_TYPE_TF32, DType::kF32, DType::kF32},
      {v1::DATA_TYPE_F16, DType::kF32, DType::kF16},
      {v1::DATA_TYPE_BF16, DType::kF32, DType::kBf16},
      {v1::DATA_TYPE_S8, DType::kS32, DType::kS32},
  };
  for (const DefaultCase& c : cases) {
    SCOPED_TRACE(v1::DataType_Name(c.a));
    v1::GemmProblem proto;
    proto.set_m(8);
    proto.set_n(8);
    proto.set_k(8);
    proto.mutable_a()->set_type(c.a);
    proto.set_beta(v1::SCALAR_KIND_ONE);
    const auto problem = ProblemFromProto(proto);
    ASSERT_TRUE(problem.ok()) << problem.status().ToString();
    EXPECT_EQ(problem->b.type, problem->a.type);
    EXPECT_EQ(problem->acc, c.accumulate);
    EXPECT_EQ(problem->c.type, c.output);
    EXPECT_EQ(problem->d.type, c.output);
    EXPECT_EQ(problem->batch, 1);
    EXPECT_EQ(problem->alpha, ScalarKind::kOne);
  }
}

TEST_F(Convert, Fp8DefaultsToBf16Output) {
  v1::GemmProblem proto;
  proto.set_m(8);
  proto.set_n(8);
  proto.set_k(8);
  proto.mutable_a()->set_type(v1::DATA_TYPE_E4M3);
  const auto problem = ProblemFromProto(proto);
  if (problem.ok()) {
    EXPECT_EQ(problem->d.type, DType::kBf16);
  } else {
    EXPECT_EQ(problem.status().code(), StatusCode::kUnimplemented);
  }
}

TEST_F(Convert, CFollowsD) {
  v1::GemmProblem proto;
  proto.set_m(8);
  proto.set_n(8);
  proto.set_k(8);
  proto.mutable_a()->set_type(v1::DATA_TYPE_BF16);
  proto.mutable_d()->set_type(v1::DATA_TYPE_F32);
  proto.mutable_d()->set_major(v1::MATRIX_MAJOR_COLUMN);
  proto.set_beta(v1::SCALAR_KIND_ONE);
  const auto problem = ProblemFromProto(proto);
  ASSERT_TRUE(problem.ok()) << problem.status().ToString();
  EXPECT_EQ(problem->c.type, DType::kF32);
  EXPECT_EQ(problem->c.major, Major::kCol);
}

struct BadCase {
  const char* field;
  std::function<void(v1::StartTuneRequest&)> spoil;
  StatusCode code = StatusCode::kInvalidArgument;
};

TEST_F(Convert, BadFieldsAreNamed) {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  const BadCase cases[] = {
      {"key", [](auto& r) { r.clear_key(); }},
      {"problem", [](auto& r) { r.mutable_key()->clear_problem(); }},
      {"problem.a.type", [](auto& r) { r.mutable_key()->mutable_problem()->clear_a(); }},
      {"m", [](auto& r) { r.mutable_key()->mutable_problem()->set_m(-1); }},
      {"batch", [](auto& r) { r.mutable_key()->mutable_problem()->set_batch(-1); }},
      {"problem.a.leading_dimension",
       [](auto& r) {
         r.mutable_key()->mutable_problem()->mutable_a()->set_leading_dimension(kLowest);
       }},
      {"problem.d.batch_stride",
       [](auto& r) { r.mutable_key()->mutable_problem()->mutable_d()->set_batch_stride(kLowest); }},
      {"activation",
       [](auto& r) { r.mutable_key()->mutable_problem()->set_activation("\x1b[2J"); }},
      {"act", [](auto& r) { r.mutable_key()->mutable_problem()->set_activation("swish"); }},
      {"activation",
       [](auto& r) {
         r.mutable_key()->mutable_problem()->set_activation(std::string(1 << 16, 'x'));
       }},
      {"arch", [](auto& r) { r.mutable_key()->set_arch("sm_12"); }},
      {"arch", [](auto& r) { r.mutable_key()->set_arch("sm_80"); }},  // GPU-1 is none
      {"device_uuid", [](auto& r) { r.mutable_key()->set_device_uuid("GPU-9"); }},
      {"objective", [](auto& r) { r.mutable_key()->set_objective(v1::OBJECTIVE_GRAPH); },
       StatusCode::kUnimplemented},
      {"budget_s", [](auto& r) { r.set_budget_s(-1); }},
      {"budget_s", [](auto& r) { r.set_budget_s(std::nan("")); }},
      {"budget_s", [](auto& r) { r.set_budget_s(1e9); }},
      {"max_candidates", [](auto& r) { r.set_max_candidates(-1); }},
      {"family", [](auto& r) { r.set_family("nonsense"); }},
      {"request_id", [](auto& r) { r.set_request_id(std::string(200, 'x')); }},
      {"request_id", [](auto& r) { r.set_request_id("a\nb"); }},
  };
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.field);
    v1::StartTuneRequest request = FullRequest();
    if (std::string_view(c.field) == "arch")
      request.mutable_key()->mutable_problem()->set_m(64);
    c.spoil(request);
    if (request.key().arch() == "sm_12")
      request.mutable_key()->clear_device_uuid();
    const auto converted = FromProto(request);
    ASSERT_FALSE(converted.ok());
    EXPECT_EQ(converted.status().code(), c.code) << converted.status().ToString();
    EXPECT_NE(converted.status().message().find(c.field), std::string::npos)
        << converted.status().message();
  }
}

TEST_F(Convert, DeviceOrArchOrFirstGpuOrReferenceDevice) {
  v1::StartTuneRequest request = FullRequest();
  v1::Key* key = request.mutable_key();
  key->clear_arch();
  key->clear_device_uuid();
  EXPECT_EQ(FromProto(request)->spec.device.uuid, "GPU-1");
  key->set_arch("sm_80");
  EXPECT_EQ(FromProto(request)->spec.device.uuid, "GPU-2");
  key->set_arch("sm_90");
  EXPECT_EQ(FromProto(request)->spec.device.uuid, "GPU-1") << "sm_90 means sm_90a";
  key->set_arch("sm_89");
  EXPECT_EQ(FromProto(request)->spec.device, *ReferenceDevice("sm_89"));
  const DeviceInventory none([] { return DiscoveredDevices{{}, "no driver"}; });
  key->clear_arch();
  EXPECT_EQ(TuneRequestFromProto(request, none)->spec.device, *ReferenceDevice("sm_90a"));
}

TEST(DeviceInventory, KeepsLostDevicesAsLastChoice) {
  std::vector<DeviceSpec> present = {Gpu("GPU-1", "sm_90a"), Gpu("GPU-2", "sm_90a")};
  DeviceInventory devices([&] { return DiscoveredDevices{present, ""}; });
  present.erase(present.begin());
  devices.Refresh();
  EXPECT_EQ(devices.Resolve("", "")->uuid, "GPU-2");
  EXPECT_EQ(devices.Resolve("GPU-1", "")->uuid, "GPU-1");
  v1::Device proto;
  ToProto(devices.List()->devices.back(), &proto);
  EXPECT_EQ(proto.uuid(), "GPU-1");
  EXPECT_EQ(proto.state(), "lost");
}

// Names of scalar fields (submessages included) that still have their default.
void CollectUnset(const Message& message, const std::string& prefix, std::set<std::string>& unset) {
  const auto* descriptor = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const bool set = field->is_repeated() ? reflection->FieldSize(message, field) > 0
                                          : reflection->HasField(message, field);
    if (!set)
      unset.insert(prefix + field->name());
    else if (!field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      CollectUnset(reflection->GetMessage(message, field), prefix + field->name() + ".", unset);
  }
}

BaselineReport FullBaseline() {
  BaselineReport report;
  report.library = "cublaslt 13.0";
  report.unavailable = "why";
  report.algorithms.resize(1);
  report.best = 1;
  report.first = 2;
  report.over_best = {1, 2, 3, 4};
  report.over_first = {5, 6, 7, 8};
  report.ours.median_ns = 9;
  report.discarded = {{"throttled", 1}};
  report.conditions = {1, 2, 3, 4, 5};
  return report;
}

TuneResult FullResult() {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 1000;
  TuneSpec spec;
  spec.problem = *Normalize(problem);
  spec.device = *ReferenceDevice("sm_90a");
  TuneResult result;
  result.key = KeyOf(spec);
  result.state = RowState::kMeasured;
  result.winner = {"00000000000000aa",
                   {"simt", {{"tile_m", 64}}},
                   "digest",
                   fakes::SampleLaunchPlan(),
                   1000,
                   990,
                   1010,
                   0.5};
  result.ties = {"00000000000000bb"};
  result.funnel = {{"space", 10}};
  result.conditions = {1, 2, 3, 4, 5};
  result.phases = {1, 2, 3, 4, 5, 6, 7};
  result.partial = true;
  result.device_uuid = "GPU-1";
  result.device_name = "name";
  result.driver_version = 13000;
  result.compiler = "nvrtc 13.0";
  result.template_digest = "templates";
  result.created_micros = 1;
  result.baseline = FullBaseline();
  return result;
}

TEST(ConvertReply, CarriesEveryFieldOfAResult) {
  v1::TuneResult proto;
  ToProto(FullResult(), &proto);
  std::set<std::string> unset;
  CollectUnset(proto, "", unset);
  EXPECT_EQ(unset, std::set<std::string>{"empty_problem"});
  EXPECT_EQ(proto.config(), "simt:tile_m=64");
  EXPECT_DOUBLE_EQ(proto.tflops(), 2000);  // 2e9 operations in a microsecond
}

TEST(ConvertReply, CarriesEveryFieldOfALaunch) {
  v1::TuneResult proto;
  ToProto(FullResult(), &proto);
  const v1::KernelLaunch& launch = proto.launches(0);
  std::set<std::string> unset;
  CollectUnset(launch, "", unset);
  for (const v1::TensorMap& map : launch.tensor_maps())
    CollectUnset(map, "tensor_maps.", unset);
  EXPECT_TRUE(unset.empty()) << *unset.begin();
  EXPECT_EQ(launch.grid(1), 22U);
  EXPECT_EQ(launch.block(0), 384U);
  EXPECT_EQ(launch.cluster(1), 11U);
  const v1::TensorMap& map = launch.tensor_maps(1);
  EXPECT_EQ(map.operand(), v1::MAP_OPERAND_D);
  EXPECT_EQ(map.type(), v1::DATA_TYPE_F32);
  EXPECT_EQ(map.dims_size(), 2);
  EXPECT_EQ(map.strides_size(), 1);
  EXPECT_EQ(map.strides(0), 4096);
  EXPECT_EQ(map.box(1), 64);
  EXPECT_EQ(proto.workspace_zero_bytes(), 1LL << 33);
}

Explanation FullExplanation() {
  ExplainedCandidate candidate;
  candidate.report.candidate_id = "00000000000000aa";
  candidate.report.config = {"mma_sync", {{"tile_m", 64}}};
  candidate.report.kind = OutcomeKind::kWrongResult;
  candidate.report.rule = "rule";
  candidate.report.detail = "a\nb";
  candidate.report.resources = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  candidate.report.predicted_ns = 1;
  candidate.report.predicted_bound = "dram";
  candidate.report.compiled = {{"entry", 1, 2, 3, 4, 5}};
  candidate.report.error_ratio = 2;
  candidate.report.measurement = Measurement{{10, 11}, 12, 13, 14, 15, 16, {1, 2, 3, 4, 5}};
  candidate.predicted_over_measured = 0.5;
  candidate.facts = CandidateFacts{.registers = 1,
                                   .registers_compiled = true,
                                   .occupancy = {2, 0.5, OccupancyLimiter::kRegisters},
                                   .waves = 3,
                                   .wave_efficiency = 0.75,
                                   .dram_bytes = 4,
                                   .fma_per_smem_byte = 5,
                                   .fma_per_smem_byte_needed = 6,
                                   .stages_needed = 7,
                                   .bank_conflicts = BankConflicts{2, 4, 112},
                                   .model = {}};
  Explanation explanation;
  explanation.device_name = "NVIDIA H200";
  explanation.reference_device = true;
  explanation.sentence = "why";
  explanation.notes = {"note"};
  explanation.candidates = {candidate, candidate};
  explanation.candidates[1].report.candidate_id = "00000000000000bb";
  explanation.comparison = Comparison{.winner_id = "00000000000000aa",
                                      .runner_up_id = "00000000000000bb",
                                      .measured = true,
                                      .winner_ns = 1,
                                      .runner_up_ns = 2,
                                      .tie = true,
                                      .tie_break = TieBreak::kSplitK,
                                      .tie_break_text = "no split-K",
                                      .winner_family = "simt",
                                      .runner_up_family = "mma_sync",
                                      .knobs = {{"stages", 3, 4}},
                                      .model = ModelFavours::kRunnerUp,
                                      .winner_predicted_ns = 5,
                                      .runner_up_predicted_ns = 6,
                                      .reason = "reason"};
  return explanation;
}

TEST(ConvertReply, CarriesEveryFieldOfAnExplanation) {
  v1::ExplainResponse proto;
  ToProto(FullExplanation(), "00000000000000bb", &proto);
  ASSERT_EQ(proto.candidates_size(), 1) << "the one that was asked for";
  std::set<std::string> unset;
  CollectUnset(proto, "", unset);
  EXPECT_EQ(unset, std::set<std::string>{"result"});
  unset.clear();
  const v1::ExplainedCandidate& candidate = proto.candidates(0);
  CollectUnset(candidate, "", unset);
  CollectUnset(candidate.compiled(0), "compiled.", unset);
  CollectUnset(proto.comparison().knobs(0), "knobs.", unset);
  EXPECT_TRUE(unset.empty()) << *unset.begin();
  EXPECT_EQ(candidate.candidate_id(), "00000000000000bb");
  EXPECT_EQ(candidate.outcome(), "wrong_result");
  EXPECT_EQ(candidate.detail(), "a\\nb");
  EXPECT_EQ(candidate.facts().limiter(), "registers");
  EXPECT_EQ(candidate.facts().extra_wavefronts(), 112);
  EXPECT_EQ(candidate.measurement().samples(), 2);
  EXPECT_EQ(proto.comparison().model_favours(), "runner_up");
}

TEST(ConvertReply, OfAllCandidatesTheSamplesStayAtHome) {
  v1::ExplainResponse proto;
  ToProto(FullExplanation(), "", &proto);
  ASSERT_EQ(proto.candidates_size(), 2);
  EXPECT_EQ(proto.candidates(0).measurement().samples_ns_size(), 0);
  EXPECT_EQ(proto.candidates(0).measurement().samples(), 2);
}

TEST(ConvertReply, BankConflictsThatAreNotToldStayUnset) {
  Explanation explanation = FullExplanation();
  explanation.candidates[0].facts->bank_conflicts.reset();
  v1::ExplainResponse proto;
  ToProto(explanation, "", &proto);
  EXPECT_FALSE(proto.candidates(0).facts().has_bank_ways_a());
  EXPECT_FALSE(proto.candidates(0).facts().has_extra_wavefronts());
  EXPECT_TRUE(proto.candidates(1).facts().has_bank_ways_b());
}

TEST(ConvertReply, EveryTypeHasItsProto) {
  std::set<int> types;
  for (const DTypeInfo& info : AllDTypes())
    types.insert(DataTypeToProto(info.type));
  EXPECT_EQ(types.size(), AllDTypes().size());
  EXPECT_FALSE(types.contains(v1::DATA_TYPE_UNSPECIFIED));
}

TEST(ConvertReply, CarriesEveryFieldOfAnAlgorithm) {
  BaselineReport report = FullBaseline();
  Measurement measurement;
  measurement.median_ns = 7;
  report.algorithms = {
      {1, "id 66", 2, OutcomeKind::kMeasured, "rule", "detail", 3, 4, measurement}};
  v1::BaselineReport proto;
  ToProto(report, &proto);
  std::set<std::string> unset;
  CollectUnset(proto.algorithms(0), "", unset);
  EXPECT_TRUE(unset.empty()) << *unset.begin();
  EXPECT_EQ(proto.algorithms(0).outcome(), "measured");
  EXPECT_EQ(proto.algorithms(0).time_ns(), 7);
}

TEST(ConvertReply, CarriesEveryFieldOfAnOperation) {
  Operation operation;
  operation.id = "id";
  operation.key = FullResult().key;
  operation.state = JobState::kFailed;
  operation.seq = 1;
  operation.progress = {TunePhase::kMeasure, 1, 2, 3, 4, 5, "best"};
  operation.result = std::make_shared<const TuneResult>(FullResult());
  operation.error = Status(StatusCode::kNotFound, "no candidate survived");
  operation.attempts = 1;
  operation.created_micros = 1;
  operation.from_store = true;
  v1::Operation proto;
  ToProto(operation, &proto);
  std::set<std::string> unset;
  CollectUnset(proto, "", unset);
  EXPECT_EQ(unset, (std::set<std::string>{"daemon_ms", "result.empty_problem"}));
  EXPECT_EQ(proto.name(), "operations/id");
  EXPECT_EQ(*OperationIdFromProto(proto.name()), "id");
  EXPECT_EQ(proto.error_code(), 5);
  EXPECT_EQ(OperationIdFromProto("id").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(OperationIdFromProto("operations/").status().code(), StatusCode::kInvalidArgument);
}

TEST(ConvertReply, KeepsInternalErrorsToItself) {
  Operation operation;
  operation.id = "id";
  operation.state = JobState::kFailed;
  operation.error = Status(StatusCode::kInternal, "INSERT INTO /home/user/store.db");
  v1::Operation proto;
  ToProto(operation, &proto);
  EXPECT_EQ(proto.error_code(), 13);
  EXPECT_EQ(proto.error_message(), "internal error; operations/id in the daemon's log");
}

TEST(ConvertReply, StatesMapOneToOne) {
  std::set<int> jobs;
  for (const JobState state : {JobState::kQueued, JobState::kRunning, JobState::kSucceeded,
                               JobState::kFailed, JobState::kCancelled}) {
    Operation operation;
    operation.state = state;
    v1::Operation proto;
    ToProto(operation, &proto);
    jobs.insert(proto.state());
  }
  EXPECT_EQ(jobs, (std::set<int>{1, 2, 3, 4, 5}));
  std::set<int> rows;
  for (const RowState state :
       {RowState::kPredicted, RowState::kStale, RowState::kUnverified, RowState::kMeasured}) {
    TuneResult result;
    result.state = state;
    v1::TuneResult proto;
    ToProto(result, &proto);
    rows.insert(proto.state());
  }
  EXPECT_EQ(rows, (std::set<int>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace tw
