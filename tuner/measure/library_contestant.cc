// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/library_contestant.h"

namespace tw {

Status LibraryContestant::Launch(const GemmParams& params) const {
  Status launched = library_->Enqueue(algorithm_, params);
  return launched.ok() ? launched : launched.WithContext(Name());
}

std::string LibraryContestant::Name() const {
  return "library algorithm " + std::to_string(algorithm_.index) + " (" + algorithm_.description +
         ")";
}

}  // namespace tw
