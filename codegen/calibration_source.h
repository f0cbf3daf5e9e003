// Source of the kernels that calibrate a device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/core/candidate.h"
#include "codegen/core/device_spec.h"
#include "codegen/template_store.h"

namespace tw {

// One module for the device's arch (templates/calibrate.cu.in). Entry names and arguments:
// templates/tw/calibrate/params.h. NotFound: a template is missing.
Result<KernelSource> BuildCalibrationSource(const DeviceSpec& device,
                                            const TemplateStore& templates);

}  // namespace tw
