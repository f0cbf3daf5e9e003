// NVRTC as a table of function pointers, loaded by dlopen: a machine without it still runs
// everything but the compilation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/core/library_search.h"
#include "codegen/core/status.h"

namespace tw {

using NvrtcProgram = struct NvrtcOpaqueProgram*;
using NvrtcFlowCallback = int (*)(void* payload, NvrtcProgram program);  // non-zero cancels

// Codes of nvrtcResult that are told apart.
enum NvrtcCode : int {
  kNvrtcSuccess = 0,
  kNvrtcOutOfMemory = 1,
  kNvrtcInvalidInput = 3,
  kNvrtcInvalidOption = 5,
  kNvrtcCompilation = 6,
  kNvrtcCancelled = 16,
};

// A plain struct of pointers, so that a test can fill it by hand.
struct NvrtcApi {
  int (*version)(int* major, int* minor) = nullptr;
  const char* (*error_string)(int code) = nullptr;
  int (*supported_arch_count)(int* count) = nullptr;
  int (*supported_archs)(int* numbers) = nullptr;  // 75 for sm_75, ascending
  int (*create_program)(NvrtcProgram* program,
                        const char* source,
                        const char* name,
                        int header_count,
                        const char* const* headers,
                        const char* const* include_names) = nullptr;
  int (*destroy_program)(NvrtcProgram* program) = nullptr;
  int (*compile_program)(NvrtcProgram program, int count, const char* const* options) = nullptr;
  int (*cubin_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*cubin)(NvrtcProgram program, char* bytes) = nullptr;
  int (*log_size)(NvrtcProgram program, std::size_t* size) = nullptr;
  int (*log)(NvrtcProgram program, char* text) = nullptr;
  // Null where the library is too old to have it.
  int (*set_flow_callback)(NvrtcProgram program,
                           NvrtcFlowCallback callback,
                           void* payload) = nullptr;

  std::string file;  // what was loaded
};

using NvrtcSearch = LibrarySearch;

// Unavailable: no usable library; the message says where it looked and what to install. The
// library stays loaded until the process ends (NVRTC does not support being unloaded).
Result<NvrtcApi> LoadNvrtc(const NvrtcSearch& search);

// "nvrtc 13.0".
std::string VersionOf(const NvrtcApi& api);

// Ok where the library makes machine code for `arch` ("sm_90a"). Unavailable: it does not; the
// message names its version and what it can do.
Status CheckTargets(const NvrtcApi& api, std::string_view arch);

}  // namespace tw
