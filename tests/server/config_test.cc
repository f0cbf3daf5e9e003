// SPDX-License-Identifier: Apache-2.0
#include "server/config.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/escape.h"
#include "server/log.h"
#include "server/public_status.h"
#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

using fakes::TempDir;

Environment TestEnvironment() {
  Environment environment;
  environment.home = "/home/user";
  environment.xdg_runtime_dir = "/run/user/7";
  environment.binary_dir = "/opt/tilewright/bin";
  environment.uid = 7;
  environment.cores = 4;
  return environment;
}

std::variant<Config, EarlyExit> Parse(std::vector<const char*> flags,
                                      const Environment& environment = TestEnvironment()) {
  flags.insert(flags.begin(), "tilewrightd");
  return ParseConfig(static_cast<int>(flags.size()), flags.data(), environment);
}

Config MustParse(const std::vector<const char*>& flags,
                 const Environment& environment = TestEnvironment()) {
  auto parsed = Parse(flags, environment);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return {};
  }
  return std::get<Config>(parsed);
}

TEST(Config, DefaultsFollowTheXdgSpecification) {
  const Config config = MustParse({});
  EXPECT_EQ(config.store, "/home/user/.local/share/tilewright/store.db");
  ASSERT_EQ(config.listen.size(), 1u);
  EXPECT_EQ(config.listen[0].socket, DefaultSocket(config.store, TestEnvironment()));
  EXPECT_TRUE(config.listen[0].socket.starts_with("/run/user/7/tilewright/"));
  EXPECT_EQ(config.workers.binary, "/opt/tilewright/bin/tilewright-worker");
  EXPECT_TRUE(config.gpus.enabled);
  EXPECT_FALSE(config.idle_exit.has_value());
  Environment environment = TestEnvironment();
  environment.xdg_data_home = "/data";
  environment.xdg_runtime_dir = "";
  const Config other = MustParse({}, environment);
  EXPECT_EQ(other.store, "/data/tilewright/store.db");
  EXPECT_TRUE(other.listen[0].socket.starts_with("/tmp/tilewright-7/"));
}

TEST(Config, ReadsEveryFlag) {
  const Config config = MustParse({"--listen",
                                   "unix:/x/a.sock",
                                   "--listen",
                                   "127.0.0.1:0",
                                   "--store",
                                   "/x/s.db",
                                   "--gpus",
                                   "GPU-a,GPU-b",
                                   "--compile-workers",
                                   "3",
                                   "--idle-exit",
                                   "60",
                                   "--worker",
                                   "/x/w",
                                   "--fake-gpu",
                                   "/x/f",
                                   "--cuda-dir",
                                   "/x/c",
                                   "--log-level",
                                   "debug",
                                   "--port-file",
                                   "/x/p",
                                   "--ready-fd",
                                   "3",
                                   "--template-dir",
                                   "/tmp"});
  ASSERT_EQ(config.listen.size(), 2u);
  EXPECT_EQ(config.listen[0].Text(), "unix:/x/a.sock");
  EXPECT_EQ(config.listen[1].Text(), "127.0.0.1:0");
  EXPECT_EQ(config.store, "/x/s.db");
  EXPECT_EQ(config.gpus.uuids, (std::vector<std::string>{"GPU-a", "GPU-b"}));
  EXPECT_EQ(config.gpus.fake_script, "/x/f");
  EXPECT_EQ(config.workers.binary, "/x/w");
  EXPECT_EQ(config.workers.cuda_dirs, std::vector<std::string>{"/x/c"});
  EXPECT_EQ(CompileChildren(config, true), 3);
  EXPECT_EQ(config.idle_exit, std::chrono::seconds(60));
  EXPECT_EQ(config.log_level, LogLevel::kDebug);
  EXPECT_EQ(config.ready.fd, 3);
  EXPECT_EQ(config.ready.port_file, "/x/p");
  EXPECT_EQ(config.template_dir, "/tmp");
}

TEST(Config, CompileChildrenLeaveACoreBesideAGpu) {
  Config config = MustParse({});
  EXPECT_EQ(CompileChildren(config, true), 3);
  EXPECT_EQ(CompileChildren(config, false), 4);
  config.cores = 1;
  EXPECT_EQ(CompileChildren(config, true), 1);
}

struct ExitCase {
  std::vector<const char*> flags;
  ExitCode code;
  const char* text;
};

TEST(Config, RefusesWithOneLineAndTheRightCode) {
  const ExitCase cases[] = {
      {{"--listen", "0.0.0.0:50051"}, ExitCode::kConfiguration, "loopback"},
      {{"--listen", "192.168.1.2:50051"}, ExitCode::kConfiguration, "loopback"},
      {{"--listen", "[::]:1"}, ExitCode::kConfiguration, "loopback"},
      {{"--listen", "example.com:1"}, ExitCode::kConfiguration, "loopback"},
      {{"--listen", "127.0.0.1"}, ExitCode::kUsage, "HOST:PORT"},
      {{"--listen", "127.0.0.1:70000"}, ExitCode::kUsage, "HOST:PORT"},
      {{"--listen", "127.0.0.1:x"}, ExitCode::kUsage, "HOST:PORT"},
      {{"--listen", "unix:"}, ExitCode::kUsage, "path"},
      {{"--gpus", "0,1"}, ExitCode::kUsage, "--gpus"},
      {{"--gpus", "GPU-a,"}, ExitCode::kUsage, "--gpus"},
      {{"--compile-workers", "0"}, ExitCode::kUsage, "--compile-workers"},
      {{"--idle-exit", "-1"}, ExitCode::kUsage, "--idle-exit"},
      {{"--log-level", "loud"}, ExitCode::kUsage, "--log-level"},
      {{"--nonsense"}, ExitCode::kUsage, "nonsense"},
      {{"--template-dir", "/nowhere"}, ExitCode::kUsage, "template-dir"},
      {{"--config", "/nowhere.toml"}, ExitCode::kConfiguration, "nowhere.toml"},
      {{"--help"}, ExitCode::kOk, "--listen"},
      {{"--version"}, ExitCode::kOk, "tilewrightd"},
  };
  for (const ExitCase& c : cases) {
    SCOPED_TRACE(testing::PrintToString(c.flags));
    const auto parsed = Parse(c.flags);
    const auto* exit = std::get_if<EarlyExit>(&parsed);
    ASSERT_NE(exit, nullptr);
    EXPECT_EQ(exit->code, c.code) << exit->text;
    EXPECT_NE(exit->text.find(c.text), std::string::npos) << exit->text;
    if (c.code != ExitCode::kOk) {
      EXPECT_EQ(exit->text.find('\n'), std::string::npos) << exit->text;
    }
  }
  Environment nowhere;
  const auto parsed = Parse({}, nowhere);
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).code, ExitCode::kConfiguration);
}

TEST(Config, TooLongSocketPathIsRefused) {
  const std::string flag = "--listen=unix:/" + std::string(200, 'x');
  const auto parsed = Parse({flag.c_str()});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).code, ExitCode::kUsage);
}

TEST(Config, AcceptsEveryLoopback) {
  for (const char* address : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"}) {
    const Config config = MustParse({"--listen", address});
    EXPECT_EQ(config.listen.at(0).Text(), address);
  }
}

TEST(Config, ReadsAFileAndRefusesUnknownKeys) {
  const TempDir dir;
  const std::string file = (dir / "tilewright.toml");
  std::ofstream(file) << "listen = [\"127.0.0.1:0\"]\ncompile-workers = 2\n";
  const Config config = MustParse({"--config", file.c_str()});
  EXPECT_EQ(config.listen.at(0).Text(), "127.0.0.1:0");
  EXPECT_EQ(config.workers.compile_children, 2);
  std::ofstream(file) << "nonsense = 1\n";
  const auto parsed = Parse({"--config", file.c_str()});
  ASSERT_TRUE(std::holds_alternative<EarlyExit>(parsed));
  EXPECT_EQ(std::get<EarlyExit>(parsed).code, ExitCode::kConfiguration);
}

TEST(Config, OneStoreHasOneName) {
  const TempDir dir;
  std::filesystem::create_directory((dir / "real"));
  std::filesystem::create_directory_symlink((dir / "real"), (dir / "link"));
  const std::string flag = "--store=" + (dir / "link") + "/s.db";
  EXPECT_EQ(MustParse({flag.c_str()}).store, (dir / "real") + "/s.db");
}

class BoundSocket {
 public:
  explicit BoundSocket(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
  }

  ~BoundSocket() { ::close(fd_); }

  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

 private:
  int fd_;
};

TEST(ListenAddress, ReplacesAStaleSocketOnlyIfNobodyAnswers) {
  const TempDir dir;
  const std::string path = (dir / "sub/d.sock");
  ASSERT_TRUE(PrepareSocket(path).ok());

  struct stat info {};

  ASSERT_EQ(::stat((dir / "sub").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  {
    const BoundSocket alive(path);
    EXPECT_EQ(PrepareSocket(path).code(), StatusCode::kAborted);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(PrepareSocket(path).ok()) << "its owner is gone";
  EXPECT_FALSE(std::filesystem::exists(path));
  std::ofstream(path) << "a file";
  EXPECT_EQ(PrepareSocket(path).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(ListenAddress, RefusesADirectoryThatOthersMayWriteTo) {
  const TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  EXPECT_EQ(PrepareSocket((dir / "d.sock")).code(), StatusCode::kFailedPrecondition);
}

TEST(Escape, KeepsLogsAndTerminalsClean) {
  EXPECT_EQ(Escape("a\nb\t\x1b[2J\\", 100), "a\\nb\\t\\x1b[2J\\\\");
  EXPECT_EQ(Escape("abcdef", 6), "abcdef");
  EXPECT_EQ(Escape("abcdefg", 6), "abc...");
  EXPECT_EQ(Escape("ab\n\n\n\n", 6), "ab...");
  EXPECT_EQ(Escape("a\xc3\xa9\xc3\xa9\xc3\xa9", 6), "a\xc3\xa9...") << "no half characters";
}

TEST(Log, OneLinePerEventWithQuotedValues) {
  EXPECT_EQ(FormatFields({{"op", "1"}, {"event", "x y"}, {"note", ""}, {"q", "a\"b\nc"}}),
            "op=1 event=\"x y\" q=\"a\\\"b\\nc\"");
}

TEST(PublicStatus, NamesTheFieldBoundsTheMessageAndHidesInternals) {
  const Status named = PublicStatus({StatusCode::kInvalidArgument, "bad", "m"}, "");
  EXPECT_EQ(named.message(), "m: bad");
  const Status bounded = PublicStatus({StatusCode::kInvalidArgument, std::string(5000, 'x')}, "");
  EXPECT_EQ(bounded.message().size(), 1024u);
  const Status hidden = PublicStatus({StatusCode::kInternal, "/secret SELECT"}, "incident 1");
  EXPECT_EQ(hidden.message(), "internal error; incident 1 in the daemon's log");
}

}  // namespace
}  // namespace tw
