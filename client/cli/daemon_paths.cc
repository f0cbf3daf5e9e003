// SPDX-License-Identifier: Apache-2.0
#include "client/cli/daemon_paths.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "codegen/core/digest.h"

namespace tw::cli {
namespace {

constexpr std::size_t kMaxSocketPath = 107;  // sockaddr_un::sun_path less its terminator
constexpr std::size_t kHashDigits = 16;

DaemonPaths PathsIn(std::string directory, const std::string& name) {
  const std::string stem = directory + "/" + name;
  return {.directory = std::move(directory),
          .socket = stem + ".sock",
          .lock = stem + ".lock",
          .log = stem + ".log",
          .arguments = stem + ".args"};
}

Result<std::string> ChosenStore(const std::string& flag, const Environment& env) {
  if (!flag.empty()) {
    return flag;
  }
  if (!env.store.empty()) {
    return env.store;
  }
  // The XDG specification: a relative path is to be ignored.
  if (env.xdg_data_home.starts_with('/')) {
    return env.xdg_data_home + "/tilewright/store.db";
  }
  if (!env.home.empty()) {
    return env.home + "/.local/share/tilewright/store.db";
  }
  return Status(StatusCode::kFailedPrecondition,
                "no place for the store: give --store FILE or set HOME");
}

}  // namespace

Result<std::string> StorePath(const std::string& flag, const Environment& env) {
  TW_ASSIGN_OR_RETURN(const std::string chosen, ChosenStore(flag, env));
  std::error_code error;
  const auto absolute = std::filesystem::absolute(chosen, error);
  const auto canonical = error ? absolute : std::filesystem::weakly_canonical(absolute, error);
  if (error) {
    return Status(StatusCode::kFailedPrecondition, "store " + chosen + ": " + error.message());
  }
  return canonical.string();
}

DaemonPaths PathsOf(const std::string& store, const Environment& env) {
  const std::string name = Sha256Hex(store).substr(0, kHashDigits);
  if (env.xdg_runtime_dir.starts_with('/')) {
    DaemonPaths paths = PathsIn(env.xdg_runtime_dir + "/tilewright", name);
    if (paths.socket.size() <= kMaxSocketPath) {
      return paths;
    }
  }
  return PathsIn("/tmp/tilewright-" + std::to_string(env.uid), name);
}

Status PrepareDirectory(const std::string& directory, unsigned uid) {
  const auto refuse = [&](const std::string& why) {
    return Status(StatusCode::kFailedPrecondition, directory + ": " + why);
  };
  if (::mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return refuse(std::string("cannot be created: ") + std::strerror(errno));
  }

  struct stat info {};

  if (::lstat(directory.c_str(), &info) != 0) {
    return refuse(std::strerror(errno));
  }
  if (!S_ISDIR(info.st_mode)) {
    return refuse("must be a directory");
  }
  if (info.st_uid != uid) {
    return refuse("belongs to another user; remove it or set XDG_RUNTIME_DIR");
  }
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refuse("must be closed to other users; run chmod 700 on it");
  }
  return OkStatus();
}

}  // namespace tw::cli
