// SPDX-License-Identifier: Apache-2.0
#include "server/listen_address.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <arpa/inet.h>

namespace tw {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr int kMaxPort = 65535;

bool IsLoopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]")
    return true;
  in_addr address{};
  constexpr unsigned kLoopbackNet = 127;
  return ::inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
         (ntohl(address.s_addr) >> 24) == kLoopbackNet;
}

Result<ListenAddress> ParseSocket(std::string_view path) {
  std::error_code error;
  ListenAddress address;
  address.socket = std::filesystem::absolute(path, error).lexically_normal().string();
  if (path.empty() || error)
    return InvalidField("--listen", "unix:" + std::string(path), "needs a path");
  if (address.socket.size() >= sizeof(sockaddr_un::sun_path))
    return InvalidField("--listen", "unix:" + std::string(path),
                        "a socket's path has at most 107 bytes");
  return address;
}

Status Refuse(const std::string& path, std::string_view why) {
  return {StatusCode::kFailedPrecondition, path + ": " + std::string(why)};
}

// Sockets are 0600, but whoever may write to the directory could put another in their place.
Status PrepareDirectory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(directory).parent_path(), error);
  if (::mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return Refuse(directory, std::strerror(errno));

  struct stat info {};

  if (::stat(directory.c_str(), &info) != 0)
    return Refuse(directory, std::strerror(errno));
  if (!S_ISDIR(info.st_mode))
    return Refuse(directory, "must be a directory");
  if (info.st_uid != ::geteuid() && info.st_uid != 0)
    return Refuse(directory, "belongs to another user");
  const bool shared = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (shared && (info.st_mode & S_ISVTX) == 0)
    return Refuse(directory, "must not be writable by others; run chmod 700 on it");
  return OkStatus();
}

bool Answers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0)
    return true;  // cannot tell: leave it alone
  // The one cast that the sockets interface asks for. EAGAIN: its queue is full.
  const bool answers =
      ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ||
      errno == EAGAIN;
  ::close(fd);
  return answers;
}

}  // namespace

std::string ListenAddress::Text() const {
  return socket.empty() ? host + ":" + std::to_string(port) : std::string(kUnix) + socket;
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  if (text.starts_with(kUnix))
    return ParseSocket(text.substr(kUnix.size()));
  const auto colon = text.rfind(':');
  ListenAddress address;
  if (colon != std::string_view::npos && colon > 0) {
    address.host = text.substr(0, colon);
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (error == std::errc() && end == digits.data() + digits.size() && address.port >= 0 &&
        address.port <= kMaxPort) {
      if (IsLoopback(address.host))
        return address;
      return Status(StatusCode::kFailedPrecondition,
                    "--listen = " + std::string(text) +
                        ": only Unix sockets and loopback addresses; clients on other machines "
                        "need a tunnel (ssh -L)",
                    "--listen");
    }
  }
  return InvalidField("--listen", text, "must read unix:PATH or HOST:PORT");
}

Status PrepareSocket(const std::string& path) {
  TW_RETURN_IF_ERROR(PrepareDirectory(std::filesystem::path(path).parent_path().string()));

  struct stat info {};

  if (::lstat(path.c_str(), &info) != 0)
    return errno == ENOENT ? OkStatus() : Refuse(path, std::strerror(errno));
  if (!S_ISSOCK(info.st_mode))
    return Refuse(path, "exists and is no socket");
  if (Answers(path))
    return {StatusCode::kAborted, path + ": another daemon listens there"};
  if (::unlink(path.c_str()) != 0)
    return Refuse(path, std::strerror(errno));
  return OkStatus();
}

}  // namespace tw
