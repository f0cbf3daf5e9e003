// SPDX-License-Identifier: Apache-2.0
#include "codegen/calibration_source.h"

#include "codegen/source_builder.h"
#include "codegen/source_text.h"
#include "tw/calibrate/params.h"

namespace tw {

Result<KernelSource> BuildCalibrationSource(const DeviceSpec& device,
                                            const TemplateStore& templates) {
  constexpr int kFirstWithK16 = 80;
  TW_ASSIGN_OR_RETURN(const std::string text, templates.Read("calibrate.cu.in"));
  const MarkValues values{
      {"INCLUDES", IncludeLines({"tw/calibrate/read.cuh", "tw/calibrate/math.cuh"})},
      {"MMA", device.cc() >= kFirstWithK16 ? "MmaK16" : "MmaK8"},
  };
  KernelSource source;
  source.entry = kCalibrateMath;
  source.arch = device.arch;
  TW_ASSIGN_OR_RETURN(source.text, FlattenIncludes(SubstituteMarks(text, values), templates));
  for (const std::string_view option : CompileOptions())
    source.options.emplace_back(option);
  source.digest = SourceDigest(source);
  return source;
}

}  // namespace tw
