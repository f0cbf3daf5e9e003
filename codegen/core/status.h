// Status and Result<T>: how an expected failure (bad input, missing driver, I/O, timeout) travels.
// A candidate's failure is data (outcome.h); a bug is a TW_CHECK (check.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codegen/core/check.h"

namespace tw {

// Values equal gRPC's, so that the mapping at the edge is a cast.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;

  // `field` names the offending input field ("lda", "m"), empty where there is none.
  Status(StatusCode code, std::string message, std::string field = {})
      : code_(code), message_(std::move(message)), field_(std::move(field)) {}

  [[nodiscard]] bool ok() const { return code_ == StatusCode::kOk; }

  [[nodiscard]] StatusCode code() const { return code_; }

  [[nodiscard]] const std::string& message() const { return message_; }

  [[nodiscard]] const std::string& field() const { return field_; }

  // The same status with `context` and ": " in front of the message.
  [[nodiscard]] Status WithContext(std::string_view context) const;

  // "INVALID_ARGUMENT: m = -1: must be >= 0".
  [[nodiscard]] std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
  std::string field_;
};

inline Status OkStatus() {
  return {};
}

// InvalidArgument whose message reads "FIELD = VALUE: RULE".
Status InvalidField(std::string_view field, std::string_view value, std::string_view rule);

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    TW_CHECK(!status_.ok());
  }

  [[nodiscard]] bool ok() const { return value_.has_value(); }

  [[nodiscard]] const Status& status() const { return status_; }

  // Requires: ok().
  [[nodiscard]] const T& value() const& {
    TW_CHECK(ok());
    return *value_;
  }

  T& value() & {
    TW_CHECK(ok());
    return *value_;
  }

  T value() && {
    TW_CHECK(ok());
    return *std::move(value_);
  }

  const T& operator*() const& { return value(); }

  T& operator*() & { return value(); }

  // By value, so that a loop over *F() keeps what it walks over.
  T operator*() && { return std::move(*this).value(); }

  const T* operator->() const { return &value(); }

  T* operator->() { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace tw

#define TW_CONCAT_INNER(a, b) a##b
#define TW_CONCAT(a, b) TW_CONCAT_INNER(a, b)

// Returns the status of `expr` from the enclosing function if it is not ok.
#define TW_RETURN_IF_ERROR(expr)                            \
  do {                                                      \
    if (::tw::Status tw_status_ = (expr); !tw_status_.ok()) \
      return tw_status_;                                    \
  } while (false)

// TW_ASSIGN_OR_RETURN(auto x, F()): x = *F(), or returns F()'s status.
#define TW_ASSIGN_OR_RETURN(decl, expr) \
  TW_ASSIGN_OR_RETURN_IMPL(TW_CONCAT(tw_result_, __LINE__), decl, expr)
// NOLINTBEGIN(bugprone-macro-parentheses): `decl` is a declaration.
#define TW_ASSIGN_OR_RETURN_IMPL(tmp, decl, expr) \
  auto tmp = (expr);                              \
  if (!tmp.ok())                                  \
    return tmp.status();                          \
  decl = std::move(tmp).value()
// NOLINTEND(bugprone-macro-parentheses)
