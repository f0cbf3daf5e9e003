// SPDX-License-Identifier: Apache-2.0
#include "tuner/device/cublaslt_library.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/cublaslt_problem.h"

namespace tw {
namespace {

// The library returns a handful; this is more than it ever did.
constexpr int kMostAlgorithms = 64;

// Sets one attribute by a member of the table that takes (object, attribute, bytes, size).
template <class Setter, class Object, class Value>
Status Set(const Setter& setter, Object object, int attribute, const Value& value) {
  return CublasStatus("cuBLASLt attribute " + std::to_string(attribute),
                      setter(object, attribute, &value, sizeof value));
}

template <class Value>
void Describe(const CublasLtApi& api,
              const CublasLtAlgo& algo,
              std::string_view name,
              CublasLtConfig attribute,
              std::string& text) {
  Value value{};
  std::size_t written = 0;
  if (api.config(&algo, attribute, &value, sizeof value, &written) != kCublasSuccess)
    return;
  text.append(text.empty() ? "" : " ").append(name).append(" ").append(std::to_string(value));
}

std::string DescriptionOf(const CublasLtApi& api, const CublasLtAlgo& algo) {
  std::string text;
  Describe<std::int32_t>(api, algo, "id", kCublasLtConfigId, text);
  Describe<std::uint32_t>(api, algo, "tile", kCublasLtConfigTile, text);
  Describe<std::uint32_t>(api, algo, "stages", kCublasLtConfigStages, text);
  Describe<std::int32_t>(api, algo, "split-k", kCublasLtConfigSplitK, text);
  Describe<std::uint32_t>(api, algo, "reduction", kCublasLtConfigReduction, text);
  Describe<std::uint32_t>(api, algo, "swizzle", kCublasLtConfigSwizzle, text);
  Describe<std::uint32_t>(api, algo, "custom", kCublasLtConfigCustomOption, text);
  Describe<std::uint16_t>(api, algo, "inner", kCublasLtConfigInnerShape, text);
  Describe<std::uint16_t>(api, algo, "cluster", kCublasLtConfigClusterShape, text);
  return text;
}

class CublasLtLibrary final : public GemmLibrary {
 public:
  CublasLtLibrary(const CublasLtApi& api, CuStream stream, const CublasLtProblem& problem)
      : api_(api), stream_(stream), problem_(problem) {}

  CublasLtLibrary(const CublasLtLibrary&) = delete;
  CublasLtLibrary& operator=(const CublasLtLibrary&) = delete;

  ~CublasLtLibrary() override {
    for (CublasLtLayout layout : {first_, second_, c_, d_}) {
      if (layout != nullptr)
        api_.layout_destroy(layout);
    }
    if (operation_ != nullptr)
      api_.operation_destroy(operation_);
    if (handle_ != nullptr)
      api_.destroy(handle_);
  }

  Status Open() {
    TW_ASSIGN_OR_RETURN(version_, CublasLtVersion(api_));
    TW_RETURN_IF_ERROR(CublasStatus("cublasLtCreate", api_.create(&handle_)));
    TW_RETURN_IF_ERROR(MakeLayout(problem_.first, first_));
    TW_RETURN_IF_ERROR(MakeLayout(problem_.second, second_));
    TW_RETURN_IF_ERROR(MakeLayout(problem_.c, c_));
    TW_RETURN_IF_ERROR(MakeLayout(problem_.d, d_));
    return MakeOperation();
  }

  [[nodiscard]] const std::string& Version() const override { return version_; }

  Result<std::vector<LibraryAlgorithm>> Algorithms(std::int64_t workspace_limit_bytes) override {
    CublasLtPreference preference = nullptr;
    TW_RETURN_IF_ERROR(
        CublasStatus("cublasLtMatmulPreferenceCreate", api_.preference_create(&preference)));
    Result<std::vector<LibraryAlgorithm>> found = Ask(preference, workspace_limit_bytes);
    api_.preference_destroy(preference);
    return found;
  }

  Status Enqueue(const LibraryAlgorithm& algorithm, const GemmParams& params) override {
    if (problem_.has_bias)
      TW_RETURN_IF_ERROR(SetBias(params.bias));
    const auto alpha = ScalarBytes(problem_.scale, params.alpha);
    const auto beta = ScalarBytes(problem_.scale, params.beta);
    const auto algo = std::bit_cast<CublasLtAlgo>(algorithm.opaque);
    return CublasStatus(
        "cublasLtMatmul",
        api_.matmul(handle_, operation_, alpha.data(), problem_.swapped ? params.b : params.a,
                    first_, problem_.swapped ? params.a : params.b, second_, beta.data(),
                    problem_.reads_c ? params.c : params.d, c_, params.d, d_, &algo,
                    params.workspace, static_cast<std::size_t>(algorithm.workspace_bytes),
                    stream_));
  }

 private:
  Status MakeLayout(const CublasLtMatrix& x, CublasLtLayout& layout) {
    TW_RETURN_IF_ERROR(
        CublasStatus("cublasLtMatrixLayoutCreate",
                     api_.layout_create(&layout, static_cast<int>(x.type), x.rows, x.cols, x.ld)));
    if (problem_.batch == 1)
      return OkStatus();
    TW_RETURN_IF_ERROR(Set(api_.layout_set, layout, kCublasLtBatchCount, problem_.batch));
    return Set(api_.layout_set, layout, kCublasLtBatchOffset, x.batch_stride);
  }

  Status MakeOperation() {
    TW_RETURN_IF_ERROR(
        CublasStatus("cublasLtMatmulDescCreate",
                     api_.operation_create(&operation_, static_cast<int>(problem_.compute),
                                           static_cast<int>(CudaTypeOf(problem_.scale)))));
    TW_RETURN_IF_ERROR(Set(api_.operation_set, operation_, kCublasLtTransA,
                           problem_.first.transposed ? kCublasOpT : kCublasOpN));
    TW_RETURN_IF_ERROR(Set(api_.operation_set, operation_, kCublasLtTransB,
                           problem_.second.transposed ? kCublasOpT : kCublasOpN));
    TW_RETURN_IF_ERROR(Set(api_.operation_set, operation_, kCublasLtEpilogue, problem_.epilogue));
    if (problem_.fast_accumulate)
      TW_RETURN_IF_ERROR(Set(api_.operation_set, operation_, kCublasLtFastAccum, std::int8_t{1}));
    if (!problem_.has_bias)
      return OkStatus();
    TW_RETURN_IF_ERROR(Set(api_.operation_set, operation_, kCublasLtBiasDataType,
                           static_cast<std::int32_t>(problem_.bias_type)));
    // The heuristics do not read it, but take its alignment for promised.
    constexpr std::uint64_t kSomeAddress = 1U << 20U;
    return SetBias(std::bit_cast<const void*>(kSomeAddress + problem_.bias_align_bytes));
  }

  Status SetBias(const void* bias) {
    return Set(api_.operation_set, operation_, kCublasLtBiasPointer, bias);
  }

  Status SetPreference(CublasLtPreference preference, std::int64_t workspace_limit_bytes) {
    TW_RETURN_IF_ERROR(Set(api_.preference_set, preference, kCublasLtMaxWorkspaceBytes,
                           static_cast<std::uint64_t>(workspace_limit_bytes)));
    const std::pair<CublasLtPreferenceAttribute, std::uint32_t> alignments[] = {
        {kCublasLtMinAlignmentA, problem_.first.align_bytes},
        {kCublasLtMinAlignmentB, problem_.second.align_bytes},
        {kCublasLtMinAlignmentC, problem_.c.align_bytes},
        {kCublasLtMinAlignmentD, problem_.d.align_bytes}};
    for (const auto& [attribute, bytes] : alignments)
      TW_RETURN_IF_ERROR(Set(api_.preference_set, preference, attribute, bytes));
    return OkStatus();
  }

  Result<std::vector<LibraryAlgorithm>> Ask(CublasLtPreference preference,
                                            std::int64_t workspace_limit_bytes) {
    TW_RETURN_IF_ERROR(SetPreference(preference, workspace_limit_bytes));
    std::vector<CublasLtHeuristic> found(kMostAlgorithms);
    int count = 0;
    const int code = api_.heuristic(handle_, operation_, first_, second_, c_, d_, preference,
                                    kMostAlgorithms, found.data(), &count);
    // Sizes or types that it does not take come back as either code.
    if (code == kCublasNotSupported || code == kCublasInvalidValue) {
      return Status(StatusCode::kUnimplemented,
                    CublasStatus("cuBLASLt has no algorithm for this problem", code).message());
    }
    TW_RETURN_IF_ERROR(CublasStatus("cublasLtMatmulAlgoGetHeuristic", code));
    std::vector<LibraryAlgorithm> algorithms;
    for (int i = 0; i < std::min(count, kMostAlgorithms); ++i) {
      const CublasLtHeuristic& one = found[static_cast<std::size_t>(i)];
      if (one.state != kCublasSuccess)
        continue;
      algorithms.push_back({.index = i,
                            .description = DescriptionOf(api_, one.algo),
                            .workspace_bytes = static_cast<std::int64_t>(one.workspace_bytes),
                            .opaque = std::bit_cast<std::array<std::uint64_t, 8>>(one.algo)});
    }
    return algorithms;
  }

  const CublasLtApi& api_;
  CuStream stream_;
  CublasLtProblem problem_;
  std::string version_;
  CublasLtHandle handle_ = nullptr;
  CublasLtOperation operation_ = nullptr;
  CublasLtLayout first_ = nullptr, second_ = nullptr, c_ = nullptr, d_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<GemmLibrary>> OpenCublasLt(const CublasLtApi& api,
                                                  CuStream stream,
                                                  const GemmProblem& problem) {
  TW_ASSIGN_OR_RETURN(CublasLtProblem call, ForCublasLt(problem));
  auto library = std::make_unique<CublasLtLibrary>(api, stream, call);
  TW_RETURN_IF_ERROR(library->Open());
  return std::unique_ptr<GemmLibrary>(std::move(library));
}

}  // namespace tw
