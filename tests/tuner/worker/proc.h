// What /proc says of this process's children.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace tw::test {

inline std::string ReadProc(pid_t pid, const std::string& name) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Parent and state ('Z': a zombie) of a process; parent 0 when it is gone.
struct ProcStat {
  pid_t parent = 0;
  char state = 'X';
};

inline ProcStat StatOf(pid_t pid) {
  const std::string stat = ReadProc(pid, "stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat.size())
    return {};
  return {.parent = std::stoi(stat.substr(name_end + 4)), .state = stat[name_end + 2]};
}

// Children of `parent`, zombies too.
inline std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const pid_t pid = std::stoi(name);
    if (StatOf(pid).parent == parent)
      children.push_back(pid);
  }
  return children;
}

inline bool IsRunning(pid_t pid) {
  const ProcStat stat = StatOf(pid);
  return stat.parent != 0 && stat.state != 'Z';
}

// Descriptor number -> what it is.
inline std::map<int, std::string> DescriptorsOf(pid_t pid) {
  std::map<int, std::string> descriptors;
  const std::filesystem::path directory = "/proc/" + std::to_string(pid) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::error_code ignored;  // closed meanwhile
    descriptors[std::stoi(entry.path().filename())] =
        std::filesystem::read_symlink(entry.path(), ignored).string();
  }
  return descriptors;
}

// Polls `condition`, as what is waited for happens in another process. False after ten seconds.
template <class Condition>
bool Eventually(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition())
      return true;
    usleep(5000);
  }
  return false;
}

}  // namespace tw::test
