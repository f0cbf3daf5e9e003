// Messages for the rendering tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/cli/names.h"

namespace tw::cli {

v1::Key SampleKey();              // 4096 x 11008 x 4096 bf16 nt, bias col, relu
v1::Operation SampleTune();       // MEASURED, tuned now
v1::Operation SamplePredicted();  // without a GPU
v1::ListDevicesResponse SampleDevices();
v1::GetStatusResponse SampleStatus();
v1::ListOperationsResponse SampleJobs();  // succeeded, failed, running, queued

// Slower than the best of four algorithms, one of which is wrong; in turns, cool.
v1::BaselineReport SampleBaseline();

}  // namespace tw::cli
