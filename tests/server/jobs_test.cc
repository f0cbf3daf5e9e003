// Queue, hub and admission over fakes: no gRPC, no GPU, no disk.
// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/admission.h"
#include "server/job_queue.h"
#include "server/operation_hub.h"
#include "tests/server/fakes.h"

namespace tw {
namespace {

constexpr std::string_view kCompiler = "nvrtc 13.0";

DeviceSpec Gpu() {
  DeviceSpec device = *ReferenceDevice("sm_90a");
  device.uuid = "GPU-1";
  device.driver_version = 13000;
  return device;
}

TuneSpec SpecOf(std::int64_t m, const DeviceSpec& device = Gpu()) {
  TuneSpec spec;
  GemmProblem problem;
  problem.m = m;
  problem.n = problem.k = 64;
  spec.problem = *Normalize(problem);
  spec.device = device;
  return spec;
}

// Bodies of these tests: "M[,id]".
TuneRequest RequestOf(std::int64_t m, std::string id = {}, const DeviceSpec& device = Gpu()) {
  TuneRequest request;
  request.spec = SpecOf(m, device);
  request.request_id = std::move(id);
  request.body = std::to_string(m) + "," + request.request_id;
  return request;
}

Result<TuneRequest> Decode(const std::string& body) {
  const auto comma = body.find(',');
  if (comma == std::string::npos)
    return Status(StatusCode::kDataLoss, "not a request");
  return RequestOf(std::stoll(body.substr(0, comma)), body.substr(comma + 1));
}

// One daemon's life over a store that outlives it.
struct Daemon {
  explicit Daemon(FakeStore& store,
                  TuneFunction tune,
                  JobQueueLimits limits = {},
                  std::string compiler = std::string(kCompiler))
      : devices([] {
          return DiscoveredDevices{{Gpu()}, ""};
        }),
        toolchain({std::move(compiler), "no libnvrtc"}, templates, false),
        reader(store, devices, toolchain),
        hub(clock),
        queue({store, hub, clock, std::move(tune), {}}, limits),
        admission({store, hub, queue, reader, toolchain, Decode}) {}

  // Waits for the operation to end.
  Operation Await(const std::string& id) {
    std::shared_ptr<OperationWatch> watch;
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Operation> last;
    bool ready = false;
    watch = hub.Watch(id, 0,
                      {[&](const Operation& operation) {
                         const std::lock_guard lock(mutex);
                         last = operation;
                         ready = true;
                         changed.notify_all();
                       },
                       nullptr});
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return ready; });
      if (IsFinished(last->state))
        break;
      ready = false;
      lock.unlock();
      watch->Ready();
    }
    watch->Stop();
    return *last;
  }

  FakeClock clock;
  TemplateStore templates;
  DeviceInventory devices;
  Toolchain toolchain;
  ResultReader reader;
  OperationHub hub;
  JobQueue queue;
  Admission admission;
};

JobRecord JobOf(const FakeStore& store, const std::string& id) {
  const auto jobs = *store.Jobs();
  for (const JobRecord& job : jobs) {
    if (job.id == id)
      return job;
  }
  ADD_FAILURE() << "no job " << id;
  return {};
}

TEST(JobQueue, SixtyFourIdenticalRequestsShareOneRun) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  std::vector<std::string> ids(64);
  {
    std::vector<std::jthread> clients;
    for (std::string& id : ids)
      clients.emplace_back([&] { id = daemon.admission.Start(RequestOf(128))->id; });
    tune.Open();
  }
  std::set<std::string> ran;
  for (const std::string& id : ids) {
    const Operation operation = daemon.Await(id);
    EXPECT_EQ(operation.state, JobState::kSucceeded);
    ASSERT_NE(operation.result, nullptr);
    if (!operation.from_store)
      ran.insert(id);
  }
  EXPECT_EQ(tune.starts(), 1);
  EXPECT_EQ(ran.size(), 1u);
}

TEST(JobQueue, JoinsWhileRunningAndSeparatesFamilies) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto first = daemon.admission.Start(RequestOf(128));
  tune.AwaitStarts(1);
  EXPECT_EQ(daemon.admission.Start(RequestOf(128))->id, first->id);
  TuneRequest restricted = RequestOf(128);
  restricted.spec.options.family = "simt";
  EXPECT_NE(daemon.admission.Start(restricted)->id, first->id);
  TuneRequest compared = RequestOf(128);
  compared.spec.options.baseline = true;
  EXPECT_NE(daemon.admission.Start(compared)->id, first->id);
  EXPECT_NE(daemon.admission.Start(RequestOf(129))->id, first->id);
}

TEST(JobQueue, RetuneJoinsOnlyWhatHasNotStarted) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto running = daemon.admission.Start(RequestOf(128));
  tune.AwaitStarts(1);
  TuneRequest again = RequestOf(128);
  again.retune = true;
  const auto queued = daemon.admission.Start(again);
  EXPECT_NE(queued->id, running->id);
  EXPECT_EQ(daemon.admission.Start(again)->id, queued->id);
}

TEST(JobQueue, RunsEachDeviceOnItsOwnThreadInOrder) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto a = daemon.admission.Start(RequestOf(1));
  const auto b = daemon.admission.Start(RequestOf(2));
  const auto c = daemon.admission.Start(RequestOf(3));
  const auto no_gpu = daemon.admission.Start(RequestOf(4, "", *ReferenceDevice("sm_80")));
  tune.AwaitStarts(2);  // a, and no_gpu beside it
  EXPECT_EQ(daemon.queue.counts().running, 2);
  EXPECT_EQ(daemon.queue.counts().queued, 2);
  tune.Open();
  for (const auto* operation : {&a, &b, &c, &no_gpu})
    EXPECT_EQ(daemon.Await((*operation)->id).state, JobState::kSucceeded);
  auto order = tune.run_ids();
  std::erase(order, (*no_gpu).id);
  EXPECT_EQ(order, (std::vector{a->id, b->id, c->id}));
}

TEST(JobQueue, CancelsQueuedAtOnceAndRunningAtItsNextStop) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto running = daemon.admission.Start(RequestOf(1));
  const auto queued = daemon.admission.Start(RequestOf(2));
  tune.AwaitStarts(1);
  EXPECT_EQ(daemon.queue.Cancel(queued->id)->state, JobState::kCancelled);
  ASSERT_TRUE(daemon.queue.Cancel(running->id).ok());
  EXPECT_EQ(daemon.Await(running->id).state, JobState::kCancelled);
  EXPECT_EQ(daemon.queue.Cancel(running->id)->state, JobState::kCancelled) << "idempotent";
  EXPECT_EQ(JobOf(store, running->id).state, JobState::kCancelled);
  EXPECT_EQ(JobOf(store, queued->id).state, JobState::kCancelled);
  EXPECT_EQ(tune.starts(), 1);
  EXPECT_EQ(daemon.queue.Cancel("unknown").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(daemon.queue.counts().queued, 0);
}

TEST(JobQueue, NobodyJoinsACancelledJob) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto first = daemon.admission.Start(RequestOf(1));
  tune.AwaitStarts(1);
  ASSERT_TRUE(daemon.queue.Cancel(first->id).ok());
  const auto second = daemon.admission.Start(RequestOf(1));
  EXPECT_NE(second->id, first->id);
}

TEST(JobQueue, RefusesBeyondItsBound) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function(), {.queued = 2});
  ASSERT_TRUE(daemon.admission.Start(RequestOf(1)).ok());
  tune.AwaitStarts(1);
  ASSERT_TRUE(daemon.admission.Start(RequestOf(2)).ok());
  ASSERT_TRUE(daemon.admission.Start(RequestOf(3)).ok());
  EXPECT_EQ(daemon.admission.Start(RequestOf(4)).status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(daemon.admission.Start(RequestOf(3)).ok()) << "joining needs no place";
  EXPECT_EQ(store.Jobs()->size(), 3u);
}

TEST(JobQueue, RefusesWhatItCannotStore) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  store.FailJobs(Status(StatusCode::kResourceExhausted, "disk full"));
  EXPECT_EQ(daemon.admission.Start(RequestOf(1)).status().code(), StatusCode::kResourceExhausted);
  store.FailJobs(OkStatus());
  EXPECT_TRUE(daemon.admission.Start(RequestOf(1)).ok());
}

TEST(JobQueue, FailureCarriesTheTunersStatus) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  tune.Fail(Status(StatusCode::kNotFound, "no candidate survived"));
  tune.Open();
  const Operation operation = daemon.Await(daemon.admission.Start(RequestOf(1))->id);
  EXPECT_EQ(operation.state, JobState::kFailed);
  EXPECT_EQ(operation.error.code(), StatusCode::kNotFound);
  EXPECT_EQ(JobOf(store, operation.id).error, "no candidate survived");
}

TEST(JobQueue, DrainLeavesUnfinishedJobsToTheNextDaemonWithoutCountingTheAttempt) {
  FakeStore store;
  std::string running;
  std::string queued;
  {
    GatedTune tune(store);
    Daemon daemon(store, tune.Function());
    running = daemon.admission.Start(RequestOf(1, "id-1"))->id;
    queued = daemon.admission.Start(RequestOf(2))->id;
    tune.AwaitStarts(1);
    daemon.queue.Drain();
    EXPECT_EQ(daemon.admission.Start(RequestOf(3)).status().code(), StatusCode::kUnavailable);
  }
  EXPECT_EQ(JobOf(store, running).state, JobState::kQueued);
  EXPECT_EQ(JobOf(store, running).attempts, 0);
  EXPECT_EQ(JobOf(store, queued).state, JobState::kQueued);

  GatedTune tune(store);
  tune.Open();
  Daemon daemon(store, tune.Function());
  ASSERT_EQ(*daemon.admission.Resume(), 2);
  EXPECT_EQ(daemon.Await(running).state, JobState::kSucceeded);
  EXPECT_EQ(daemon.Await(queued).state, JobState::kSucceeded);
  EXPECT_EQ(tune.run_ids(), (std::vector{running, queued})) << "same ids: reports are reused";
  EXPECT_EQ(daemon.admission.Start(RequestOf(1, "id-1"))->id, running) << "request_id survives";
}

// The store as a killed daemon leaves it.
JobRecord RunningJob(std::int64_t m, int attempts) {
  JobRecord job;
  job.id = "job-" + std::to_string(m);
  job.key = KeyOf(SpecOf(m));
  job.state = JobState::kRunning;
  job.attempts = attempts;
  job.request = std::to_string(m) + ",";
  job.created_micros = job.updated_micros = 1'699'999'000'000'000;
  return job;
}

TEST(JobQueue, ResumesAfterAKill) {
  FakeStore store;
  ASSERT_TRUE(store.PutJob(RunningJob(1, 1)).ok());
  GatedTune tune(store);
  tune.Open();
  Daemon daemon(store, tune.Function());
  ASSERT_EQ(*daemon.admission.Resume(), 1);
  const Operation operation = daemon.Await("job-1");
  EXPECT_EQ(operation.state, JobState::kSucceeded);
  EXPECT_EQ(operation.attempts, 2);
}

TEST(JobQueue, GivesUpAPoisonJobAfterThreeAttempts) {
  FakeStore store;
  ASSERT_TRUE(store.PutJob(RunningJob(1, 3)).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  ASSERT_EQ(*daemon.admission.Resume(), 1);
  const Operation operation = daemon.Await("job-1");
  EXPECT_EQ(operation.state, JobState::kFailed);
  EXPECT_NE(operation.error.message().find("poison job"), std::string::npos);
  EXPECT_EQ(tune.starts(), 0);
  EXPECT_EQ(JobOf(store, "job-1").state, JobState::kFailed);
}

TEST(Admission, ResumeFailsWhatTodaysDevicesCannotCarry) {
  FakeStore store;
  JobRecord elsewhere = RunningJob(1, 1);
  elsewhere.key.device_class = "sm_80/108sm/40gb";
  JobRecord unreadable = RunningJob(2, 1);
  unreadable.request = "garbage";
  JobRecord finished = RunningJob(3, 1);
  finished.state = JobState::kFailed;
  finished.error_code = StatusCode::kNotFound;
  for (const JobRecord& job : {elsewhere, unreadable, finished})
    ASSERT_TRUE(store.PutJob(job).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  EXPECT_EQ(*daemon.admission.Resume(), 0);
  EXPECT_EQ(daemon.hub.Find("job-1")->error.code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(daemon.hub.Find("job-2")->error.code(), StatusCode::kDataLoss);
  EXPECT_EQ(daemon.hub.Find("job-3")->error.code(), StatusCode::kNotFound);
}

TuneResult Row(const TuneSpec& spec, RowState state) {
  TuneResult row;
  row.key = KeyOf(spec);
  row.state = state;
  row.compiler = kCompiler;
  row.template_digest = *TemplateStore().Digest();
  row.driver_version = state == RowState::kPredicted ? 0 : 13000;
  row.winner.config.family = "mma_sync";
  return row;
}

TEST(Admission, AnswersMeasuredRowsFromTheStore) {
  FakeStore store;
  ASSERT_TRUE(store.PutResult(Row(SpecOf(1), RowState::kMeasured)).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto operation = daemon.admission.Start(RequestOf(1));
  EXPECT_EQ(operation->state, JobState::kSucceeded);
  EXPECT_TRUE(operation->from_store);
  EXPECT_TRUE(store.Jobs()->empty());
  TuneRequest again = RequestOf(1);
  again.retune = true;
  EXPECT_EQ(daemon.admission.Start(again)->state, JobState::kQueued);
  TuneRequest other_family = RequestOf(1);
  other_family.spec.options.family = "simt";
  EXPECT_FALSE(daemon.admission.Start(other_family)->from_store);
}

TEST(Admission, AComparisonThatTheStoreLacksIsWork) {
  FakeStore store;
  TuneResult row = Row(SpecOf(1), RowState::kMeasured);
  row.baseline.emplace().regime = Regime::kHot;
  ASSERT_TRUE(store.PutResult(row).ok());
  ASSERT_TRUE(store.PutResult(Row(SpecOf(2), RowState::kMeasured)).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  auto from_store = [&](int m, bool keep, Regime regime) {
    TuneRequest request = RequestOf(m);
    request.spec.options.baseline = true;
    request.spec.options.keep_winner = keep;
    request.spec.options.regime = regime;
    return daemon.admission.Start(request)->from_store;
  };
  EXPECT_TRUE(from_store(1, false, Regime::kHot));
  EXPECT_FALSE(from_store(1, false, Regime::kCool));
  EXPECT_FALSE(from_store(1, true, Regime::kHot));
  EXPECT_FALSE(from_store(2, false, Regime::kHot));
}

TEST(Admission, WithoutAGpuNoComparisonIsWaitedFor) {
  FakeStore store;
  const DeviceSpec device = *ReferenceDevice("sm_80");
  ASSERT_TRUE(store.PutResult(Row(SpecOf(1, device), RowState::kMeasured)).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  TuneRequest request = RequestOf(1, "", device);
  request.spec.options.baseline = true;
  const auto operation = daemon.admission.Start(request);
  EXPECT_TRUE(operation->from_store);
  EXPECT_FALSE(operation->result->baseline->unavailable.empty());
}

struct ServedCase {
  RowState state;
  bool other_compiler;
  bool gpu;
  bool served;
};

TEST(Admission, TreatsEveryStateButMeasuredAsWorkWhereThereIsAGpu) {
  const ServedCase cases[] = {
      {RowState::kMeasured, false, true, true},    {RowState::kMeasured, true, true, false},
      {RowState::kUnverified, false, true, false}, {RowState::kPredicted, false, true, false},
      {RowState::kMeasured, false, false, true},   {RowState::kMeasured, true, false, true},
      {RowState::kUnverified, false, false, true}, {RowState::kPredicted, false, false, true},
      {RowState::kPredicted, true, false, false},
  };
  for (const ServedCase& c : cases) {
    SCOPED_TRACE(std::string(Name(c.state)) + (c.other_compiler ? " other compiler" : "") +
                 (c.gpu ? " gpu" : ""));
    FakeStore store;
    const DeviceSpec device = c.gpu ? Gpu() : *ReferenceDevice("sm_80");
    TuneResult row = Row(SpecOf(1, device), c.state);
    if (c.other_compiler)
      row.compiler = "nvrtc 12.8";
    ASSERT_TRUE(store.PutResult(row).ok());
    GatedTune tune(store);
    Daemon daemon(store, tune.Function());
    const auto operation = daemon.admission.Start(RequestOf(1, "", device));
    ASSERT_TRUE(operation.ok()) << operation.status().ToString();
    EXPECT_EQ(operation->from_store, c.served);
    if (c.served && c.other_compiler) {
      EXPECT_EQ(operation->result->state, RowState::kStale);
    }
  }
}

TEST(ResultReader, ComparesCompilerTemplatesAndDriver) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto state_of = [&](const auto& change) {
    TuneResult row = Row(SpecOf(1), RowState::kMeasured);
    change(row);
    EXPECT_TRUE(store.PutResult(row).ok());
    return daemon.reader.Find(row.key)->result.state;
  };
  EXPECT_EQ(state_of([](TuneResult&) {}), RowState::kMeasured);
  EXPECT_EQ(state_of([](TuneResult& row) { row.compiler = "nvrtc 12.8"; }), RowState::kStale);
  EXPECT_EQ(state_of([](TuneResult& row) { row.template_digest = "x"; }), RowState::kStale);
  EXPECT_EQ(state_of([](TuneResult& row) { row.driver_version = 12080; }), RowState::kStale);
}

TEST(Admission, EmptyProblemsSucceedAtOnceAndZeroKIsTuned) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function(), {}, "");  // needs no compiler
  const auto empty = daemon.admission.Start(RequestOf(0));
  EXPECT_EQ(empty->state, JobState::kSucceeded);
  EXPECT_TRUE(empty->empty_problem);
  Daemon with_compiler(store, tune.Function());
  TuneRequest zero_k = RequestOf(1);
  zero_k.spec.problem.k = 0;
  zero_k.spec.problem = *Normalize(zero_k.spec.problem);
  EXPECT_EQ(with_compiler.admission.Start(zero_k)->state, JobState::kQueued);
}

TEST(Admission, RequireMeasuredNeedsAGpuOrAMeasuredRow) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const DeviceSpec device = *ReferenceDevice("sm_80");
  TuneRequest request = RequestOf(1, "", device);
  request.spec.options.require_measured = true;
  EXPECT_EQ(daemon.admission.Start(request).status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(store.PutResult(Row(request.spec, RowState::kMeasured)).ok());
  EXPECT_TRUE(daemon.admission.Start(request)->from_store);
}

TEST(Admission, WithoutACompilerOnlyTheStoreAnswers) {
  FakeStore store;
  ASSERT_TRUE(store.PutResult(Row(SpecOf(1), RowState::kMeasured)).ok());
  GatedTune tune(store);
  Daemon daemon(store, tune.Function(), {}, "");
  EXPECT_TRUE(daemon.admission.Start(RequestOf(1))->from_store);
  const auto refused = daemon.admission.Start(RequestOf(2));
  EXPECT_EQ(refused.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(refused.status().message(), "no compiler: no libnvrtc");
}

TEST(Admission, RequestIdGivesTheSameOperationAndRefusesAnotherBody) {
  FakeStore store;
  GatedTune tune(store);
  Daemon daemon(store, tune.Function());
  const auto first = daemon.admission.Start(RequestOf(1, "id"));
  ASSERT_TRUE(daemon.queue.Cancel(first->id).ok());
  EXPECT_EQ(daemon.admission.Start(RequestOf(1, "id"))->id, first->id) << "even when cancelled";
  const auto refused = daemon.admission.Start(RequestOf(2, "id"));
  EXPECT_EQ(refused.status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(refused.status().field(), "request_id");
}

Operation OperationOf(std::string id, JobState state = JobState::kQueued, bool from_store = false) {
  Operation operation;
  operation.id = std::move(id);
  operation.state = state;
  operation.from_store = from_store;
  return operation;
}

TEST(OperationHub, ConflatesWhileADeliveryIsOutstanding) {
  FakeClock clock;
  OperationHub hub(clock);
  const Operation added = hub.Add(OperationOf("a"));
  std::vector<Operation> seen;
  const auto watch =
      hub.Watch("a", 0, {[&](const Operation& operation) { seen.push_back(operation); }, nullptr});
  ASSERT_EQ(seen.size(), 1u) << "the current state comes first";
  for (int measured = 1; measured <= 100; ++measured)
    hub.Update("a", [&](Operation& operation) { operation.progress.measured = measured; });
  EXPECT_EQ(seen.size(), 1u);
  watch->Ready();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].progress.measured, 100);
  EXPECT_EQ(seen[1].seq, added.seq + 100);
  watch->Ready();
  EXPECT_EQ(seen.size(), 2u) << "nothing new";
  hub.Update("a", [](Operation& operation) { operation.state = JobState::kSucceeded; });
  ASSERT_EQ(seen.size(), 3u);
  watch->Ready();
  EXPECT_EQ(seen.size(), 3u) << "nothing after a finished state";
  watch->Stop();
  EXPECT_EQ(hub.watchers(), 0u);
}

TEST(OperationHub, ResumesAfterASequenceNumber) {
  FakeClock clock;
  OperationHub hub(clock);
  const Operation added = hub.Add(OperationOf("a"));
  int deliveries = 0;
  const WatchCallbacks callbacks{[&](const Operation&) { ++deliveries; }, nullptr};
  const auto resumed = hub.Watch("a", added.seq, callbacks);
  EXPECT_EQ(deliveries, 0);
  hub.Update("a", [](Operation&) {});
  EXPECT_EQ(deliveries, 1);
  resumed->Stop();
  hub.Update("a", [](Operation& operation) { operation.state = JobState::kFailed; });
  EXPECT_EQ(deliveries, 1) << "stopped";
  hub.Watch("a", added.seq + 100, callbacks)->Stop();
  EXPECT_EQ(deliveries, 2) << "a finished state is always delivered";
  EXPECT_EQ(hub.Watch("unknown", 0, callbacks), nullptr);
}

TEST(OperationHub, SequenceNumbersGrowOverARestart) {
  FakeClock clock;
  const auto life = [&] {
    OperationHub hub(clock);
    hub.Add(OperationOf("a"));
    return hub.Update("a", [](Operation&) {})->seq;
  };
  const auto before = life();
  clock.Advance(std::chrono::seconds(1));
  EXPECT_GT(life(), before);
}

TEST(OperationHub, CloseEndsWatchesOfUnfinishedOperationsOnly) {
  FakeClock clock;
  OperationHub hub(clock);
  hub.Add(OperationOf("open"));
  hub.Add(OperationOf("done", JobState::kSucceeded));
  int delivered = 0;
  int closed = 0;
  const WatchCallbacks callbacks{[&](const Operation&) { ++delivered; }, [&] { ++closed; }};
  const auto open = hub.Watch("open", 0, callbacks);
  const auto done = hub.Watch("done", 0, callbacks);
  hub.Close();
  hub.Close();
  EXPECT_EQ(closed, 1);
  hub.Watch("open", 0, callbacks)->Stop();
  EXPECT_EQ(closed, 2) << "a late watch ends at once";
  open->Stop();
  done->Stop();
}

TEST(OperationHub, KeepsFinishedOperationsForADay) {
  FakeClock clock;
  OperationHub hub(clock, {.finished = 2, .answered = 1});
  for (const char* id : {"a", "b", "c"})
    hub.Add(OperationOf(id, JobState::kSucceeded));
  hub.Add(OperationOf("x", JobState::kSucceeded, true));
  EXPECT_FALSE(hub.Find("a").has_value()) << "beyond the bound the oldest goes";
  EXPECT_TRUE(hub.Find("b").has_value());
  EXPECT_TRUE(hub.Find("c").has_value()) << "answers from the store push nothing out";
  hub.Add(OperationOf("running"));
  clock.Advance(std::chrono::hours(25));
  hub.Add(OperationOf("new"));
  EXPECT_FALSE(hub.Find("c").has_value());
  EXPECT_TRUE(hub.Find("running").has_value());
}

TEST(OperationHub, ListsNewestFirst) {
  FakeClock clock;
  OperationHub hub(clock);
  for (const char* id : {"a", "b", "c"}) {
    hub.Add(OperationOf(id));
    clock.Advance(std::chrono::seconds(1));
  }
  const auto listed = hub.List(2);
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].id, "c");
  EXPECT_EQ(listed[1].id, "b");
}

}  // namespace
}  // namespace tw
