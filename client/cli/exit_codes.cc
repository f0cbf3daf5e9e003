// SPDX-License-Identifier: Apache-2.0
#include "client/cli/exit_codes.h"

namespace tw::cli {

ExitCode ExitCodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return ExitCode::kOk;
    case StatusCode::kCancelled:
      return ExitCode::kInterrupted;
    case StatusCode::kInvalidArgument:
    case StatusCode::kOutOfRange:
    case StatusCode::kAlreadyExists:
    case StatusCode::kUnimplemented:
      return ExitCode::kUsage;
    case StatusCode::kNotFound:
      return ExitCode::kMiss;
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kUnavailable:
      return ExitCode::kUnavailable;
    case StatusCode::kResourceExhausted:
    case StatusCode::kAborted:
      return ExitCode::kTryAgain;
    case StatusCode::kFailedPrecondition:
    case StatusCode::kPermissionDenied:
      return ExitCode::kConfiguration;
    case StatusCode::kUnknown:
    case StatusCode::kInternal:
    case StatusCode::kDataLoss:
      return ExitCode::kInternal;
  }
  return ExitCode::kInternal;  // a code of a newer server (UNAUTHENTICATED included)
}

}  // namespace tw::cli
