// SPDX-License-Identifier: Apache-2.0
#include "client/cli/command_line.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tw::cli {
namespace {

const std::string kPublicShapes = std::string(TW_SOURCE_DIR) + "/bench/shapes/public.csv";

struct Answer {
  ExitCode code;
  std::string out, err;
};

// A server that is not there: whatever gets as far as an RPC fails fast and starts nothing.
Answer Invoke(std::vector<std::string> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Context context{.env = {}, .flags = {}, .out = out, .err = err, .action = {}};
  context.env.server = "unix:/nonexistent/tilewright.sock";
  const ExitCode code = RunCommandLine(arguments, context);
  return {code, out.str(), err.str()};
}

TEST(CommandLine, UsageErrorsAreOneLine) {
  const std::vector<std::vector<std::string>> rows = {
      {},
      {"frobnicate"},
      {"tune"},
      {"tune", "-m", "1", "-n", "1"},
      {"tune", "-m", "1", "-n", "1", "-k", "1", "--frob"},
      {"tune", "-m", "x", "-n", "1", "-k", "1"},
      {"lookup", "-m", "1", "-n", "1", "-k", "9223372036854775808"},
      {"source", "-m", "1", "-n", "1", "-k", "1", "--dtype", "f8"},
      {"tune", "-m", "1", "-n", "1", "-k", "1", "--budget", "never"},
      {"explain", "-m", "1", "-n", "1"},
      {"explain", "-m", "1", "-n", "1", "-k", "x"},
      {"bench"},
      {"cancel"},
      {"status", "extra"},
      {"--idle-exit", "0", "status"},
      {"--server", "nonsense", "status"},
  };
  for (const auto& row : rows) {
    const Answer answer = Invoke(row);
    EXPECT_EQ(answer.code, ExitCode::kUsage) << testing::PrintToString(row);
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_TRUE(answer.err.starts_with("tilewright: ")) << answer.err;
    EXPECT_EQ(answer.out, "") << testing::PrintToString(row);
  }
}

TEST(CommandLine, AFileThatCannotBeReadIsBadInput) {
  for (const std::string path : {"/nonexistent/shapes.csv", "/"}) {
    const Answer answer = Invoke({"bench", path});
    EXPECT_EQ(answer.code, ExitCode::kBadInput);
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
    EXPECT_TRUE(answer.err.starts_with("tilewright: cannot read " + path)) << answer.err;
  }
}

TEST(CommandLine, ErrorsAreAnObjectWithJson) {
  const Answer answer = Invoke({"tune", "-m", "x", "-n", "1", "-k", "1", "--json"});
  EXPECT_EQ(answer.code, ExitCode::kUsage);
  EXPECT_NE(answer.out.find("\"schema\": \"tilewright.error.v1\""), std::string::npos);
  EXPECT_NE(answer.err.find("m = x: must be a whole number"), std::string::npos);
}

TEST(CommandLine, GlobalFlagsStandBeforeAndAfterTheCommand) {
  EXPECT_NE(Invoke({"--json", "version"}).out.find("tilewright.version.v1"), std::string::npos);
  EXPECT_NE(Invoke({"version", "--json"}).out.find("tilewright.version.v1"), std::string::npos);
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  for (const auto& row : std::vector<std::vector<std::string>>{
           {"--help"}, {"--version"}, {"version"}, {"tune", "--help"}}) {
    const Answer answer = Invoke(row);
    EXPECT_EQ(answer.code, ExitCode::kOk);
    EXPECT_FALSE(answer.out.empty());
    EXPECT_EQ(answer.err, "");
  }
  EXPECT_NE(Invoke({"tune", "--help"}).out.find("--batch-invariant"), std::string::npos);
  EXPECT_EQ(Invoke({"--help"}).out.find("fake-gpu"), std::string::npos);
}

TEST(CommandLine, NoServerIsUnavailable) {
  for (const auto& row :
       std::vector<std::vector<std::string>>{{"status"},
                                             {"devices"},
                                             {"jobs"},
                                             {"cancel", "x"},
                                             {"bench", kPublicShapes},
                                             {"lookup", "-m", "1", "-n", "1", "-k", "1"}}) {
    const Answer answer = Invoke(row);
    EXPECT_EQ(answer.code, ExitCode::kUnavailable) << testing::PrintToString(row);
    EXPECT_NE(answer.err.find("unix:/nonexistent/tilewright.sock"), std::string::npos);
  }
}

}  // namespace
}  // namespace tw::cli
