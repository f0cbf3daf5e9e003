// SPDX-License-Identifier: Apache-2.0
#include "codegen/core/status.h"

namespace tw {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "OK";
    case StatusCode::kCancelled:
      return "CANCELLED";
    case StatusCode::kUnknown:
      return "UNKNOWN";
    case StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case StatusCode::kNotFound:
      return "NOT_FOUND";
    case StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case StatusCode::kAborted:
      return "ABORTED";
    case StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case StatusCode::kInternal:
      return "INTERNAL";
    case StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case StatusCode::kDataLoss:
      return "DATA_LOSS";
  }
  return "UNKNOWN";  // a code from a newer peer
}

Status Status::WithContext(std::string_view context) const {
  if (ok())
    return *this;
  std::string message(context);
  message.append(": ").append(message_);
  return {code_, std::move(message), field_};
}

std::string Status::ToString() const {
  std::string text(StatusCodeName(code_));
  if (!message_.empty())
    text.append(": ").append(message_);
  return text;
}

Status InvalidField(std::string_view field, std::string_view value, std::string_view rule) {
  std::string message(field);
  message.append(" = ").append(value).append(": ").append(rule);
  return {StatusCode::kInvalidArgument, std::move(message), std::string(field)};
}

}  // namespace tw
