// SPDX-License-Identifier: Apache-2.0
#include "client/cli/server.h"

#include <filesystem>
#include <memory>
#include <system_error>

namespace tw::cli {
namespace {

Status CheckAddress(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  const bool socket = address.starts_with(kUnix) && address.size() > kUnix.size();
  const std::size_t colon = address.rfind(':');
  const bool host_port = colon != std::string::npos && colon > 0 && colon + 1 < address.size() &&
                         address.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (socket || host_port) {
    return OkStatus();
  }
  return InvalidField("server", address, "must be unix:PATH or HOST:PORT");
}

AddressSource Fixed(std::string address) {
  return [address = std::move(address)](const std::stop_token&) -> Result<std::string> {
    return address;
  };
}

// The daemon runs in the root folder.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

bool NamesItsOwnDaemon(const GlobalFlags& flags, const Environment& env) {
  return !flags.store.empty() || !env.store.empty() || !flags.gpus.empty() ||
         !flags.cuda_dir.empty() || !flags.fake_gpu.empty();
}

}  // namespace

Result<PrivateDaemonSpec> PrivateDaemonOf(const GlobalFlags& flags, const Environment& env) {
  PrivateDaemonSpec spec;
  TW_ASSIGN_OR_RETURN(spec.store, StorePath(flags.store, env));
  spec.paths = PathsOf(spec.store, env);
  spec.binary = env.binary_dir + "/tilewrightd";
  spec.uid = env.uid;
  spec.idle_exit_s = flags.idle_exit_s;
  if (!flags.gpus.empty()) {
    spec.arguments.push_back("--gpus=" + flags.gpus);
  }
  if (!flags.cuda_dir.empty()) {
    spec.arguments.push_back("--cuda-dir=" + Absolute(flags.cuda_dir));
  }
  if (!flags.fake_gpu.empty()) {
    const bool inline_text = flags.fake_gpu.starts_with('{');
    spec.arguments.push_back("--fake-gpu=" +
                             (inline_text ? flags.fake_gpu : Absolute(flags.fake_gpu)));
  }
  return spec;
}

Result<AddressSource> ChooseServer(const Context& context) {
  const Environment& env = context.env;
  const std::string& address = context.flags.server.empty() ? env.server : context.flags.server;
  if (!address.empty()) {
    TW_RETURN_IF_ERROR(CheckAddress(address));
    return Fixed(address);
  }
  if (!NamesItsOwnDaemon(context.flags, env) && SocketAnswers(env.system_socket)) {
    return Fixed("unix:" + env.system_socket);
  }
  TW_ASSIGN_OR_RETURN(PrivateDaemonSpec spec, PrivateDaemonOf(context.flags, env));
  return AddressSource(
      [spec = std::move(spec), &context](const std::stop_token& stop) -> Result<std::string> {
        TW_ASSIGN_OR_RETURN(RunningDaemon daemon, EnsureDaemon(spec, stop));
        if (daemon.other_options && !spec.arguments.empty()) {
          Note(context,
               "the store's daemon is already running with other options than these; they "
               "do not apply");
        }
        return std::move(daemon.address);
      });
}

}  // namespace tw::cli
