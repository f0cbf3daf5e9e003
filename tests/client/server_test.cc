// SPDX-License-Identifier: Apache-2.0
#include "client/cli/server.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

struct Surroundings {
  TempDir dir;
  std::ostringstream out, err;
  Context context{.env = {}, .flags = {}, .out = out, .err = err, .action = {}};

  Surroundings() {
    context.env.home = dir.path();
    context.env.xdg_runtime_dir = dir.path();
    context.env.uid = ::geteuid();
    context.env.binary_dir = dir.path();  // no daemon there
    context.env.system_socket = dir / "system.sock";
  }

  [[nodiscard]] std::string Address() const {
    const auto source = ChooseServer(context);
    if (!source.ok()) {
      return source.status().message();
    }
    const auto address = (*source)({});
    return address.ok() ? *address : address.status().message();
  }
};

TEST(Server, TheFlagWinsOverTheVariable) {
  Surroundings here;
  here.context.env.server = "unix:/variable.sock";
  EXPECT_EQ(here.Address(), "unix:/variable.sock");
  here.context.flags.server = "127.0.0.1:7070";
  EXPECT_EQ(here.Address(), "127.0.0.1:7070");
}

TEST(Server, AddressesAreChecked) {
  Surroundings here;
  for (const char* address : {"unix:", "host", "host:", ":80", "host:port", "/path/to.sock"}) {
    here.context.flags.server = address;
    EXPECT_EQ(here.Address(),
              "server = " + std::string(address) + ": must be unix:PATH or HOST:PORT");
  }
}

TEST(Server, WithoutASystemDaemonTheStoresOwnIsStarted) {
  const Surroundings here;
  EXPECT_NE(here.Address().find("cannot start " + here.dir.path().string() + "/tilewrightd"),
            std::string::npos)
      << here.Address();
}

TEST(Server, OptionsReachTheDaemonWithAbsolutePaths) {
  Surroundings here;
  GlobalFlags& flags = here.context.flags;
  flags.store = here.dir / "s.db";
  flags.gpus = "none";
  flags.fake_gpu = "script.txt";
  flags.cuda_dir = "/usr/local/cuda";
  flags.idle_exit_s = 5;
  const auto spec = PrivateDaemonOf(flags, here.context.env);
  ASSERT_TRUE(spec.ok());
  const std::string folder = std::filesystem::current_path().string();
  EXPECT_EQ(spec->arguments, (std::vector<std::string>{"--gpus=none", "--cuda-dir=/usr/local/cuda",
                                                       "--fake-gpu=" + folder + "/script.txt"}));
  EXPECT_EQ(spec->store, here.dir / "s.db");
  EXPECT_EQ(spec->idle_exit_s, 5);
}

}  // namespace
}  // namespace tw::cli
