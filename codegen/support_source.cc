// SPDX-License-Identifier: Apache-2.0
#include "codegen/support_source.h"

#include <string>
#include <vector>

#include "codegen/problem_traits.h"
#include "codegen/source_builder.h"
#include "codegen/source_text.h"

namespace tw {

Result<KernelSource> BuildSupportSource(const GemmProblem& problem,
                                        const DeviceSpec& device,
                                        const TemplateStore& templates) {
  TW_ASSIGN_OR_RETURN(std::string text, templates.Read("support.cu.in"));
  std::vector<std::string> includes = ProblemIncludes(problem);
  for (const char* path : {"tw/verify/fill.cuh", "tw/verify/reference.cuh", "tw/verify/compare.cuh",
                           "tw/verify/sums.cuh", "tw/verify/traffic.cuh"})
    includes.emplace_back(path);
  const MarkValues values{
      {"PROBLEM", CanonicalText(problem)},
      {"INCLUDES", IncludeLines(includes)},
      {"TRAITS", EmitProblemTraits(problem)},
  };
  KernelSource source;
  source.entry = "tw_verify_reference";
  source.arch = device.arch;
  TW_ASSIGN_OR_RETURN(source.text, FlattenIncludes(SubstituteMarks(text, values), templates));
  for (std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

}  // namespace tw
