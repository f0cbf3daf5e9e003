// Operand sets that timing rotates over, aligned as an allocator of the caller would (256 bytes).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "tuner/device/device_buffer.h"
#include "tuner/measure/inputs.h"
#include "tuner/measure/operands.h"
#include "tuner/measure/support_kernels.h"

namespace tw {

class TimedBuffers final : public Operands {
 public:
  struct Spec {
    std::int64_t copies = 1;
    std::uint64_t seed = 1;
    DeviceAddress unread_c = 0;  // passed as C where beta is 0
  };

  static Result<TimedBuffers> Make(Device& device,
                                   SupportKernels& support,
                                   const GemmProblem& problem,
                                   const Spec& spec);

  // Fills the operands anew. Copy 0 has the elements of a Trial of the same seed.
  Status Fill();

  // Sets copy 0's D to the poison: a kernel that is timed but writes nothing must not pass.
  Status PoisonFirstOutput();

  [[nodiscard]] GemmParams Params(std::int64_t copy, DeviceAddress workspace) const override;

  [[nodiscard]] DeviceAddress first_output() const { return AddressOf(Part::kD, 0); }

  [[nodiscard]] std::int64_t copies() const override { return spec_.copies; }

 private:
  TimedBuffers(Device& device,
               SupportKernels& support,
               const GemmProblem& problem,
               const Spec& spec)
      : device_(&device), support_(&support), problem_(problem), spec_(spec) {}

  [[nodiscard]] DeviceAddress AddressOf(Part part, std::int64_t copy) const;
  [[nodiscard]] std::int64_t PayloadBytes(Part part) const;

  // Distance of a part's copies: a whole number of 256-byte steps.
  [[nodiscard]] std::int64_t CopyBytes(Part part) const;

  Device* device_;
  SupportKernels* support_;
  GemmProblem problem_;
  Spec spec_;
  std::array<DeviceBuffer, kAllParts.size()> buffers_;  // by Part
};

}  // namespace tw
