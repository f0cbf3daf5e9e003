// tilewright calibrate against a scripted server.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/cli/command_line.h"
#include "tests/client/fake_server.h"
#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

class CalibrateCommand : public ::testing::Test {
 protected:
  ExitCode Invoke(const std::vector<std::string>& flags) {
    FakeServer::Script script;
    script.calibrate = [this](const v1::CalibrateDeviceRequest& request) {
      request_ = request;
      return answer_;
    };
    const std::string address = "unix:" + (dir_ / "s");
    const FakeServer server(address, script);
    std::vector<std::string> arguments = {"calibrate"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    out_.str("");
    err_.str("");
    Context context{.env = {}, .flags = {}, .out = out_, .err = err_, .action = {}};
    context.env.server = address;
    return RunCommandLine(arguments, context);
  }

  fakes::TempDir dir_;
  Result<v1::CalibrateDeviceResponse> answer_ = v1::CalibrateDeviceResponse();
  v1::CalibrateDeviceRequest request_;
  std::ostringstream out_, err_;
};

TEST_F(CalibrateCommand, AsksForTheDeviceAndPrints) {
  answer_->set_device_name("A GPU");
  EXPECT_EQ(Invoke({"--device", "GPU-1"}), ExitCode::kOk);
  EXPECT_EQ(request_.device_uuid(), "GPU-1");
  EXPECT_TRUE(out_.str().starts_with("A GPU, ")) << out_.str();
  EXPECT_EQ(Invoke({"--json"}), ExitCode::kOk);
  EXPECT_EQ(request_.device_uuid(), "");
  EXPECT_NE(out_.str().find("\"schema\": \"tilewright.calibrate.v1\""), std::string::npos);
}

TEST_F(CalibrateCommand, WithoutAGpuItFailsAndSaysWhy) {
  answer_ = Status(StatusCode::kFailedPrecondition,
                   "calibrating needs a GPU and there is none here: libcuda.so.1 not found");
  EXPECT_EQ(Invoke({}), ExitCode::kOnlyPredicted);
  EXPECT_EQ(out_.str(), "");
  EXPECT_EQ(err_.str(),
            "tilewright: calibrating needs a GPU and there is none here: libcuda.so.1 not found\n");
  EXPECT_EQ(Invoke({"--json"}), ExitCode::kOnlyPredicted);
  EXPECT_NE(out_.str().find("\"code\": \"FAILED_PRECONDITION\""), std::string::npos);
}

TEST_F(CalibrateCommand, ABusyGpuMeansTryAgain) {
  answer_ = Status(StatusCode::kAborted, "repeats scatter");
  EXPECT_EQ(Invoke({}), ExitCode::kTryAgain);
  EXPECT_EQ(Invoke({"--frob"}), ExitCode::kUsage);
}

}  // namespace
}  // namespace tw::cli
