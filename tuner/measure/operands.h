// Seam for where a timed contestant finds its operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tuner/device/device.h"
#include "tw/params.h"

namespace tw {

class Operands {
 public:
  virtual ~Operands() = default;

  // Sets that timing rotates over; at least one.
  [[nodiscard]] virtual std::int64_t copies() const = 0;

  // Arguments of a launch on one set. Requires: 0 <= copy < copies().
  [[nodiscard]] virtual GemmParams Params(std::int64_t copy, DeviceAddress workspace) const = 0;

 protected:
  Operands() = default;
  Operands(const Operands&) = default;
  Operands(Operands&&) = default;
  Operands& operator=(const Operands&) = default;
  Operands& operator=(Operands&&) = default;
};

}  // namespace tw
