// SPDX-License-Identifier: Apache-2.0
#include "server/config.h"

#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>

#include "codegen/core/digest.h"

namespace tw {
namespace {

constexpr int kMaxCompileChildren = 1024;
constexpr int kMaxIdleSeconds = 1'000'000'000;

// As CLI11 fills them.
struct RawFlags {
  std::vector<std::string> listen;
  std::string store;
  std::string gpus = "all";
  int idle_exit = 0;
  std::string log_level = "info";
  Config config;
};

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void DeclareFlags(CLI::App& app, RawFlags& flags) {
  Config& config = flags.config;
  app.add_option("--listen", flags.listen,
                 "unix:PATH or HOST:PORT (loopback; port 0: any). Repeatable. Default: the socket "
                 "where `tilewright` looks for the daemon of this store");
  app.add_option("--store", flags.store,
                 "result store. Default: $XDG_DATA_HOME/tilewright/store.db");
  app.add_option("--gpus", flags.gpus, "all, none, or UUIDs with commas between")
      ->capture_default_str();
  app.add_option("--compile-workers", config.workers.compile_children,
                 "compiler processes. Default: cores - 1 beside a GPU, else cores")
      ->check(CLI::Range(1, kMaxCompileChildren));
  app.add_option("--template-dir", config.template_dir,
                 "read kernel templates from here at every tune instead of the embedded ones")
      ->check(CLI::ExistingDirectory);
  app.add_option("--idle-exit", flags.idle_exit, "leave after this many seconds without work")
      ->check(CLI::Range(1, kMaxIdleSeconds));
  app.add_option("--worker", config.workers.binary,
                 "tilewright-worker. Default: beside this program");
  app.add_option("--cuda-dir", config.workers.cuda_dirs,
                 "CUDA toolkit or library directory whose NVRTC and cuBLASLt come before "
                 "the loader's. Repeatable");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.add_option("--port-file", config.ready.port_file,
                 "write the addresses there, one a line, when serving");
  app.add_option("--ready-fd", config.ready.fd,
                 "write the line \"ready\" to this descriptor when serving")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--fake-gpu", config.gpus.fake_script, "")->group("");  // hidden: tests
  app.set_config("--config", "", "read flags from a TOML file (listen = [\"unix:...\"])");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.set_version_flag("--version", "tilewrightd " TW_VERSION);
}

LogLevel ParseLogLevel(const std::string& name) {
  const std::map<std::string, LogLevel> levels = {{"debug", LogLevel::kDebug},
                                                  {"info", LogLevel::kInfo},
                                                  {"warn", LogLevel::kWarn},
                                                  {"error", LogLevel::kError}};
  return levels.at(name);
}

// Absolute, symbolic links resolved as far as the path exists: one file has one name.
Result<std::string> StorePath(const std::string& flag, const Environment& environment) {
  std::filesystem::path path = flag;
  if (path.empty() && environment.xdg_data_home.starts_with('/'))
    path = environment.xdg_data_home + "/tilewright/store.db";
  else if (path.empty() && !environment.home.empty())
    path = environment.home + "/.local/share/tilewright/store.db";
  if (path.empty())
    return Status(StatusCode::kFailedPrecondition,
                  "no place for the store: give --store FILE or set HOME");
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  const auto canonical = error ? absolute : std::filesystem::weakly_canonical(absolute, error);
  if (error)
    return Status(StatusCode::kFailedPrecondition, "--store = " + flag + ": " + error.message());
  return canonical.string();
}

Status ParseGpus(const std::string& flag, GpuConfig& gpus) {
  if (flag == "all")
    return OkStatus();
  if (flag == "none") {
    gpus.enabled = false;
    return OkStatus();
  }
  for (std::size_t begin = 0; begin <= flag.size();) {
    const std::size_t end = std::min(flag.find(',', begin), flag.size());
    const std::string uuid = flag.substr(begin, end - begin);
    if (!uuid.starts_with("GPU-") && !uuid.starts_with("MIG-"))
      return InvalidField("--gpus", flag, "must be all, none, or UUIDs (GPU-...) with commas");
    gpus.uuids.push_back(uuid);
    begin = end + 1;
  }
  return OkStatus();
}

Status ParseListen(const std::vector<std::string>& flags,
                   const Environment& environment,
                   Config& config) {
  std::vector<std::string> texts = flags;
  if (texts.empty())
    texts.push_back("unix:" + DefaultSocket(config.store, environment));
  for (const std::string& text : texts) {
    TW_ASSIGN_OR_RETURN(ListenAddress address, ParseListenAddress(text));
    config.listen.push_back(std::move(address));
  }
  return OkStatus();
}

Result<Config> Validate(RawFlags flags, const Environment& environment) {
  Config config = std::move(flags.config);
  TW_ASSIGN_OR_RETURN(config.store, StorePath(flags.store, environment));
  TW_RETURN_IF_ERROR(ParseListen(flags.listen, environment, config));
  TW_RETURN_IF_ERROR(ParseGpus(flags.gpus, config.gpus));
  if (config.workers.binary.empty())
    config.workers.binary = environment.binary_dir + "/tilewright-worker";
  if (flags.idle_exit > 0)
    config.idle_exit = std::chrono::seconds(flags.idle_exit);
  config.log_level = ParseLogLevel(flags.log_level);
  config.cores = environment.cores;
  return config;
}

}  // namespace

Environment ReadEnvironment() {
  Environment environment;
  environment.xdg_runtime_dir = Variable("XDG_RUNTIME_DIR");
  environment.xdg_data_home = Variable("XDG_DATA_HOME");
  environment.home = Variable("HOME");
  environment.uid = ::getuid();
  environment.cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::error_code error;
  environment.binary_dir = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  return environment;
}

std::variant<Config, EarlyExit> ParseConfig(int argc,
                                            const char* const* argv,
                                            const Environment& environment) {
  CLI::App app("Tilewright's daemon: tunes GEMM kernels and serves the winners.", "tilewrightd");
  RawFlags flags;
  DeclareFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return EarlyExit{ExitCode::kOk, version.what()};
  } catch (const CLI::CallForHelp&) {
    return EarlyExit{ExitCode::kOk, app.help()};
  } catch (const CLI::ConfigError& error) {
    return EarlyExit{ExitCode::kConfiguration, error.what()};
  } catch (const CLI::FileError& error) {
    return EarlyExit{ExitCode::kConfiguration, error.what()};
  } catch (const CLI::ParseError& error) {
    return EarlyExit{ExitCode::kUsage, error.what()};
  }
  auto config = Validate(std::move(flags), environment);
  if (config.ok())
    return *std::move(config);
  const bool usage = config.status().code() == StatusCode::kInvalidArgument;
  return EarlyExit{usage ? ExitCode::kUsage : ExitCode::kConfiguration, config.status().message()};
}

int CompileChildren(const Config& config, bool beside_gpu) {
  if (config.workers.compile_children > 0)
    return config.workers.compile_children;
  return std::max(1, beside_gpu ? config.cores - 1 : config.cores);
}

std::string DefaultSocket(const std::string& store, const Environment& environment) {
  constexpr std::size_t kHashDigits = 16;
  const std::string name = "/" + Sha256Hex(store).substr(0, kHashDigits) + ".sock";
  if (environment.xdg_runtime_dir.starts_with('/')) {
    std::string path = environment.xdg_runtime_dir + "/tilewright" + name;
    if (path.size() < sizeof(sockaddr_un::sun_path))
      return path;
  }
  return "/tmp/tilewright-" + std::to_string(environment.uid) + name;
}

ExitCode ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return ExitCode::kOk;
    case StatusCode::kUnavailable:
    case StatusCode::kAborted:
      return ExitCode::kTryAgain;
    case StatusCode::kInvalidArgument:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kPermissionDenied:
    case StatusCode::kNotFound:
    case StatusCode::kDataLoss:
      return ExitCode::kConfiguration;
    default:
      return ExitCode::kInternal;
  }
}

}  // namespace tw
