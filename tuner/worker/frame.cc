#include "tuner/worker/frame.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tw {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;

constexpr std::size_t kHeaderBytes = 4;

Status SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return {StatusCode::kUnavailable, "frame: the peer does not read"};
    if (sent < 0) {
      return {StatusCode::kUnavailable,
              "frame: cannot write: " + std::generic_category().message(errno)};
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return OkStatus();
}

// Milliseconds left, rounded up; -1 without a deadline.
int PollTimeout(const Deadline& deadline) {
  if (!deadline)
    return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  constexpr std::int64_t kLongest = 1'000'000'000;
  return static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(left, 0), kLongest));
}

// Waits until something can be read or the peer is gone.
Status WaitReadable(int fd, const Deadline& deadline) {
  for (;;) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, PollTimeout(deadline));
    if (ready > 0)
      return OkStatus();
    if (ready < 0 && errno != EINTR) {
      return {StatusCode::kUnavailable,
              "frame: cannot wait: " + std::generic_category().message(errno)};
    }
    if (deadline && Clock::now() >= *deadline)
      return {StatusCode::kDeadlineExceeded, "frame: no whole frame in time"};
  }
}

Status ReceiveAll(int fd, char* bytes, std::size_t size, const Deadline& deadline) {
  std::size_t done = 0;
  while (done < size) {
    TW_RETURN_IF_ERROR(WaitReadable(fd, deadline));
    const ssize_t got = recv(fd, bytes + done, size - done, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
      continue;
    if (got < 0) {
      return {StatusCode::kUnavailable,
              "frame: cannot read: " + std::generic_category().message(errno)};
    }
    if (got == 0)
      return {StatusCode::kUnavailable, "frame: the peer closed the connection"};
    done += static_cast<std::size_t>(got);
  }
  return OkStatus();
}

Status ReadFrameUntil(int fd, google::protobuf::MessageLite* message, const Deadline& deadline) {
  std::array<char, kHeaderBytes> header{};
  TW_RETURN_IF_ERROR(ReceiveAll(fd, header.data(), header.size(), deadline));
  std::uint32_t size = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    size |= std::uint32_t{static_cast<unsigned char>(header[i])} << (8 * i);
  if (size > kMaxFrameBytes)
    return {StatusCode::kDataLoss, "frame: " + std::to_string(size) + " bytes are too many"};
  std::string body(size, '\0');
  TW_RETURN_IF_ERROR(ReceiveAll(fd, body.data(), body.size(), deadline));
  if (!message->ParseFromString(body))
    return {StatusCode::kDataLoss, "frame: not a " + message->GetTypeName()};
  return OkStatus();
}

}  // namespace

Status WriteFrame(int fd, const google::protobuf::MessageLite& message) {
  const std::size_t size = message.ByteSizeLong();
  if (size > kMaxFrameBytes) {
    return {StatusCode::kInvalidArgument, "frame: " + std::to_string(size) + " bytes are too many"};
  }
  std::string bytes;
  bytes.reserve(kHeaderBytes + size);
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    bytes.push_back(static_cast<char>((size >> (8 * i)) & 0xFF));
  if (!message.AppendToString(&bytes))
    return {StatusCode::kInvalidArgument, "frame: cannot encode " + message.GetTypeName()};
  return SendAll(fd, bytes);
}

Status ReadFrame(int fd,
                 google::protobuf::MessageLite* message,
                 std::chrono::milliseconds timeout) {
  return ReadFrameUntil(fd, message, Clock::now() + timeout);
}

Status ReadFrame(int fd, google::protobuf::MessageLite* message) {
  return ReadFrameUntil(fd, message, std::nullopt);
}

}  // namespace tw
