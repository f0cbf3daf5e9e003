// The store's schema: one embedded .sql file per version. Internal to the store.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tw {

// Element i brings a store from version i to i + 1.
std::span<const std::string_view> StoreMigrations();

}  // namespace tw
