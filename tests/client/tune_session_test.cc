// SPDX-License-Identifier: Apache-2.0
#include "client/cli/tune_session.h"

#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/client/fake_server.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

constexpr RetryPolicy kFastRetry{.attempts = 4,
                                 .backoff = std::chrono::milliseconds(1),
                                 .deadline = std::chrono::milliseconds(5'000)};
constexpr ReattachPolicy kFastReattach{.tries = 3, .backoff = std::chrono::milliseconds(1)};

v1::Operation State(v1::OperationState state, std::uint64_t seq) {
  v1::Operation operation;
  operation.set_name("operations/7");
  operation.set_state(state);
  operation.set_seq(seq);
  return operation;
}

v1::Operation Running(std::uint64_t seq) {
  return State(v1::OPERATION_STATE_RUNNING, seq);
}

v1::Operation Done(std::uint64_t seq) {
  return State(v1::OPERATION_STATE_SUCCEEDED, seq);
}

// One server, one follower; the script's functions run on the server's threads, one at a time.
class TuneSessionTest : public testing::Test {
 protected:
  Result<v1::Operation> Follow(const FakeServer::Script& script) {
    const FakeServer server("unix:" + dir_ / "s", script);
    Connection connection(
        [this](const std::stop_token&) -> Result<std::string> { return "unix:" + dir_ / "s"; },
        stop_.get_token(), kFastRetry);
    v1::StartTuneRequest request;
    request.set_request_id("request-1");
    const TuneHooks hooks{.on_update = [this](const v1::Operation& o) { seen_.push_back(o.seq()); },
                          .on_note = [this](const std::string& note) { notes_.push_back(note); }};
    return FollowTune(connection, request, hooks, stop_.get_token(), kFastReattach);
  }

  TempDir dir_;
  std::stop_source stop_;
  std::vector<std::uint64_t> seen_;
  std::vector<std::string> notes_;
};

TEST_F(TuneSessionTest, AStoredResultNeedsNoStream) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> {
    v1::Operation operation = Done(5);
    operation.set_from_store(true);
    operation.set_daemon_ms(0.25);
    return operation;
  };
  const auto operation = Follow(script);
  ASSERT_TRUE(operation.ok()) << operation.status().message();
  EXPECT_TRUE(operation->from_store());
  EXPECT_DOUBLE_EQ(operation->daemon_ms(), 0.25);
  EXPECT_EQ(seen_, (std::vector<std::uint64_t>{5}));
}

TEST_F(TuneSessionTest, FollowsToTheEnd) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> {
    v1::Operation operation = Running(1);
    operation.set_daemon_ms(0.5);
    return operation;
  };
  script.watch = [](const v1::WatchOperationRequest& request, const FakeServer::Stream& stream) {
    EXPECT_EQ(request.name(), "operations/7");
    EXPECT_EQ(request.resume_after_seq(), 1U);
    stream.send(Running(2));
    stream.send(Done(3));
    return OkStatus();
  };
  const auto operation = Follow(script);
  ASSERT_TRUE(operation.ok());
  EXPECT_EQ(operation->state(), v1::OPERATION_STATE_SUCCEEDED);
  EXPECT_DOUBLE_EQ(operation->daemon_ms(), 0.5);
  EXPECT_FALSE(operation->from_store());
  EXPECT_EQ(seen_, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(notes_.empty());
}

TEST_F(TuneSessionTest, ReattachesByNameAfterTheLastState) {
  FakeServer::Script script;
  int watches = 0;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(1); };
  script.get = [](const v1::GetOperationRequest& request) -> Result<v1::Operation> {
    EXPECT_EQ(request.name(), "operations/7");
    return Running(4);
  };
  script.watch = [&](const v1::WatchOperationRequest& request, const FakeServer::Stream& stream) {
    if (++watches == 1) {
      stream.send(Running(2));
      return Status(StatusCode::kUnavailable, "gone");
    }
    EXPECT_EQ(request.resume_after_seq(), 4U);
    stream.send(Done(5));
    return OkStatus();
  };
  const auto operation = Follow(script);
  ASSERT_TRUE(operation.ok());
  EXPECT_EQ(seen_, (std::vector<std::uint64_t>{1, 2, 4, 5}));
  EXPECT_EQ(notes_.size(), 1U);
}

TEST_F(TuneSessionTest, AJobThatEndedMeanwhileIsTakenAtOnce) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(1); };
  script.get = [](const v1::GetOperationRequest&) -> Result<v1::Operation> { return Done(2); };
  script.watch = [](const v1::WatchOperationRequest&, const FakeServer::Stream&) {
    return Status(StatusCode::kUnavailable, "gone");
  };
  EXPECT_TRUE(Follow(script).ok());
  EXPECT_EQ(seen_, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(TuneSessionTest, AForgottenJobIsStartedAgainWithTheSameRequest) {
  FakeServer::Script script;
  int starts = 0;
  script.start = [&](const v1::StartTuneRequest& request) -> Result<v1::Operation> {
    EXPECT_EQ(request.request_id(), "request-1");
    return ++starts == 1 ? Running(9) : Done(1);
  };
  script.get = [](const v1::GetOperationRequest&) -> Result<v1::Operation> {
    return Status(StatusCode::kNotFound, "no operation");
  };
  script.watch = [](const v1::WatchOperationRequest&, const FakeServer::Stream&) {
    return Status(StatusCode::kNotFound, "no operation");
  };
  EXPECT_TRUE(Follow(script).ok());
  EXPECT_EQ(starts, 2);
}

TEST_F(TuneSessionTest, GivesUpAfterThreeFruitlessTries) {
  FakeServer::Script script;
  int watches = 0;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(1); };
  script.get = [](const v1::GetOperationRequest&) -> Result<v1::Operation> { return Running(1); };
  script.watch = [&](const v1::WatchOperationRequest&, const FakeServer::Stream&) {
    ++watches;
    return Status(StatusCode::kUnavailable, "gone");
  };
  const auto operation = Follow(script);
  EXPECT_EQ(operation.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(watches, 4);  // the first one and three more
}

TEST_F(TuneSessionTest, ProgressRenewsThePatience) {
  FakeServer::Script script;
  std::uint64_t seq = 1;
  script.start = [&](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(seq); };
  script.get = [&](const v1::GetOperationRequest&) -> Result<v1::Operation> {
    return Running(seq);
  };
  script.watch = [&](const v1::WatchOperationRequest&, const FakeServer::Stream& stream) {
    ++seq;
    stream.send(seq == 10 ? Done(seq) : Running(seq));
    return seq == 10 ? OkStatus() : Status(StatusCode::kUnavailable, "gone");
  };
  EXPECT_TRUE(Follow(script).ok());
}

TEST_F(TuneSessionTest, ARefusalIsNoBrokenStream) {
  FakeServer::Script script;
  int watches = 0;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(1); };
  script.watch = [&](const v1::WatchOperationRequest&, const FakeServer::Stream&) {
    ++watches;
    return Status(StatusCode::kInvalidArgument, "name = x");
  };
  EXPECT_EQ(Follow(script).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(watches, 1);
}

TEST_F(TuneSessionTest, ARefusedRequestIsTheAnswer) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> {
    return Status(StatusCode::kInvalidArgument, "m = -1: must be >= 0");
  };
  EXPECT_EQ(Follow(script).status().message(), "m = -1: must be >= 0");
}

TEST_F(TuneSessionTest, AStopEndsTheWatchAndLeavesTheJob) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> { return Running(1); };
  script.watch = [&](const v1::WatchOperationRequest&, const FakeServer::Stream& stream) {
    stop_.request_stop();
    while (!stream.cancelled()) {
      std::this_thread::yield();
    }
    return Status(StatusCode::kCancelled, "the client is gone");
  };
  EXPECT_EQ(Follow(script).status().code(), StatusCode::kCancelled);
}

TEST(RequestId, IsAUuidOfVersion4AndNew) {
  const std::regex pattern("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    const std::string id = NewRequestId();
    EXPECT_TRUE(std::regex_match(id, pattern)) << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 100U);
}

}  // namespace
}  // namespace tw::cli
