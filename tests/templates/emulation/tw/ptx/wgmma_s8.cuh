// Emulation of templates/tw/ptx/wgmma_s8.cuh: wgmma.cuh has every type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tw/ptx/wgmma.cuh"
