// SPDX-License-Identifier: Apache-2.0
#include "client/cli/daemon_paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"

namespace tw::cli {
namespace {

using fakes::TempDir;

TEST(StorePath, FlagThenVariableThenDataHomeThenHome) {
  Environment env;
  EXPECT_EQ(StorePath("", env).status().code(), StatusCode::kFailedPrecondition);
  env.home = "/nowhere/home";
  EXPECT_EQ(*StorePath("", env), "/nowhere/home/.local/share/tilewright/store.db");
  env.xdg_data_home = "relative";  // to be ignored
  EXPECT_EQ(*StorePath("", env), "/nowhere/home/.local/share/tilewright/store.db");
  env.xdg_data_home = "/nowhere/data";
  EXPECT_EQ(*StorePath("", env), "/nowhere/data/tilewright/store.db");
  env.store = "/nowhere/variable.db";
  EXPECT_EQ(*StorePath("", env), "/nowhere/variable.db");
  EXPECT_EQ(*StorePath("/nowhere/flag.db", env), "/nowhere/flag.db");
}

TEST(StorePath, OneFileHasOneName) {
  const TempDir dir;
  std::filesystem::create_directory(dir / "real");
  std::filesystem::create_directory_symlink(dir / "real", dir / "link");
  const Environment env;
  const std::string real = *StorePath(dir / "real/store.db", env);
  EXPECT_EQ(*StorePath(dir / "link/store.db", env), real);
  EXPECT_EQ(*StorePath(dir / "real/../real/./store.db", env), real);
  EXPECT_EQ(*StorePath(std::filesystem::relative(dir / "real/store.db").string(), env), real);
}

TEST(DaemonPaths, AreNamedAfterTheStore) {
  Environment env;
  env.uid = 1000;
  const DaemonPaths first = PathsOf("/a/store.db", env);
  EXPECT_EQ(first.directory, "/tmp/tilewright-1000");
  EXPECT_EQ(first.socket.substr(0, 21), "/tmp/tilewright-1000/");
  EXPECT_EQ(first.socket.size(), 21U + 16 + 5);
  EXPECT_TRUE(first.lock.ends_with(".lock"));
  EXPECT_TRUE(first.log.ends_with(".log"));
  EXPECT_NE(first.socket, PathsOf("/b/store.db", env).socket);
  EXPECT_EQ(first.socket, PathsOf("/a/store.db", env).socket);
}

TEST(DaemonPaths, LieInTheRuntimeFolder) {
  Environment env;
  env.xdg_runtime_dir = "/run/user/1000";
  EXPECT_EQ(PathsOf("/a", env).directory, "/run/user/1000/tilewright");
}

TEST(DaemonPaths, SocketsFitTheirAddress) {
  Environment env;
  env.uid = 4'294'967'295U;
  env.xdg_runtime_dir = "/" + std::string(74, 'x');  // 75 + 11 + 1 + 16 + 5 = 108: one too long
  EXPECT_EQ(PathsOf("/a", env).directory, "/tmp/tilewright-4294967295");
  env.xdg_runtime_dir.pop_back();
  EXPECT_EQ(PathsOf("/a", env).socket.size(), 107U);
  EXPECT_EQ(PathsOf("/a", env).directory, env.xdg_runtime_dir + "/tilewright");
}

TEST(PrepareDirectory, CreatesAPrivateOne) {
  const TempDir dir;
  const std::string path = dir / "new";
  ASSERT_TRUE(PrepareDirectory(path, ::geteuid()).ok());

  struct stat info {};

  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
  EXPECT_TRUE(PrepareDirectory(path, ::geteuid()).ok());
}

TEST(PrepareDirectory, RefusesWhatOthersCanEnter) {
  const TempDir dir;
  const std::string path = dir / "open";
  std::filesystem::create_directory(path);
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  const Status status = PrepareDirectory(path, ::geteuid());
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("chmod 700"), std::string::npos);
}

TEST(PrepareDirectory, RefusesOthersFoldersLinksAndFiles) {
  const TempDir dir;
  EXPECT_FALSE(PrepareDirectory(dir.path(), ::geteuid() + 1).ok());
  std::filesystem::create_directory_symlink(dir.path(), dir / "link");
  EXPECT_FALSE(PrepareDirectory(dir / "link", ::geteuid()).ok());
  std::ofstream(dir / "file") << "x";
  EXPECT_FALSE(PrepareDirectory(dir / "file", ::geteuid()).ok());
  EXPECT_FALSE(PrepareDirectory(dir / "missing/below", ::geteuid()).ok());
}

}  // namespace
}  // namespace tw::cli
