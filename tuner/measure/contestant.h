// Seam between who computes a product and who judges it: a tuned candidate, an algorithm of the
// vendor's library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "codegen/core/status.h"
#include "tw/params.h"

namespace tw {

// Computes one problem on one device. Outlived by the device.
class Contestant {
 public:
  virtual ~Contestant() = default;

  // Enqueues one product on the device's stream, without waiting; may be captured. Pointers in
  // `params` are device addresses; params.workspace has workspace_bytes(), of which the first
  // workspace_zero_bytes() are zero.
  [[nodiscard]] virtual Status Launch(const GemmParams& params) const = 0;

  [[nodiscard]] virtual std::int64_t workspace_bytes() const = 0;

  // Zero before a product, which leaves them zero for the next. At most workspace_bytes().
  [[nodiscard]] virtual std::int64_t workspace_zero_bytes() const { return 0; }

 protected:
  Contestant() = default;
  Contestant(const Contestant&) = default;
  Contestant(Contestant&&) = default;
  Contestant& operator=(const Contestant&) = default;
  Contestant& operator=(Contestant&&) = default;
};

}  // namespace tw
