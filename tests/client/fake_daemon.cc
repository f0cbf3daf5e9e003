// Stands in for tilewrightd in private_daemon_test: same flags, holds the store, listens, says that
// it is ready and waits to be killed. --gpus scripts it: "refuse", "die" and "hang" never serve.
// Every start adds a line to STORE.starts.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace {

std::string FlagOf(int argc, char** argv, std::string_view name) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(name) && word.size() > name.size() && word[name.size()] == '=') {
      return std::string(word.substr(name.size() + 1));
    }
  }
  return {};
}

bool Listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ::unlink(path.c_str());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  return ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
         ::listen(fd, 64) == 0;
}

// Descriptors beyond the pipe's end that came through the exec.
int InheritedDescriptors() {
  int count = 0;
  for (int fd = 4; fd < 256; ++fd) {
    count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const int inherited = InheritedDescriptors();
  const std::string store = FlagOf(argc, argv, "--store");
  const std::string script = FlagOf(argc, argv, "--gpus");
  std::ofstream(store + ".starts", std::ios::app)
      << ::getpid() << " " << (::getsid(0) == ::getpid()) << " " << inherited << "\n";
  if (script == "refuse" || script == "die") {
    std::cerr << "first line\nno such GPU\n";
    return script == "die" ? 1 : 78;
  }
  const int lock = ::open((store + ".held").c_str(), O_RDWR | O_CREAT, 0600);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return 75;
  }
  if (script != "hang") {
    if (!Listen(FlagOf(argc, argv, "--listen").substr(std::string_view("unix:").size()))) {
      return 70;
    }
    const int ready = std::stoi(FlagOf(argc, argv, "--ready-fd"));
    if (::write(ready, "ready\n", 6) != 6) {
      return 70;
    }
    ::close(ready);
  }
  ::alarm(60);  // never outlives a test by much
  ::pause();
}
