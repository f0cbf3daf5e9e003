// The operations that clients can name, and who watches them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/core/clock.h"
#include "server/operation.h"

namespace tw {

class OperationHub;

struct WatchCallbacks {
  // A state newer than the last one delivered. Never called again before Ready(), nor after a
  // finished state. Runs on whatever thread made the change: must not block.
  std::function<void(const Operation&)> deliver;
  // The hub was closed (or forgot the operation) before a finished state could be delivered. At
  // most once, never after a finished state.
  std::function<void()> closed;
};

// One subscription; ends with Stop(). Conflates: whatever happens between deliver and Ready() is
// one change. Thread-safe.
class OperationWatch : public std::enable_shared_from_this<OperationWatch> {
 public:
  OperationWatch(OperationHub& hub,
                 std::string id,
                 std::uint64_t after_seq,
                 WatchCallbacks callbacks);

  // The consumer has taken the last delivery. May deliver on this thread.
  void Ready();
  // No delivery starts afterwards; one that runs on another thread may still be ending.
  void Stop();

 private:
  friend class OperationHub;
  void Pump();
  void Close();

  OperationHub& hub_;
  const std::string id_;
  std::mutex mutex_;
  WatchCallbacks callbacks_;
  std::uint64_t last_seq_;
  bool outstanding_ = false;
  bool stopped_ = false;
};

struct OperationHubLimits {
  std::size_t finished = 10'000;  // operations that ran, kept for `keep` at least
  std::size_t answered = 1'000;   // operations answered without a job
  std::chrono::microseconds keep = std::chrono::hours(24);
};

// Thread-safe. Finished operations are kept for 24 hours within the limits; past `finished` the
// oldest goes first, past `keep` all go.
class OperationHub {
 public:
  explicit OperationHub(const Clock& clock, OperationHubLimits limits = {})
      : clock_(clock), limits_(limits) {}

  // 32 random hex digits.
  static std::string NewId();

  // Requires: the id is new. Sets seq, and the times where they are 0. Returns the stored state.
  Operation Add(Operation operation);
  // Applies `change` under the hub's lock, then tells the watchers. Unknown ids and finished
  // operations are left alone; the return value is the state afterwards, if the id is known.
  std::optional<Operation> Update(std::string_view id,
                                  const std::function<void(Operation&)>& change);

  [[nodiscard]] std::optional<Operation> Find(std::string_view id) const;
  // Newest first.
  [[nodiscard]] std::vector<Operation> List(std::size_t limit) const;

  // Delivers the current state first, on this thread, unless it is not newer than `after_seq`;
  // a finished state is delivered in any case. nullptr where the id is unknown. After Close,
  // unfinished operations are delivered and closed at once.
  std::shared_ptr<OperationWatch> Watch(std::string_view id,
                                        std::uint64_t after_seq,
                                        WatchCallbacks callbacks);
  // Ends every watch of an unfinished operation: the daemon is stopping.
  void Close();

  // Subscriptions that were not stopped.
  [[nodiscard]] std::size_t watchers() const;

 private:
  friend class OperationWatch;

  struct Entry {
    Operation operation;
    std::vector<std::shared_ptr<OperationWatch>> watches;
  };

  void Remove(const std::string& id, const OperationWatch* watch);
  void RetireLocked(const Operation& operation);
  void EvictLocked();

  const Clock& clock_;
  const OperationHubLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<std::string> finished_;  // oldest first
  std::deque<std::string> answered_;
  bool closed_ = false;
};

}  // namespace tw
