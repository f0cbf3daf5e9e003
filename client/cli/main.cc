// tilewright: the command line. The one place of the client that reads the environment.
// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "client/cli/command_line.h"

namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string BinaryDir() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string(".") : self.parent_path().string();
}

int TerminalColumns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

tw::cli::Environment ReadEnvironment() {
  tw::cli::Environment env;
  env.home = Variable("HOME");
  env.xdg_data_home = Variable("XDG_DATA_HOME");
  env.xdg_runtime_dir = Variable("XDG_RUNTIME_DIR");
  std::error_code error;
  if (!std::filesystem::is_directory(env.xdg_runtime_dir, error)) {
    env.xdg_runtime_dir.clear();  // left over from another session
  }
  env.server = Variable("TILEWRIGHT_SERVER");
  env.store = Variable("TILEWRIGHT_STORE");
  env.binary_dir = BinaryDir();
  env.uid = ::geteuid();
  env.stderr_is_terminal = ::isatty(STDERR_FILENO) == 1;
  env.terminal_columns = TerminalColumns();
  return env;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    tw::cli::Context context{
        .env = ReadEnvironment(), .flags = {}, .out = std::cout, .err = std::cerr, .action = {}};
    const tw::cli::ExitCode code = tw::cli::RunCommandLine(arguments, context);
    if (!std::cout.flush()) {
      std::cerr << "tilewright: cannot write the answer to standard output\n";
      return static_cast<int>(tw::cli::ExitCode::kInternal);
    }
    return static_cast<int>(code);
  } catch (const std::exception& error) {
    std::cerr << "tilewright: " << error.what() << "\n";
    return static_cast<int>(tw::cli::ExitCode::kInternal);
  }
}
