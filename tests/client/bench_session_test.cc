// SPDX-License-Identifier: Apache-2.0
#include "client/cli/bench_session.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "client/cli/command_line.h"
#include "tests/client/fake_server.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

v1::Operation JobOf(const v1::StartTuneRequest& request, v1::OperationState state) {
  v1::Operation operation;
  operation.set_name("operations/" + std::to_string(request.key().problem().m()));
  operation.set_state(state);
  operation.set_seq(1);
  return operation;
}

// Row m takes m microseconds; row 2 finds no kernel and row 3 is refused.
Result<v1::Operation> Scripted(const v1::StartTuneRequest& request) {
  const std::int64_t m = request.key().problem().m();
  if (m == 3) {
    return Status(StatusCode::kInvalidArgument, "m = 3: is unlucky");
  }
  v1::Operation operation = JobOf(request, v1::OPERATION_STATE_SUCCEEDED);
  if (m == 2) {
    operation.set_state(v1::OPERATION_STATE_FAILED);
    operation.set_error_code(static_cast<int>(StatusCode::kNotFound));
    operation.set_error_message("no candidate survived");
    return operation;
  }
  operation.mutable_result()->set_state(v1::RESULT_STATE_MEASURED);
  operation.mutable_result()->set_time_ns(1e3 * static_cast<double>(m));
  return operation;
}

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const int m : {1, 2, 3, 4}) {
    Shape shape{.name = "row" + std::to_string(m), .line = m + 1, .key = {}};
    shape.key.mutable_problem()->set_m(m);
    shapes.push_back(shape);
  }
  return shapes;
}

class BenchSessionTest : public testing::Test {
 protected:
  Bench Run(const FakeServer::Script& script, const v1::StartTuneRequest& request = {}) {
    const FakeServer server("unix:" + dir_ / "s", script);
    Connection connection(
        [this](const std::stop_token&) -> Result<std::string> { return "unix:" + dir_ / "s"; },
        stop_.get_token());
    const BenchHooks hooks{
        .on_start = [this](const Shape& shape) { events_.push_back("start " + shape.name); },
        .on_update = [](const v1::Operation&) {},
        .on_note = [](const std::string&) {},
        .on_row = [this](const BenchRow& row) { events_.push_back("end " + row.shape.name); }};
    return RunBench(connection, request, Shapes(), hooks, stop_.get_token());
  }

  // The whole command on these lines below the header.
  ExitCode Command(const FakeServer::Script& script, std::vector<std::string> flags) {
    const FakeServer server("unix:" + dir_ / "s", script);
    std::ofstream(dir_ / "shapes.csv") << "name,m,n,k,batch,dtype,layout\n"
                                          "one,1,1,1,1,bf16,nt\ntwo,2,1,1,1,f32,nn\n";
    Context context{.env = {}, .flags = {}, .out = out_, .err = err_, .action = {}};
    context.env.server = "unix:" + dir_ / "s";
    flags.insert(flags.begin(), {"bench", dir_ / "shapes.csv"});
    return RunCommandLine(flags, context);
  }

  TempDir dir_;
  std::stop_source stop_;
  std::vector<std::string> events_;
  std::ostringstream out_, err_;
};

TEST_F(BenchSessionTest, GoesOnAfterRowsThatFail) {
  FakeServer::Script script;
  script.start = Scripted;
  const Bench bench = Run(script);
  EXPECT_FALSE(bench.interrupted);
  EXPECT_EQ(bench.planned, 4U);
  ASSERT_EQ(bench.rows.size(), 4U);
  EXPECT_TRUE(bench.rows[0].status.ok());
  EXPECT_EQ(bench.rows[1].status.message(), "no candidate survived");
  EXPECT_EQ(bench.rows[1].code, ExitCode::kNoCandidate);
  EXPECT_EQ(bench.rows[2].status.message(), "m = 3: is unlucky");
  EXPECT_EQ(bench.rows[2].code, ExitCode::kUsage);
  EXPECT_EQ(bench.rows[3].operation.result().time_ns(), 4e3);
  EXPECT_EQ(events_,
            (std::vector<std::string>{"start row1", "end row1", "start row2", "end row2",
                                      "start row3", "end row3", "start row4", "end row4"}));
}

TEST_F(BenchSessionTest, EveryRowIsARequestOfItsOwn) {
  FakeServer::Script script;
  std::set<std::string> ids;
  script.start = [&](const v1::StartTuneRequest& request) {
    EXPECT_EQ(request.seed(), 5U);
    EXPECT_EQ(request.baseline(), v1::BASELINE_CUBLASLT);
    ids.insert(request.request_id());
    return Scripted(request);
  };
  v1::StartTuneRequest request;
  request.set_seed(5);
  request.set_baseline(v1::BASELINE_CUBLASLT);
  EXPECT_TRUE(Run(script, request).compares);
  EXPECT_EQ(ids.size(), 4U);
}

TEST_F(BenchSessionTest, AStopKeepsWhatIsDoneAndNamesTheJobThatGoesOn) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest& request) -> Result<v1::Operation> {
    return request.key().problem().m() < 4 ? Scripted(request)
                                           : JobOf(request, v1::OPERATION_STATE_RUNNING);
  };
  script.watch = [&](const v1::WatchOperationRequest&, const FakeServer::Stream& stream) {
    stop_.request_stop();
    while (!stream.cancelled()) {
      std::this_thread::yield();
    }
    return Status(StatusCode::kCancelled, "the client is gone");
  };
  const Bench bench = Run(script);
  EXPECT_TRUE(bench.interrupted);
  EXPECT_EQ(bench.unfinished_job, "operations/4");
  EXPECT_EQ(bench.rows.size(), 3U);
}

TEST_F(BenchSessionTest, AStopBetweenRowsStartsNoMore) {
  FakeServer::Script script;
  script.start = [](const v1::StartTuneRequest&) -> Result<v1::Operation> {
    ADD_FAILURE() << "started";
    return Status(StatusCode::kInternal, "");
  };
  stop_.request_stop();
  const Bench bench = Run(script);
  EXPECT_TRUE(bench.interrupted);
  EXPECT_EQ(bench.unfinished_job, "");
  EXPECT_TRUE(bench.rows.empty());
}

FakeServer::Script Serving(std::vector<v1::StartTuneRequest>& requests) {
  FakeServer::Script script;
  script.status = []() -> Result<v1::GetStatusResponse> { return v1::GetStatusResponse(); };
  script.start = [&requests](const v1::StartTuneRequest& request) {
    requests.push_back(request);
    return Scripted(request);
  };
  return script;
}

TEST_F(BenchSessionTest, CommandPrintsTheTableAndWritesTheFile) {
  std::vector<v1::StartTuneRequest> requests;
  EXPECT_EQ(Command(Serving(requests), {"--csv", dir_ / "out.csv"}), ExitCode::kNoCandidate);
  EXPECT_TRUE(out_.str().starts_with("NAME")) << out_.str();
  EXPECT_NE(err_.str().find("tilewright: [2/2] two: failed: no candidate survived"),
            std::string::npos)
      << err_.str();
  std::ifstream csv(dir_ / "out.csv");
  std::string line;
  std::getline(csv, line);
  EXPECT_TRUE(line.starts_with("name,m,n,k,")) << line;
  std::getline(csv, line);
  EXPECT_TRUE(line.starts_with("one,1,1,1,1,bf16,nt,MEASURED,1,")) << line;
  std::getline(csv, line);
  EXPECT_TRUE(line.starts_with("two,2,1,1,1,f32,nn,FAILED,")) << line;
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].policy(), v1::TUNE_POLICY_REUSE);
}

TEST_F(BenchSessionTest, CommandComparesStoredWinnersAnew) {
  std::vector<v1::StartTuneRequest> requests;
  EXPECT_EQ(Command(Serving(requests), {"--baseline", "cublaslt", "--regime", "cool", "--names",
                                        "one", "--json", "--quiet"}),
            ExitCode::kOk);
  EXPECT_NE(out_.str().find("\"schema\": \"tilewright.bench.v1\""), std::string::npos);
  EXPECT_EQ(err_.str(), "");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].policy(), v1::TUNE_POLICY_COMPARE);
  EXPECT_EQ(requests[0].regime(), v1::REGIME_COOL);
}

TEST_F(BenchSessionTest, CommandTunesAgainWhereTold) {
  std::vector<v1::StartTuneRequest> requests;
  EXPECT_EQ(Command(Serving(requests),
                    {"--baseline", "cublaslt", "--retune", "--dtypes", "bf16", "--quiet"}),
            ExitCode::kOk);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].policy(), v1::TUNE_POLICY_RETUNE);
  EXPECT_EQ(requests[0].baseline(), v1::BASELINE_CUBLASLT);
}

TEST_F(BenchSessionTest, CommandStartsNothingWhereSomethingIsWrong) {
  const struct {
    std::vector<std::string> flags;
    ExitCode code;
  } rows[] = {{{"--names", "three"}, ExitCode::kUsage},
              {{"--objective", "lukewarm"}, ExitCode::kUsage},
              {{"--regime", "hot"}, ExitCode::kUsage},
              {{"--csv", "/nonexistent/out.csv"}, ExitCode::kUsage}};

  for (const auto& row : rows) {
    std::vector<v1::StartTuneRequest> requests;
    EXPECT_EQ(Command(Serving(requests), row.flags), row.code) << row.flags[0];
    EXPECT_TRUE(requests.empty()) << row.flags[0];
  }
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace tw::cli
