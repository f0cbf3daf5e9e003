// SPDX-License-Identifier: Apache-2.0
#include "client/cli/tune_time.h"

#include <algorithm>

namespace tw::cli {

std::optional<double> GpuIdleShare(const v1::TuneResult& result) {
  const v1::PhaseTimes& phases = result.phases();
  const bool predicted = result.state() == v1::RESULT_STATE_PREDICTED;
  if (predicted || phases.total_s() <= 0 || phases.measure_s() <= 0) {
    return std::nullopt;
  }
  return std::max(0.0, 1 - (phases.verify_s() + phases.measure_s()) / phases.total_s());
}

}  // namespace tw::cli
