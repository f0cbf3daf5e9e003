// What the command line takes from its surroundings. Filled once, in main.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tw::cli {

struct Environment {
  std::string home;             // $HOME; empty: unset
  std::string xdg_data_home;    // $XDG_DATA_HOME
  std::string xdg_runtime_dir;  // $XDG_RUNTIME_DIR
  std::string server;           // $TILEWRIGHT_SERVER
  std::string store;            // $TILEWRIGHT_STORE
  std::string binary_dir;       // of the running executable; tilewrightd lies beside it
  std::string system_socket = "/run/tilewright/tilewrightd.sock";
  unsigned uid = 0;
  bool stderr_is_terminal = false;
  int terminal_columns = 80;
};

}  // namespace tw::cli
