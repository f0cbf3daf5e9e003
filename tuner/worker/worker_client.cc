#include "tuner/worker/worker_client.h"

#include <string>
#include <utility>

#include "tuner/worker/frame.h"

namespace tw {
namespace {

namespace wire = tilewright::worker::v1;

constexpr std::chrono::milliseconds kDyingLimit{2'000};  // from the socket's end to the process's
constexpr std::chrono::milliseconds kReapLimit{10'000};

}  // namespace

Result<wire::Reply> WorkerClient::Call(wire::Request request,
                                       std::chrono::milliseconds limit,
                                       const std::stop_token& stop) {
  request.set_seq(static_cast<std::uint64_t>(++calls_));
  wire::Reply reply;
  Status status;
  {
    const std::stop_callback kill_on_stop(stop, [this] { process_->Kill(); });
    status = Exchange(request, &reply, limit);
  }
  if (status.ok())
    return reply;
  const Status why = Bury(status);
  if (stop.stop_requested())
    return Status(StatusCode::kCancelled, "stopped");
  return why;
}

Status WorkerClient::Exchange(const wire::Request& request,
                              wire::Reply* reply,
                              std::chrono::milliseconds limit) {
  TW_RETURN_IF_ERROR(WriteFrame(process_->socket(), request));
  TW_RETURN_IF_ERROR(ReadFrame(process_->socket(), reply, limit));
  if (reply->seq() != request.seq())
    return {StatusCode::kDataLoss, "worker: reply to another request"};
  return OkStatus();
}

// Ends the process and says how it ended.
Status WorkerClient::Bury(const Status& status) {
  const std::string name = "worker " + std::to_string(process_->pid());
  if (status.code() == StatusCode::kUnavailable)
    exit_state_ = process_->Wait(kDyingLimit);
  const bool by_itself = exit_state_.has_value();
  process_->Kill();
  if (!by_itself)
    exit_state_ = process_->Wait(kReapLimit);
  if (by_itself)
    return {StatusCode::kUnavailable, name + ": " + Text(*exit_state_)};
  return status.WithContext(name);
}

}  // namespace tw
