// The CUDA driver as a table of functions, bound by dlopen: a machine without a driver runs
// everything that needs no GPU. A test fills the table with its own lambdas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "codegen/core/status.h"
#include "tuner/device/cuda_types.h"

namespace tw {

struct DriverApi {
#define TW_DRIVER_FUNCTION(member, symbol, ...) std::function<CuResult(__VA_ARGS__)> member;
#include "tuner/device/driver_api.def"
#undef TW_DRIVER_FUNCTION
};

// Address of an exported symbol, nullptr where the library lacks it.
using SymbolLookup = std::function<void*(const char* symbol)>;

// Unavailable names the first symbol that is missing: the driver is too old. Optional functions
// stay empty.
Result<DriverApi> BindDriverApi(const SymbolLookup& lookup);

// Loads the driver. The library stays loaded until the process ends: unloading it is not
// supported. Unavailable: not installed, or too old.
Result<DriverApi> LoadDriverApi(const std::string& library = "libcuda.so.1");

}  // namespace tw
