// tilewright-worker: a disposable child of the daemon. By hand only for these:
//   tilewright-worker --selftest timing [--regime hot|cool|alone] [--seconds N] [--fake SCRIPT]
//   tilewright-worker --replay FOLDER [--fake SCRIPT]
// The second judges an offending candidate again: 0 it passes, 1 it fails, 2 it cannot be judged.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tuner/worker/compile_role.h"
#include "tuner/worker/confine.h"
#include "tuner/worker/gpu_role.h"
#include "tuner/worker/replay.h"
#include "tuner/worker/timing_selftest.h"

namespace {

constexpr int kUsageError = 64;  // sysexits.h
constexpr int kNotReplayed = 2;

struct Flags {
  std::string role;
  std::string selftest;
  std::string replay;  // a repro folder
  tw::Regime regime = tw::Regime::kHot;
  double seconds = tw::TimingSelftest().seconds;
  int fd = -1;
  int parent_pid = 0;
  tw::CompileRoleOptions compile;
  tw::GpuRoleOptions gpu;
};

// The value of "NAME=VALUE", or of "NAME" alone: empty.
std::optional<std::string_view> ValueOf(std::string_view arg, std::string_view name) {
  if (!arg.starts_with(name))
    return std::nullopt;
  arg.remove_prefix(name.size());
  if (arg.empty())
    return arg;
  if (arg.front() != '=')
    return std::nullopt;
  return arg.substr(1);
}

template <class Number>
bool SetNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

bool SetText(std::string_view text, std::string* value) {
  *value = text;
  return true;
}

// A toolkit's library directory, for whatever is looked for.
bool AddDirectory(std::string_view text, Flags* flags) {
  flags->compile.nvrtc.named.emplace_back(text);
  flags->gpu.cublaslt.named.emplace_back(text);
  return true;
}

bool SetFake(std::string_view script, tw::GpuRoleOptions* options) {
  options->fake = true;
  options->fake_script = script;
  return true;
}

bool SetRegime(std::string_view text, tw::Regime* regime) {
  const auto parsed = tw::ParseRegime(text);
  *regime = parsed.value_or(*regime);
  return parsed.has_value();
}

// "NAME=VALUE" of every "NAME=VALUE", "NAME VALUE" and "NAME".
std::vector<std::string> JoinFlags(int argc, char** argv) {
  std::vector<std::string> flags;
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    const bool value_follows = flag.find('=') == std::string::npos && i + 1 < argc &&
                               !std::string_view(argv[i + 1]).starts_with("--");
    if (value_follows)
      flag += std::string("=") + argv[++i];
    flags.push_back(std::move(flag));
  }
  return flags;
}

// False where `arg` is no flag, or its value is bad.
bool ParseFlag(std::string_view arg, Flags* flags) {
  if (const auto value = ValueOf(arg, "--role"))
    return SetText(*value, &flags->role);
  if (const auto value = ValueOf(arg, "--selftest"))
    return SetText(*value, &flags->selftest) && *value == "timing";
  if (const auto value = ValueOf(arg, "--replay"))
    return SetText(*value, &flags->replay) && !value->empty();
  if (const auto value = ValueOf(arg, "--regime"))
    return SetRegime(*value, &flags->regime);
  if (const auto value = ValueOf(arg, "--seconds"))
    return SetNumber(*value, &flags->seconds);
  if (const auto value = ValueOf(arg, "--fd"))
    return SetNumber(*value, &flags->fd);
  if (const auto value = ValueOf(arg, "--parent-pid"))
    return SetNumber(*value, &flags->parent_pid);
  if (const auto value = ValueOf(arg, "--fake"))
    return SetFake(*value, &flags->gpu);
  if (const auto value = ValueOf(arg, "--fake-compile"))
    return SetText(*value, &flags->compile.fake);
  if (const auto value = ValueOf(arg, "--nvrtc"))
    return SetText(*value, &flags->compile.nvrtc.file);
  if (const auto value = ValueOf(arg, "--cublaslt"))
    return SetText(*value, &flags->gpu.cublaslt.file);
  if (const auto value = ValueOf(arg, "--cuda-dir"))
    return AddDirectory(*value, flags);
  if (const auto value = ValueOf(arg, "--cpu-limit"))
    return SetNumber(*value, &flags->compile.limits.cpu_s);
  if (const auto value = ValueOf(arg, "--memory-limit"))
    return SetNumber(*value, &flags->compile.limits.memory_bytes);
  return false;
}

// Where a toolkit may be that the loader does not know of.
void AddToolkitDirectories(std::vector<std::string>* directories) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      directories->push_back(std::string(root) + "/lib64");
  }
  directories->emplace_back("/usr/local/cuda/lib64");
}

tw::Status Run(const Flags& flags) {
  TW_RETURN_IF_ERROR(tw::ConfineWorker(flags.parent_pid));
  if (flags.role == "compile")
    return tw::RunCompileRole(flags.fd, flags.compile);
  if (flags.role == "gpu")
    return tw::RunGpuRole(flags.fd, flags.gpu);
  return {tw::StatusCode::kInvalidArgument, "no role '" + flags.role + "'"};
}

int RunSelftest(Flags& flags) {
  AddToolkitDirectories(&flags.compile.nvrtc.directories);
  const tw::Result<bool> passed = tw::RunTimingSelftest({.gpu = flags.gpu,
                                                         .nvrtc = flags.compile.nvrtc,
                                                         .regime = flags.regime,
                                                         .seconds = flags.seconds},
                                                        stdout);
  if (!passed.ok())
    std::fprintf(stderr, "tilewright-worker: %s\n", passed.status().ToString().c_str());
  return passed.ok() && *passed ? EXIT_SUCCESS : EXIT_FAILURE;
}

// In a child of this program, which the candidate may take down.
int RunReplay(const Flags& flags) {
  tw::GpuPoolOptions pool;
  std::error_code error;
  pool.worker_path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (flags.gpu.fake)
    pool.extra_args.push_back("--fake=" + flags.gpu.fake_script);
  const tw::Result<bool> passed =
      error ? tw::Status(tw::StatusCode::kInternal, "/proc/self/exe: " + error.message())
            : tw::ReplayRepro(flags.replay, pool, stdout);
  if (passed.ok())
    return *passed ? EXIT_SUCCESS : EXIT_FAILURE;
  std::fprintf(stderr, "tilewright-worker: %s\n", passed.status().ToString().c_str());
  return kNotReplayed;
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  for (const std::string& flag : JoinFlags(argc, argv)) {
    if (ParseFlag(flag, &flags))
      continue;
    std::fprintf(stderr, "tilewright-worker: bad argument '%s'; the daemon starts it\n",
                 flag.c_str());
    return kUsageError;
  }
  if (!flags.selftest.empty())
    return RunSelftest(flags);
  if (!flags.replay.empty())
    return RunReplay(flags);
  if (flags.fd < 0 || flags.parent_pid <= 0) {
    std::fputs("tilewright-worker: is started by tilewrightd, not by hand\n", stderr);
    return kUsageError;
  }
  AddToolkitDirectories(&flags.compile.nvrtc.directories);
  AddToolkitDirectories(&flags.gpu.cublaslt.directories);
  const tw::Status status = Run(flags);
  if (status.ok())
    return EXIT_SUCCESS;
  std::fprintf(stderr, "tilewright-worker: role=%s pid=%d error=\"%s\"\n", flags.role.c_str(),
               static_cast<int>(getpid()), status.ToString().c_str());
  return EXIT_FAILURE;
}
