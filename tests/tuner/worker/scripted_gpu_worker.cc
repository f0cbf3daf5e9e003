// Stands in for tilewright-worker --role=gpu: what happens to a candidate is its id. "…-once"
// behaviours happen in the first process only.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tuner/worker/convert.h"
#include "tuner/worker/frame.h"

namespace tw {
namespace {

struct Script {
  std::string directory;        // marks and the log go there
  std::string open = "ok";      // "ok", "crash", "crash-once", "unavailable", "no-memory"
  std::string devices = "two";  // "two", "none", "crash"
  int fd = -1;
};

void Append(const Script& script, const std::string& line) {
  const std::string file = script.directory + "/log";
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const std::string text = line + "\n";
  if (fd < 0 || write(fd, text.data(), text.size()) < 0)
    std::abort();
  close(fd);
}

bool FirstTime(const Script& script, const std::string& what) {
  const int fd = open((script.directory + "/" + what).c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

// Whether `behaviour` is `name`, or is `name`-once for the first time.
bool Is(const Script& script, const std::string& behaviour, std::string_view name) {
  if (behaviour == name)
    return true;
  return behaviour == std::string(name) + "-once" && FirstTime(script, behaviour);
}

[[noreturn]] void Die(int signal_number) {
  std::signal(signal_number, SIG_DFL);  // a sanitizer has a handler of its own
  raise(signal_number);
  std::_Exit(1);
}

BenchmarkOutcome Measured() {
  Measurement measurement;
  measurement.samples_ns = {100, 101};
  measurement.median_ns = 100.5;
  BenchmarkOutcome outcome;
  outcome.kind = OutcomeKind::kMeasured;
  outcome.error_ratio = 0.25;
  outcome.measurement = measurement;
  return outcome;
}

// Returns where the candidate lets the worker live.
BenchmarkOutcome Perform(const Script& script, const std::string& id, bool* must_exit) {
  if (Is(script, id, "crash"))
    Die(SIGSEGV);
  if (Is(script, id, "exit"))
    std::_Exit(3);
  if (Is(script, id, "hang")) {
    for (;;)
      pause();
  }
  if (Is(script, id, "garbage"))
    send(script.fd, "\x02\0\0\0\xff\xff", 6, MSG_NOSIGNAL);
  if (!Is(script, id, "sticky"))
    return Measured();
  *must_exit = true;
  BenchmarkOutcome outcome;
  outcome.kind = OutcomeKind::kCrashed;
  outcome.rule = "cuda_700";
  outcome.detail = "an illegal memory access was encountered";
  return outcome;
}

void Describe(const Script& script, wire::DescribeDevicesReply* reply) {
  if (script.devices == "crash")
    Die(SIGABRT);
  if (script.devices == "none") {
    reply->set_note("libcuda.so.1 not found");
    return;
  }
  for (const char* uuid : {"GPU-one", "GPU-two"})
    reply->add_devices()->set_uuid(uuid);
}

Status OpenJob(const Script& script,
               const wire::OpenJobRequest& request,
               wire::OpenJobReply* reply) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Append(script,
         "open " + request.device_uuid() + " sees " + (visible == nullptr ? "all" : visible));
  if (Is(script, script.open, "crash"))
    Die(SIGSEGV);
  if (script.open == "unavailable")
    return {StatusCode::kUnavailable, "no context"};
  if (script.open == "no-memory")
    return {StatusCode::kResourceExhausted, "out of GPU memory"};
  reply->set_reference_seconds(0.001);
  return OkStatus();
}

// What happens is the arch of the kernels.
Status Calibrate(const Script& script,
                 const wire::CalibrateRequest& request,
                 wire::CalibrateReply* reply) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  Append(script,
         "calibrate " + request.device_uuid() + " sees " + (visible == nullptr ? "all" : visible));
  bool must_exit = false;
  static_cast<void>(Perform(script, request.kernels().arch(), &must_exit));
  if (Is(script, request.kernels().arch(), "busy"))
    return {StatusCode::kAborted, "repeats scatter"};
  reply->mutable_calibration()->set_device_uuid(request.device_uuid());
  reply->mutable_calibration()->set_launch_s(1.25e-6);
  return OkStatus();
}

Status Answer(const Script& script, const wire::Request& request, wire::Reply* reply) {
  if (request.has_describe_devices())
    Describe(script, reply->mutable_describe_devices());
  if (request.has_open_job())
    return OpenJob(script, request.open_job(), reply->mutable_open_job());
  if (request.has_calibrate())
    return Calibrate(script, request.calibrate(), reply->mutable_calibrate());
  bool must_exit = false;
  if (request.has_run_candidate()) {
    const std::string& id = request.run_candidate().candidate().id();
    Append(script, "run " + id);
    if (Is(script, id, "error"))
      return {StatusCode::kInternal, "cannot judge"};
    *reply->mutable_run_candidate()->mutable_outcome() = ToProto(Perform(script, id, &must_exit));
    reply->mutable_run_candidate()->set_worker_must_exit(must_exit);
  }
  for (const wire::Candidate& candidate : request.run_interleaved().candidates()) {
    Append(script, "interleave " + candidate.id());
    *reply->mutable_run_interleaved()->add_outcomes() =
        ToProto(Perform(script, candidate.id(), &must_exit));
    reply->mutable_run_interleaved()->set_worker_must_exit(must_exit);
  }
  return OkStatus();
}

int Serve(const Script& script) {
  wire::Request request;
  while (ReadFrame(script.fd, &request).ok()) {
    wire::Reply reply;
    SetStatus(Answer(script, request, &reply), &reply);
    reply.set_seq(request.seq());
    if (!WriteFrame(script.fd, reply).ok())
      break;
    if (reply.run_candidate().worker_must_exit() || reply.run_interleaved().worker_must_exit())
      break;
  }
  return 0;
}

}  // namespace
}  // namespace tw

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  tw::Script script;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const std::string_view value = arg.substr(std::min(arg.find('=') + 1, arg.size()));
    if (arg.starts_with("--directory="))
      script.directory = value;
    if (arg.starts_with("--open="))
      script.open = value;
    if (arg.starts_with("--devices="))
      script.devices = value;
    if (arg.starts_with("--fd="))
      std::from_chars(value.data(), value.data() + value.size(), script.fd);
  }
  return tw::Serve(script);
}
