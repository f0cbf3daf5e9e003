// tilewright explain against a scripted server.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "client/cli/command_line.h"
#include "tests/client/fake_server.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

class ExplainCommand : public ::testing::Test {
 protected:
  ExitCode Invoke(std::vector<std::string> flags) {
    FakeServer::Script script;
    script.explain = [this](const v1::ExplainRequest& request) {
      request_ = request;
      return answer_;
    };
    const std::string address = "unix:" + (dir_ / "s");
    const FakeServer server(address, script);
    std::vector<std::string> arguments = {"explain", "-m", "3", "-n", "4", "-k", "5"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    out_.str("");
    err_.str("");
    Context context{.env = {}, .flags = {}, .out = out_, .err = err_, .action = {}};
    context.env.server = address;
    return RunCommandLine(arguments, context);
  }

  fakes::TempDir dir_;
  Result<v1::ExplainResponse> answer_ = v1::ExplainResponse();
  v1::ExplainRequest request_;
  std::ostringstream out_, err_;
};

TEST_F(ExplainCommand, AMissExitsWith3AndSaysWhatHelps) {
  answer_ = Status(StatusCode::kNotFound, "no result for gemm1");
  EXPECT_EQ(Invoke({}), ExitCode::kMiss);
  EXPECT_EQ(err_.str(),
            "tilewright: no result is stored for 3 x 4 x 5 bf16 nn; tilewright tune finds one\n");
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(Invoke({"--json"}), ExitCode::kMiss);
  EXPECT_NE(out_.str().find("\"code\": \"NOT_FOUND\""), std::string::npos);
}

TEST_F(ExplainCommand, AnUnknownCandidateIsNamed) {
  answer_ = Status(StatusCode::kNotFound, "candidate_id = 0a: no report");
  EXPECT_EQ(Invoke({"--candidate", "0a"}), ExitCode::kMiss);
  EXPECT_EQ(err_.str(), "tilewright: candidate_id = 0a: no report\n");
  EXPECT_EQ(request_.candidate_id(), "0a");
  EXPECT_EQ(request_.key().problem().n(), 4);
}

TEST_F(ExplainCommand, TextAndJson) {
  answer_->set_sentence("It is faster.");
  answer_->add_candidates()->set_detail("what went wrong");
  EXPECT_EQ(Invoke({}), ExitCode::kOk);
  EXPECT_NE(out_.str().find("It is faster."), std::string::npos);
  EXPECT_EQ(out_.str().find("  detail "), std::string::npos);
  EXPECT_EQ(Invoke({"--candidate", "0a"}), ExitCode::kOk);
  EXPECT_NE(out_.str().find("detail      what went wrong"), std::string::npos);
  EXPECT_EQ(Invoke({"--json"}), ExitCode::kOk);
  EXPECT_NE(out_.str().find("\"schema\": \"tilewright.explain.v1\""), std::string::npos);
  EXPECT_EQ(Invoke({"--frob"}), ExitCode::kUsage);
}

}  // namespace
}  // namespace tw::cli
