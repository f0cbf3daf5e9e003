// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/compare.h"

#include <algorithm>
#include <numeric>

namespace tw {

std::vector<std::size_t> TurnOrder(int round, std::size_t contestants) {
  std::vector<std::size_t> order(contestants);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (round % 2 != 0)
    std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace tw
