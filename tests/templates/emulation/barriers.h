// mbarriers, cluster barriers and registers, as the running thread uses them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/templates/emulation/machine.h"

namespace tw::emulation {

void InitBarrier(std::uint32_t barrier, int arrivals);
void FenceBarrierInit();
void ArriveAt(std::uint32_t barrier);
// At the barrier at the same address of block `rank` of the cluster.
void ArriveAtRemote(std::uint32_t barrier, unsigned rank);
void ArriveExpecting(std::uint32_t barrier, std::int64_t bytes);
void WaitForParity(std::uint32_t barrier, unsigned parity);

// Whether copies that this thread issues may count at the barrier; says so where not.
bool UsableForCopies(Block& block, std::size_t offset);
// Of a copy; in no thread.
void CompleteBytes(Block& block, std::size_t offset, std::int64_t bytes);

void ReleaseRegistersTo(int registers);
void ClaimRegistersTo(int registers);

}  // namespace tw::emulation
