// CLI11's App by name only: its headers are slow to compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}
