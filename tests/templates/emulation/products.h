// wgmma as the running thread issues it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/templates/emulation/wgmma.h"

namespace tw::emulation {

void FenceProducts();
void CommitProducts();
void IssueProduct(const Product& product, void* sums);
// Until at most `pending` of the thread's groups are in flight.
void WaitForProducts(int pending);

}  // namespace tw::emulation
