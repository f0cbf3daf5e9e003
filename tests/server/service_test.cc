// A real gRPC server on a Unix socket over a fake store and a fake tune.
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/create_channel.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_context.h>
#include <gtest/gtest.h>

#include "codegen/compile/artifact_cache.h"
#include "codegen/core/digest.h"
#include "server/convert.h"
#include "server/rpc_server.h"
#include "tests/fakes/fake_benchmarker.h"
#include "tests/fakes/fake_compiler.h"
#include "tests/fakes/temp_dir.h"
#include "tests/server/fakes.h"
#include "tests/server/health.h"
#include "tilewright/v1/lookup.grpc.pb.h"
#include "tilewright/v1/tuning.grpc.pb.h"
#include "tuner/store/memory_store.h"

namespace tw {
namespace {

using fakes::TempDir;

constexpr const char* kCompiler = "nvrtc 13.0";

// Everything of a daemon but GPU, compiler and disk.
class Service : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = RpcServer::Start(deps_, {*ParseListenAddress("unix:" + socket_)});
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = *std::move(server);
    channel_ = Connect();
    lookup_ = v1::Lookup::NewStub(channel_);
    tuning_ = v1::Tuning::NewStub(channel_);
  }

  void TearDown() override {
    tune_.Open();
    queue_.Drain();
    hub_.Close();
    server_->Shutdown(std::chrono::milliseconds(500));
    EXPECT_EQ(hub_.watchers(), 0u) << "a stream outlived its call";
  }

  [[nodiscard]] std::shared_ptr<grpc::Channel> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel("unix:" + socket_, grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  static DeviceSpec Gpu() {
    DeviceSpec gpu = *ReferenceDevice("sm_90a");
    gpu.uuid = "GPU-1";
    return gpu;
  }

  grpc::Status CalibrateDevice(const std::string& uuid, v1::CalibrateDeviceResponse* response) {
    grpc::ClientContext context;
    v1::CalibrateDeviceRequest request;
    request.set_device_uuid(uuid);
    return tuning_->CalibrateDevice(&context, request, response);
  }

  static v1::StartTuneRequest Request(std::int64_t m) {
    v1::StartTuneRequest request;
    v1::GemmProblem* problem = request.mutable_key()->mutable_problem();
    problem->set_m(m);
    problem->set_n(64);
    problem->set_k(64);
    problem->mutable_a()->set_type(v1::DATA_TYPE_F32);
    return request;
  }

  v1::Operation StartTune(const v1::StartTuneRequest& request) {
    grpc::ClientContext context;
    v1::Operation operation;
    const grpc::Status status = tuning_->StartTune(&context, request, &operation);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return operation;
  }

  // The states of the operation up to the finished one.
  std::vector<v1::Operation> WatchToEnd(const std::string& name, std::uint64_t after = 0) {
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(name);
    request.set_resume_after_seq(after);
    const auto reader = tuning_->WatchOperation(&context, request);
    std::vector<v1::Operation> states;
    for (v1::Operation operation; reader->Read(&operation);)
      states.push_back(operation);
    const grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return states;
  }

  grpc::StatusCode GetConfig(const v1::Key& key,
                             v1::GetConfigResponse* response,
                             bool require_measured = false) {
    grpc::ClientContext context;
    v1::GetConfigRequest request;
    *request.mutable_key() = key;
    request.set_require_measured(require_measured);
    return lookup_->GetConfig(&context, request, response).error_code();
  }

  TempDir dir_;
  std::string socket_ = (dir_ / "d.sock");
  FakeClock clock_;
  FakeStore store_;
  GatedTune tune_{store_};
  TemplateStore templates_;
  ArtifactCache artifacts_ = *ArtifactCache::Open((dir_ / "artifacts"));
  DeviceInventory devices_{[] { return DiscoveredDevices{{Gpu()}, ""}; }};
  Toolchain toolchain_{{kCompiler, ""}, templates_, false};
  ResultReader reader_{store_, devices_, toolchain_};
  Activity activity_{clock_};
  OperationHub hub_{clock_};
  JobQueue queue_{{store_, hub_, clock_, tune_.Function(), {}}};
  Admission admission_{{store_, hub_, queue_, reader_, toolchain_, [this](const std::string& body) {
                          return DecodeTuneRequest(body, devices_);
                        }}};
  Log log_{LogLevel::kError};
  fakes::FakeCompiler compiler_;
  fakes::FakeBenchmarker benchmarker_{{Gpu()}};
  MemoryStore calibrations_;
  Calibrator calibrator_{{templates_, compiler_, benchmarker_, calibrations_, clock_}};
  ServerDeps deps_{store_,
                   reader_,
                   artifacts_,
                   devices_,
                   toolchain_,
                   hub_,
                   queue_,
                   admission_,
                   calibrator_,
                   activity_,
                   clock_,
                   log_,
                   {"1.2.3", "store.db", 2, {}}};
  std::unique_ptr<RpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Lookup::Stub> lookup_;
  std::unique_ptr<v1::Tuning::Stub> tuning_;
};

TEST_F(Service, SocketIsPrivate) {
  struct stat info {};

  ASSERT_EQ(::stat(socket_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(Service, TunesWatchesThenAnswersFromTheStore) {
  const v1::StartTuneRequest request = Request(128);
  v1::GetConfigResponse config;
  EXPECT_EQ(GetConfig(request.key(), &config), grpc::NOT_FOUND);
  const v1::Operation started = StartTune(request);
  EXPECT_EQ(started.state(), v1::OPERATION_STATE_QUEUED);
  EXPECT_TRUE(started.name().starts_with("operations/"));
  tune_.AwaitStarts(1);
  tune_.Open();
  const auto states = WatchToEnd(started.name());
  ASSERT_FALSE(states.empty());
  for (std::size_t i = 1; i < states.size(); ++i)
    EXPECT_GT(states[i].seq(), states[i - 1].seq());
  EXPECT_EQ(states.back().state(), v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_EQ(states.back().result().state(), v1::RESULT_STATE_MEASURED);

  const v1::Operation again = StartTune(request);
  EXPECT_TRUE(again.from_store());
  EXPECT_EQ(again.state(), v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_EQ(again.result().candidate_id(), states.back().result().candidate_id());
  EXPECT_EQ(tune_.starts(), 1);
  ASSERT_EQ(GetConfig(request.key(), &config, true), grpc::OK);
  EXPECT_EQ(config.result().key_text(), states.back().key_text());
  EXPECT_EQ(GetConfig(Request(129).key(), &config), grpc::NOT_FOUND);
}

TEST_F(Service, WatchersMayComeAndGo) {
  const v1::Operation started = StartTune(Request(128));
  tune_.AwaitStarts(1);
  {
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(started.name());
    const auto reader = tuning_->WatchOperation(&context, request);
    v1::Operation operation;
    ASSERT_TRUE(reader->Read(&operation));
    EXPECT_EQ(operation.name(), started.name());
    context.TryCancel();
    while (reader->Read(&operation)) {
    }
    EXPECT_EQ(reader->Finish().error_code(), grpc::CANCELLED);
  }
  EXPECT_EQ(queue_.counts().running, 1) << "the job goes on";
  tune_.Open();
  EXPECT_EQ(WatchToEnd(started.name(), started.seq()).back().state(),
            v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_EQ(WatchToEnd(started.name()).size(), 1u) << "a finished operation: its state, the end";
}

TEST_F(Service, ADroppedConnectionDoesNotHarmTheJob) {
  const v1::Operation started = StartTune(Request(128));
  tune_.AwaitStarts(1);
  for (int i = 0; i < 20; ++i) {
    const auto channel = Connect();
    const auto stub = v1::Tuning::NewStub(channel);
    grpc::ClientContext context;
    v1::WatchOperationRequest request;
    request.set_name(started.name());
    const auto reader = stub->WatchOperation(&context, request);
    if (i % 2 == 0) {
      v1::Operation operation;
      EXPECT_TRUE(reader->Read(&operation));
    }
    context.TryCancel();
  }
  tune_.Open();
  EXPECT_EQ(WatchToEnd(started.name()).back().state(), v1::OPERATION_STATE_SUCCEEDED);
}

TEST_F(Service, SixteenClientsShareOneOperation) {
  std::vector<std::string> names(16);
  {
    std::vector<std::jthread> clients;
    for (std::string& name : names) {
      clients.emplace_back([&] {
        const auto stub = v1::Tuning::NewStub(Connect());
        grpc::ClientContext context;
        v1::Operation operation;
        EXPECT_TRUE(stub->StartTune(&context, Request(128), &operation).ok());
        name = operation.name();
      });
    }
  }
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 1u);
  tune_.Open();
  EXPECT_EQ(WatchToEnd(names[0]).back().state(), v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_EQ(tune_.starts(), 1);
}

TEST_F(Service, CancelEndsInCancelled) {
  const v1::Operation started = StartTune(Request(128));
  tune_.AwaitStarts(1);
  v1::CancelOperationRequest request;
  request.set_name(started.name());
  for (int i = 0; i < 2; ++i) {
    grpc::ClientContext context;
    v1::Operation operation;
    EXPECT_TRUE(tuning_->CancelOperation(&context, request, &operation).ok());
  }
  EXPECT_EQ(WatchToEnd(started.name()).back().state(), v1::OPERATION_STATE_CANCELLED);
}

TEST_F(Service, ListsGetsAndReports) {
  const v1::Operation first = StartTune(Request(128));
  clock_.Advance(std::chrono::seconds(1));
  const v1::Operation second = StartTune(Request(129));
  v1::ListOperationsResponse list;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(tuning_->ListOperations(&context, {}, &list).ok());
  }
  ASSERT_EQ(list.operations_size(), 2);
  EXPECT_EQ(list.operations(0).name(), second.name());
  {
    grpc::ClientContext context;
    v1::GetOperationRequest request;
    request.set_name(first.name());
    v1::Operation operation;
    ASSERT_TRUE(tuning_->GetOperation(&context, request, &operation).ok());
    EXPECT_EQ(operation.key_text(), first.key_text());
  }
  v1::ListDevicesResponse devices;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(tuning_->ListDevices(&context, {}, &devices).ok());
  }
  ASSERT_EQ(devices.devices_size(), 1);
  EXPECT_EQ(devices.devices(0).uuid(), "GPU-1");
  EXPECT_GT(devices.known_archs_size(), 3);
  tune_.AwaitStarts(1);
  v1::GetStatusResponse status;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(tuning_->GetStatus(&context, {}, &status).ok());
  }
  EXPECT_EQ(status.version(), "1.2.3");
  EXPECT_EQ(status.running(), 1);
  EXPECT_EQ(status.queued(), 1);
  EXPECT_EQ(status.compiler(), kCompiler);
  EXPECT_EQ(status.devices(), 1);
}

TEST_F(Service, EmptyProblemsNeedNoTune) {
  const v1::Operation operation = StartTune(Request(0));
  EXPECT_EQ(operation.state(), v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_TRUE(operation.result().empty_problem());
  v1::GetConfigResponse config;
  ASSERT_EQ(GetConfig(Request(0).key(), &config), grpc::OK);
  EXPECT_TRUE(config.result().empty_problem());
}

TEST_F(Service, ErrorsNameTheField) {
  grpc::ClientContext context;
  v1::Operation operation;
  const grpc::Status status = tuning_->StartTune(&context, Request(-1), &operation);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_NE(status.error_message().find("m = -1"), std::string::npos) << status.error_message();
  grpc::ClientContext watch_context;
  v1::WatchOperationRequest watch;
  watch.set_name("operations/unknown");
  const auto reader = tuning_->WatchOperation(&watch_context, watch);
  EXPECT_FALSE(reader->Read(&operation));
  EXPECT_EQ(reader->Finish().error_code(), grpc::NOT_FOUND);
}

TEST_F(Service, OversizedRequestsAreRefusedAndTheConnectionLives) {
  v1::StartTuneRequest request = Request(128);
  request.set_family(std::string((1 << 20) + 1, 'x'));
  grpc::ClientContext context;
  v1::Operation operation;
  EXPECT_EQ(tuning_->StartTune(&context, request, &operation).error_code(),
            grpc::RESOURCE_EXHAUSTED);
  EXPECT_FALSE(StartTune(Request(128)).name().empty());
}

TEST_F(Service, SourceComesFromTheArtefactCache) {
  const v1::StartTuneRequest request = Request(128);
  const TuneRequest tune = *TuneRequestFromProto(request, devices_);
  const std::string text = "__global__ void entry() {}";
  const KernelSource source{"entry", text, "sm_90a", {}, Sha256Hex(text)};
  TuneResult row;
  row.key = KeyOf(tune.spec);
  row.winner.source_digest = source.digest;
  row.winner.launch.launches.push_back({"entry", {1, 1, 1}, {32, 1, 1}, 0});
  ASSERT_TRUE(store_.PutResult(row).ok());
  v1::GetSourceRequest get;
  *get.mutable_key() = request.key();
  v1::GetSourceResponse response;
  {
    grpc::ClientContext context;
    EXPECT_EQ(lookup_->GetSource(&context, get, &response).error_code(), grpc::NOT_FOUND)
        << "not kept any more";
  }
  CompiledKernel kernel;
  kernel.arch = "sm_90a";
  kernel.cubin = "cubin";
  kernel.compiler = kCompiler;
  ASSERT_TRUE(artifacts_.Put(source, kernel).ok());
  grpc::ClientContext context;
  const grpc::Status status = lookup_->GetSource(&context, get, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.source(), text);
  EXPECT_EQ(response.entry(), "entry");
  EXPECT_EQ(response.source_digest(), source.digest);
}

// A compiled candidate of a 128 x 64 x 64 tile.
CandidateReport Report(const std::string& id, double predicted_ns, int stages) {
  CandidateReport report;
  report.candidate_id = id;
  report.config = {"simt", {{"stages", stages}}};
  report.kind = OutcomeKind::kCompiled;
  report.predicted_ns = predicted_ns;
  report.resources.threads = 128;
  report.resources.tile_m = report.resources.tile_n = 64;
  report.resources.tile_k = 8;
  report.resources.blocks = report.resources.tiles = 2;
  report.resources.stages = stages;
  return report;
}

TEST_F(Service, ExplainsFromTheReportsOfTheRun) {
  const v1::StartTuneRequest request = Request(128);
  v1::ExplainRequest ask;
  *ask.mutable_key() = request.key();
  v1::ExplainResponse response;
  const auto explain = [&](const std::string& id) {
    grpc::ClientContext context;
    ask.set_candidate_id(id);
    response.Clear();
    return lookup_->Explain(&context, ask, &response);
  };
  const grpc::Status miss = explain("");
  EXPECT_EQ(miss.error_code(), grpc::NOT_FOUND);
  EXPECT_TRUE(miss.error_message().starts_with("no result for gemm1 m=128"))
      << miss.error_message();

  TuneResult row;
  row.key = KeyOf(TuneRequestFromProto(request, devices_)->spec);
  row.winner.candidate_id = "00000000000000aa";
  row.funnel = {{"space", 10}, {"wrong_result:wrong_element", 1}};
  row.device_uuid = "GPU-gone";
  row.run_id = "run";
  ASSERT_TRUE(store_.PutResult(row).ok());
  ASSERT_TRUE(store_.PutReport("run", Report("00000000000000bb", 2200, 3)).ok());
  ASSERT_TRUE(store_.PutReport("run", Report("00000000000000aa", 2000, 2)).ok());
  ASSERT_TRUE(store_.PutReport("other", Report("00000000000000cc", 1000, 2)).ok());

  ASSERT_TRUE(explain("").ok());
  ASSERT_EQ(response.candidates_size(), 2) << "those of this run";
  EXPECT_EQ(response.candidates(0).candidate_id(), "00000000000000aa");
  EXPECT_TRUE(response.sentence().starts_with(
      "00000000000000aa is predicted ahead of 00000000000000bb: 2 us against 2.2 us, 9.09 % less"))
      << response.sentence();
  EXPECT_EQ(response.comparison().knobs(0).knob(), "stages");
  EXPECT_EQ(response.result().funnel().at("wrong_result:wrong_element"), 1);
  EXPECT_EQ(response.device_name(), "NVIDIA H200");
  EXPECT_FALSE(response.reference_device()) << "GPU-1 is of the same class";
  EXPECT_EQ(response.notes_size(), 1);

  ASSERT_TRUE(explain("00000000000000bb").ok());
  ASSERT_EQ(response.candidates_size(), 1);
  EXPECT_EQ(response.candidates(0).config(), "simt:stages=3");
  EXPECT_TRUE(response.has_comparison());

  const grpc::Status unknown = explain("00000000000000cc");
  EXPECT_EQ(unknown.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(unknown.error_message(),
            "candidate_id = 00000000000000cc: the run that made the result has no report of it");
  EXPECT_EQ(explain("\n").error_code(), grpc::INVALID_ARGUMENT);
  ask.mutable_key()->mutable_problem()->set_m(0);
  EXPECT_EQ(explain("").error_code(), grpc::FAILED_PRECONDITION);
}

TEST_F(Service, LookupsDoNotWaitForExplanationsThatWaitForTheDisk) {
  const v1::StartTuneRequest request = Request(128);
  TuneResult row;
  row.key = KeyOf(TuneRequestFromProto(request, devices_)->spec);
  row.run_id = "run";
  ASSERT_TRUE(store_.PutResult(row).ok());
  store_.HoldReports(true);
  v1::ExplainRequest ask;
  *ask.mutable_key() = request.key();
  // More than the transport has threads.
  constexpr int kCalls = 32;
  std::vector<std::jthread> callers;
  std::atomic<int> answered = 0;
  for (int i = 0; i < kCalls; ++i) {
    callers.emplace_back([&] {
      grpc::ClientContext context;
      v1::ExplainResponse response;
      answered += lookup_->Explain(&context, ask, &response).ok() ? 1 : 0;
    });
  }
  store_.AwaitReading();
  for (int i = 0; i < kCalls; ++i) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    v1::GetConfigRequest get;
    *get.mutable_key() = request.key();
    v1::GetConfigResponse response;
    const grpc::Status status = lookup_->GetConfig(&context, get, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    if (!status.ok()) {
      break;
    }
  }
  store_.HoldReports(false);
  callers.clear();
  EXPECT_EQ(answered, kCalls);
}

TEST_F(Service, CalibratesAGpuAndStoresWhatItFinds) {
  benchmarker_.calibrate = [](const std::string& uuid) {
    Calibration measured = TableValues(Gpu());
    EXPECT_EQ(uuid, "GPU-1");
    measured.sm_clock_hz = 1.5e9;
    return Result<Calibration>(measured);
  };
  v1::CalibrateDeviceResponse response;
  const grpc::Status status = CalibrateDevice("", &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.device_uuid(), "GPU-1");
  EXPECT_EQ(response.device_name(), "NVIDIA H200");
  EXPECT_EQ(response.measured().sm_clock_hz(), 1.5e9);
  EXPECT_EQ(response.measured().l2_bytes_per_clock_per_sm(), 42);
  EXPECT_EQ(response.table().sm_clock_hz(), 1.755e9);
  EXPECT_EQ(response.table().launch_s(), 2e-6);
  EXPECT_EQ(response.table().dram_bytes_per_s(), 4.3e12);
  EXPECT_EQ(response.created_micros(), clock_.WallMicros());
  EXPECT_EQ(calibrations_.FindCalibration("GPU-1", 0)->sm_clock_hz, 1.5e9);
}

TEST_F(Service, WhatCannotBeCalibratedIsAStatus) {
  v1::CalibrateDeviceResponse response;
  EXPECT_EQ(CalibrateDevice("GPU-2", &response).error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(CalibrateDevice("GPU\n", &response).error_code(), grpc::INVALID_ARGUMENT);
  benchmarker_.calibrate = [](const std::string&) {
    Calibration measured = TableValues(Gpu());
    measured.dram_bytes_per_s = 1e11;
    return Result<Calibration>(measured);
  };
  const grpc::Status status = CalibrateDevice("GPU-1", &response);
  EXPECT_EQ(status.error_code(), grpc::ABORTED);
  EXPECT_NE(status.error_message().find("dram_bytes_per_s = 1e+11: must lie within"),
            std::string::npos)
      << status.error_message();
  EXPECT_FALSE(calibrations_.FindCalibration("GPU-1", 0));
}

TEST_F(Service, HealthFollowsTheDaemon) {
  for (const char* service : {"", "lookup", "tuning"})
    EXPECT_EQ(CheckHealth(channel_, service), Health::kServing) << service;
  EXPECT_EQ(CheckHealth(channel_, "nonsense"), Health::kUnknown);
  server_->SetNotServing();
  for (const char* service : {"", "lookup", "tuning"})
    EXPECT_EQ(CheckHealth(channel_, service), Health::kNotServing) << service;
}

TEST_F(Service, ClosingTheHubEndsStreamsWithUnavailable) {
  const v1::Operation started = StartTune(Request(128));
  tune_.AwaitStarts(1);
  grpc::ClientContext context;
  v1::WatchOperationRequest request;
  request.set_name(started.name());
  const auto reader = tuning_->WatchOperation(&context, request);
  v1::Operation operation;
  ASSERT_TRUE(reader->Read(&operation));
  hub_.Close();
  while (reader->Read(&operation)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::UNAVAILABLE);
}

TEST_F(Service, AStreamCountsAsActivity) {
  const v1::Operation started = StartTune(Request(128));
  clock_.Advance(std::chrono::seconds(100));
  EXPECT_GE(activity_.IdleFor(), std::chrono::seconds(100));
  grpc::ClientContext context;
  v1::WatchOperationRequest request;
  request.set_name(started.name());
  const auto reader = tuning_->WatchOperation(&context, request);
  v1::Operation operation;
  ASSERT_TRUE(reader->Read(&operation));
  EXPECT_EQ(activity_.IdleFor(), std::chrono::seconds(0));
  context.TryCancel();
}

TEST_F(Service, ASecondServerDoesNotStealTheSocket) {
  const auto second = RpcServer::Start(deps_, {*ParseListenAddress("unix:" + socket_)});
  EXPECT_EQ(second.status().code(), StatusCode::kAborted);
  EXPECT_FALSE(StartTune(Request(128)).name().empty()) << "the first still answers";
}

TEST_F(Service, ReportsTheChosenPortAndRefusesATakenOne) {
  const auto any = RpcServer::Start(deps_, {*ParseListenAddress("127.0.0.1:0")});
  ASSERT_TRUE(any.ok()) << any.status().ToString();
  const ListenAddress address = (*any)->addresses().front();
  EXPECT_GT(address.port, 0);
  const auto second = RpcServer::Start(deps_, {address});
  EXPECT_EQ(second.status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(Service, WithoutACompilerTuningIsNotServed) {
  const Toolchain none({"", "no libnvrtc"}, templates_, false);
  ServerDeps deps{store_,     reader_,     artifacts_, devices_, none, hub_, queue_,
                  admission_, calibrator_, activity_,  clock_,   log_, {}};
  const auto server = RpcServer::Start(deps, {*ParseListenAddress("127.0.0.1:0")});
  ASSERT_TRUE(server.ok());
  const auto channel = grpc::CreateChannel((*server)->addresses().front().Text(),
                                           grpc::InsecureChannelCredentials());
  EXPECT_EQ(CheckHealth(channel, "lookup"), Health::kServing);
  EXPECT_EQ(CheckHealth(channel, "tuning"), Health::kNotServing);
}

}  // namespace
}  // namespace tw
