// A comparison with the vendor's library as JSON. Internal to the store; conventions of
// json_parts.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/store/json_parts.h"

namespace tw {

Json FromBaseline(const BaselineReport& report);
BaselineReport ToBaseline(const Json& json);

}  // namespace tw
