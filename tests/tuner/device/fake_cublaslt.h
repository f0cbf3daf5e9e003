// cuBLASLt of lambdas: every call succeeds unless told otherwise, and is remembered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/cublaslt_api.h"

namespace tw {

// Outlives the tables it makes.
class FakeCublasLt {
 public:
  struct Layout {
    int type = 0;
    std::uint64_t rows = 0, cols = 0;
    std::int64_t ld = 0;
  };

  struct Call {
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr;
    void* d = nullptr;
    std::uint64_t bias = 0;
    std::vector<std::byte> alpha;  // 8 bytes
    std::uint64_t algo = 0;
    std::size_t workspace_bytes = 0;
  };

  std::map<std::string, int> results;  // status of the member of that name
  std::map<std::string, int> calls;
  std::map<int, std::uint64_t> operation;   // attributes, by value
  std::map<int, std::uint64_t> preference;  // attributes, by value
  std::vector<Layout> layouts;              // in order of creation
  std::vector<CublasLtHeuristic> heuristics;
  std::vector<Call> matmuls;
  int version[3] = {13, 1, 0};

  CublasLtApi Table() {
    CublasLtApi api;
#define TW_CUBLASLT_FUNCTION(member, symbol, ...) \
  api.member = [this](auto... /*arguments*/) { return Note(#member); };
#include "tuner/device/cublaslt_api.def"
#undef TW_CUBLASLT_FUNCTION
    api.property = [this](int part, int* value) {
      *value = version[part];
      return Note("property");
    };
    api.create = [this](CublasLtHandle* handle) { return Make("create", handle); };
    api.operation_create = [this](CublasLtOperation* made, int, int) {
      return Make("operation_create", made);
    };
    api.preference_create = [this](CublasLtPreference* made) {
      return Make("preference_create", made);
    };
    api.layout_create = [this](CublasLtLayout* made, int type, std::uint64_t rows,
                               std::uint64_t cols, std::int64_t ld) {
      layouts.push_back({type, rows, cols, ld});
      return Make("layout_create", made);
    };
    api.operation_set = [this](CublasLtOperation, int attribute, const void* value,
                               std::size_t size) {
      operation[attribute] = ValueOf(value, size);
      return Note("operation_set");
    };
    api.preference_set = [this](CublasLtPreference, int attribute, const void* value,
                                std::size_t size) {
      preference[attribute] = ValueOf(value, size);
      return Note("preference_set");
    };
    api.heuristic = [this](CublasLtHandle, CublasLtOperation, CublasLtLayout, CublasLtLayout,
                           CublasLtLayout, CublasLtLayout, CublasLtPreference, int limit,
                           CublasLtHeuristic* found, int* count) {
      *count = std::min(limit, static_cast<int>(heuristics.size()));
      std::copy_n(heuristics.begin(), *count, found);
      bias_at_heuristic = operation[kCublasLtBiasPointer];
      return Note("heuristic");
    };
    api.config = [this](const CublasLtAlgo* algo, int attribute, void* value, std::size_t size,
                        std::size_t* written) {
      const std::uint64_t number = algo->data[0] + static_cast<std::uint64_t>(attribute);
      std::memcpy(value, &number, size);
      *written = size;
      return Note("config");
    };
    api.matmul = [this](CublasLtHandle, CublasLtOperation, const void* alpha, const void* a,
                        CublasLtLayout, const void* b, CublasLtLayout, const void* /*beta*/,
                        const void* c, CublasLtLayout, void* d, CublasLtLayout,
                        const CublasLtAlgo* algo, void*, std::size_t workspace, CuStream) {
      const auto* scalar = static_cast<const std::byte*>(alpha);
      matmuls.push_back({a,
                         b,
                         c,
                         d,
                         operation[kCublasLtBiasPointer],
                         {scalar, scalar + 8},
                         algo->data[0],
                         workspace});
      return Note("matmul");
    };
    return api;
  }

  std::uint64_t bias_at_heuristic = 0;

 private:
  int Note(const std::string& function) {
    ++calls[function];
    auto result = results.find(function);
    return result == results.end() ? int{kCublasSuccess} : result->second;
  }

  template <class Pointer>
  int Make(const std::string& function, Pointer* made) {
    const int code = Note(function);
    if (code == kCublasSuccess)
      *made = std::bit_cast<Pointer>(++objects_);
    return code;
  }

  static std::uint64_t ValueOf(const void* value, std::size_t size) {
    std::uint64_t number = 0;
    std::memcpy(&number, value, size);
    return number;
  }

  std::uint64_t objects_ = 0;
};

}  // namespace tw
