// A compiler that misbehaves on demand: the isolation of worker processes is tested with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "codegen/compile/compiler.h"

namespace tw {

// `behaviour`: "ok", "hang", "spin" (uses processor time), "crash", "crash-once:FILE" (unless FILE
// exists, which it makes), "memory" (allocates without end), "garbage" and "oversized" (broken
// frames on `fd`), "half" (dies within a frame).
std::unique_ptr<Compiler> MakeFakeCompiler(std::string behaviour, int fd);

}  // namespace tw
