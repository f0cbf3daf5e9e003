// SPDX-License-Identifier: Apache-2.0
#include "client/cli/connection.h"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/client/fake_server.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

constexpr RetryPolicy kFast{.attempts = 4,
                            .backoff = std::chrono::milliseconds(1),
                            .deadline = std::chrono::milliseconds(5'000)};

struct Counted {
  std::string address;
  int calls = 0;

  AddressSource Source() {
    return [this](const std::stop_token&) -> Result<std::string> {
      ++calls;
      return address;
    };
  }
};

v1::StartTuneRequest Request() {
  v1::StartTuneRequest request;
  request.set_request_id("id-1");
  return request;
}

TEST(Connection, KeepsItsChannelBetweenCalls) {
  const TempDir dir;
  Counted where{"unix:" + dir / "s"};
  const FakeServer server(where.address,
                          {.get_config = {}, .start = {}, .get = {}, .watch = {}, .status = [] {
                             return v1::GetStatusResponse();
                           }});
  Connection connection(where.Source(), {}, kFast);
  EXPECT_TRUE(connection.GetStatus().ok());
  EXPECT_TRUE(connection.GetStatus().ok());
  EXPECT_EQ(where.calls, 1);
}

TEST(Connection, TriesUnavailableAgainWithANewChannelEachTime) {
  const TempDir dir;
  Counted where{"unix:" + dir / "s"};
  std::atomic<int> calls = 0;
  FakeServer::Script script;
  script.start = [&](const v1::StartTuneRequest& request) -> Result<v1::Operation> {
    EXPECT_EQ(request.request_id(), "id-1");
    if (++calls < 4) {
      return Status(StatusCode::kUnavailable, "draining");
    }
    v1::Operation operation;
    operation.set_name("operations/1");
    return operation;
  };
  const FakeServer server(where.address, script);
  Connection connection(where.Source(), {}, kFast);
  const auto operation = connection.StartTune(Request());
  ASSERT_TRUE(operation.ok()) << operation.status().message();
  EXPECT_EQ(operation->name(), "operations/1");
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(where.calls, 4);
}

TEST(Connection, GivesUpAfterFourAttempts) {
  const TempDir dir;
  Counted where{"unix:" + dir / "nobody"};
  Connection connection(where.Source(), {}, kFast);
  const auto status = connection.GetStatus();
  EXPECT_EQ(status.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(status.status().message().find(where.address), std::string::npos);
  EXPECT_EQ(where.calls, 4);
}

TEST(Connection, AnswersAreNotTriedAgain) {
  for (const StatusCode code :
       {StatusCode::kInvalidArgument, StatusCode::kNotFound, StatusCode::kInternal,
        StatusCode::kResourceExhausted, StatusCode::kFailedPrecondition}) {
    const TempDir dir;
    Counted where{"unix:" + dir / "s"};
    std::atomic<int> calls = 0;
    FakeServer::Script script;
    script.get_config = [&](const v1::GetConfigRequest&) -> Result<v1::GetConfigResponse> {
      ++calls;
      return Status(code, "the message");
    };
    const FakeServer server(where.address, script);
    Connection connection(where.Source(), {}, kFast);
    const auto answer = connection.GetConfig({});
    EXPECT_EQ(answer.status().code(), code);
    EXPECT_EQ(answer.status().message(), "the message");
    EXPECT_EQ(calls, 1);
  }
}

TEST(Connection, ASilentServerMeetsTheDeadline) {
  const TempDir dir;
  Counted where{"unix:" + dir / "s"};
  std::stop_source released;
  FakeServer::Script script;
  script.status = [&]() -> Result<v1::GetStatusResponse> {
    while (!released.stop_requested()) {
      std::this_thread::yield();
    }
    return v1::GetStatusResponse();
  };
  const FakeServer server(where.address, script);
  RetryPolicy policy = kFast;
  policy.deadline = std::chrono::milliseconds(100);
  Connection connection(where.Source(), {}, policy);
  EXPECT_EQ(connection.GetStatus().status().code(), StatusCode::kDeadlineExceeded);
  released.request_stop();
}

TEST(Connection, AFailedAddressIsTheAnswer) {
  Connection connection(
      [](const std::stop_token&) -> Result<std::string> {
        return Status(StatusCode::kFailedPrecondition, "no daemon");
      },
      {}, kFast);
  EXPECT_EQ(connection.GetStatus().status().message(), "no daemon");
}

TEST(Connection, AStopCancelsTheCallThatRuns) {
  const TempDir dir;
  Counted where{"unix:" + dir / "s"};
  std::stop_source stop;
  std::stop_source released;
  FakeServer::Script script;
  script.status = [&]() -> Result<v1::GetStatusResponse> {
    stop.request_stop();
    while (!released.stop_requested()) {
      std::this_thread::yield();
    }
    return v1::GetStatusResponse();
  };
  const FakeServer server(where.address, script);
  Connection connection(where.Source(), stop.get_token(), kFast);
  EXPECT_EQ(connection.GetStatus().status().code(), StatusCode::kCancelled);
  released.request_stop();
}

}  // namespace
}  // namespace tw::cli
