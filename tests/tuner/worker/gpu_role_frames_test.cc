// The gpu role over a socket, with a simulated device.
// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tuner/worker/convert.h"
#include "tuner/worker/frame.h"
#include "tuner/worker/gpu_role.h"

namespace tw {
namespace {

constexpr const char* kUuid = "GPU-fake-0000";

// A role in a thread and the daemon's end of its socket.
class RunningRole {
 public:
  explicit RunningRole(const std::string& script) {
    int fds[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    fd_ = fds[0];
    thread_ = std::thread([this, script, fd = fds[1]] {
      status_ = RunGpuRole(fd, {.fake = true, .fake_script = script});
      close(fd);
    });
  }

  RunningRole(const RunningRole&) = delete;
  RunningRole& operator=(const RunningRole&) = delete;

  ~RunningRole() {
    if (thread_.joinable())
      static_cast<void>(Finish());
  }

  wire::Reply Ask(wire::Request request) {
    request.set_seq(++seq_);
    EXPECT_TRUE(WriteFrame(fd_, request).ok());
    wire::Reply reply;
    EXPECT_TRUE(ReadFrame(fd_, &reply).ok());
    EXPECT_EQ(reply.seq(), seq_);
    return reply;
  }

  // Closes the socket; what the role returned.
  Status Finish() {
    close(fd_);
    thread_.join();
    return status_;
  }

  // Waits for the role to end by itself.
  Status Join() {
    thread_.join();
    close(fd_);
    return status_;
  }

 private:
  int fd_ = -1;
  std::uint64_t seq_ = 0;
  Status status_;
  std::thread thread_;
};

wire::Request OpenJob(const std::string& uuid) {
  GemmProblem problem;
  problem.m = problem.n = problem.k = 16;
  BenchmarkJob job;
  job.device_uuid = uuid;
  job.problem = Normalize(problem).value();
  wire::Request request;
  *request.mutable_open_job() = ToProto(job);
  return request;
}

wire::Candidate Kernel(const std::string& entry) {
  CandidateRun run;
  run.candidate_id = entry;
  run.launch.launches.push_back({.entry = entry});
  return ToProto(run);
}

wire::Request RunCandidate(const std::string& entry) {
  wire::Request request;
  *request.mutable_run_candidate()->mutable_candidate() = Kernel(entry);
  return request;
}

TEST(GpuRole, DescribesItsDevice) {
  RunningRole role("");
  wire::Request request;
  request.mutable_describe_devices();
  const wire::Reply reply = role.Ask(request);
  ASSERT_EQ(reply.describe_devices().devices_size(), 1);
  EXPECT_EQ(reply.describe_devices().devices(0).uuid(), kUuid);
  EXPECT_TRUE(role.Finish().ok());
}

TEST(GpuRole, WithoutADriverThereIsNoDeviceButAReason) {
  if (access("/dev/nvidiactl", F_OK) == 0)
    GTEST_SKIP() << "this machine has a driver";
  int fds[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  wire::Request request;
  request.mutable_describe_devices();
  ASSERT_TRUE(WriteFrame(fds[0], request).ok());
  ASSERT_EQ(shutdown(fds[0], SHUT_WR), 0);
  EXPECT_TRUE(RunGpuRole(fds[1], {}).ok());
  wire::Reply reply;
  ASSERT_TRUE(ReadFrame(fds[0], &reply).ok());
  EXPECT_EQ(reply.describe_devices().devices_size(), 0);
  EXPECT_FALSE(reply.describe_devices().note().empty());
  close(fds[0]);
  close(fds[1]);
}

TEST(GpuRole, JudgesCandidatesOfAJob) {
  RunningRole role(R"({"rules": [{"match": "bad", "behaviour": "wrong"}]})");
  EXPECT_GE(role.Ask(OpenJob(kUuid)).open_job().reference_seconds(), 0);
  const wire::Reply good = role.Ask(RunCandidate("good"));
  EXPECT_EQ(good.run_candidate().outcome().kind(), "measured");
  EXPECT_FALSE(good.run_candidate().worker_must_exit());
  const wire::Reply bad = role.Ask(RunCandidate("bad"));
  EXPECT_EQ(bad.run_candidate().outcome().kind(), "wrong_result");
  EXPECT_EQ(bad.run_candidate().outcome().rule(), "wrong_element");
  wire::Request both;
  both.mutable_run_interleaved()->set_rounds(5);
  *both.mutable_run_interleaved()->add_candidates() = Kernel("one");
  *both.mutable_run_interleaved()->add_candidates() = Kernel("two");
  EXPECT_EQ(role.Ask(both).run_interleaved().outcomes_size(), 2);
  wire::Request close_job;
  close_job.mutable_close_job();
  EXPECT_EQ(role.Ask(close_job).status_code(), 0);
  EXPECT_EQ(StatusOf(role.Ask(RunCandidate("good"))).code(), StatusCode::kFailedPrecondition);
}

TEST(GpuRole, AStickyErrorIsAnsweredAndEndsTheRole) {
  RunningRole role(R"({"rules": [{"match": "*", "behaviour": "sticky"}]})");
  role.Ask(OpenJob(kUuid));
  const wire::Reply reply = role.Ask(RunCandidate("bad"));
  EXPECT_EQ(reply.run_candidate().outcome().kind(), "crashed");
  EXPECT_TRUE(reply.run_candidate().worker_must_exit());
  EXPECT_TRUE(role.Join().ok());
}

wire::Request Calibrate(const std::string& uuid) {
  wire::Request request;
  request.mutable_calibrate()->set_device_uuid(uuid);
  return request;
}

TEST(GpuRole, CalibratesBetweenJobs) {
  RunningRole role(R"({"calibration": {"sm_clock_hz": 1.5e9, "launch_s": 1.25e-6}})");
  role.Ask(OpenJob(kUuid));
  const wire::Reply reply = role.Ask(Calibrate(kUuid));
  ASSERT_EQ(reply.status_code(), 0) << reply.status_message();
  EXPECT_NEAR(reply.calibrate().calibration().sm_clock_hz() / 1.5e9, 1, 1e-3);
  EXPECT_NEAR(reply.calibrate().calibration().launch_s() / 1.25e-6, 1, 1e-3);
  EXPECT_EQ(reply.calibrate().calibration().device_uuid(), kUuid);
  EXPECT_EQ(StatusOf(role.Ask(RunCandidate("good"))).code(), StatusCode::kFailedPrecondition)
      << "it ended the job";
  role.Ask(OpenJob(kUuid));
  EXPECT_EQ(role.Ask(RunCandidate("good")).run_candidate().outcome().kind(), "measured");
  EXPECT_EQ(StatusOf(role.Ask(Calibrate("GPU-other"))).code(), StatusCode::kNotFound);
}

TEST(GpuRole, AStickyErrorWhileCalibratingEndsTheRole) {
  RunningRole role(R"({"calibration": {"behaviour": "sticky"}})");
  EXPECT_EQ(StatusOf(role.Ask(Calibrate(kUuid))).code(), StatusCode::kDataLoss);
  EXPECT_TRUE(role.Join().ok());
}

TEST(GpuRole, RefusesAnotherDeviceAndAnotherRolesRequests) {
  RunningRole role("");
  EXPECT_EQ(StatusOf(role.Ask(OpenJob("GPU-other"))).code(), StatusCode::kNotFound);
  wire::Request request;
  request.mutable_compile();
  EXPECT_EQ(StatusOf(role.Ask(request)).code(), StatusCode::kUnimplemented);
}

TEST(GpuRole, ABadScriptIsAnError) {
  RunningRole role("{");
  EXPECT_EQ(role.Join().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tw
