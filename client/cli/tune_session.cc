// SPDX-License-Identifier: Apache-2.0
#include "client/cli/tune_session.h"

#include <array>
#include <cstdint>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace tw::cli {
namespace {

class Follower {
 public:
  Follower(Connection& connection, const v1::StartTuneRequest& request, const TuneHooks& hooks)
      : connection_(connection), request_(request), hooks_(hooks) {}

  Status Start() {
    TW_ASSIGN_OR_RETURN(const v1::Operation operation, connection_.StartTune(request_));
    seq_ = 0;
    Take(operation);
    // Only StartTune tells these two.
    from_store_ = operation.from_store();
    daemon_ms_ = operation.daemon_ms();
    return OkStatus();
  }

  // The current state by name; a restarted daemon counts its states anew, so that the number to
  // resume after has to come from here.
  Status Reattach() {
    v1::GetOperationRequest request;
    request.set_name(latest_.name());
    const Result<v1::Operation> operation = connection_.GetOperation(request);
    if (operation.ok()) {
      seq_ = 0;
      Take(*operation);
      return OkStatus();
    }
    if (operation.status().code() == StatusCode::kNotFound) {
      return Start();
    }
    return operation.status();
  }

  // Ok where the stream ended by itself; says whether it brought anything new.
  Status Watch(bool& progressed) {
    v1::WatchOperationRequest request;
    request.set_name(latest_.name());
    request.set_resume_after_seq(seq_);
    const std::uint64_t before = seq_;
    Status status = connection_.WatchOperation(
        request, [this](const v1::Operation& operation) { Take(operation); });
    progressed = seq_ > before;
    return status;
  }

  [[nodiscard]] bool Finished() const { return IsFinished(latest_); }

  [[nodiscard]] v1::Operation Final() const {
    v1::Operation operation = latest_;
    operation.set_from_store(from_store_);
    operation.set_daemon_ms(daemon_ms_);
    return operation;
  }

 private:
  void Take(const v1::Operation& operation) {
    latest_ = operation;
    seq_ = operation.seq();
    hooks_.on_update(operation);
  }

  Connection& connection_;
  const v1::StartTuneRequest& request_;
  const TuneHooks& hooks_;
  v1::Operation latest_;
  std::uint64_t seq_ = 0;
  bool from_store_ = false;
  double daemon_ms_ = 0;
};

// Failures of the transport; anything else is the server's answer.
bool MayBeMended(const Status& status) {
  return status.ok() || status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kNotFound ||
         status.code() == StatusCode::kCancelled ||  // by a server that is going down
         status.code() == StatusCode::kUnknown || status.code() == StatusCode::kInternal;
}

}  // namespace

std::string NewRequestId() {
  std::random_device device;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) {
    word = device();
  }
  words[1] = (words[1] & 0xffff0fffU) | 0x00004000U;  // version 4
  words[2] = (words[2] & 0x3fffffffU) | 0x80000000U;  // RFC 4122 variant
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16,
                     words[1] & 0xffffU, words[2] >> 16, words[2] & 0xffffU, words[3]);
}

bool IsFinished(const v1::Operation& operation) {
  return operation.state() == v1::OPERATION_STATE_SUCCEEDED ||
         operation.state() == v1::OPERATION_STATE_FAILED ||
         operation.state() == v1::OPERATION_STATE_CANCELLED;
}

Result<v1::Operation> FollowTune(Connection& connection,
                                 const v1::StartTuneRequest& request,
                                 const TuneHooks& hooks,
                                 const std::stop_token& stop,
                                 const ReattachPolicy& policy) {
  Follower follower(connection, request, hooks);
  TW_RETURN_IF_ERROR(follower.Start());
  int tries = 0;
  while (!follower.Finished()) {
    bool progressed = false;
    Status status = follower.Watch(progressed);
    if (follower.Finished()) {
      break;
    }
    if (stop.stop_requested()) {
      return Status(StatusCode::kCancelled, "interrupted");
    }
    tries = progressed ? 1 : tries + 1;
    if (!MayBeMended(status)) {
      return status;
    }
    if (tries > policy.tries) {
      return status.ok() ? Status(StatusCode::kUnavailable, "the server ends the job's stream")
                         : status.WithContext("lost the job's stream");
    }
    hooks.on_note("lost sight of the job; attaching again");
    std::this_thread::sleep_for(policy.backoff * tries);
    TW_RETURN_IF_ERROR(follower.Reattach());
  }
  return follower.Final();
}

}  // namespace tw::cli
