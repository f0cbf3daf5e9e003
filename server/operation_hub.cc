// SPDX-License-Identifier: Apache-2.0
#include "server/operation_hub.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

namespace tw {

OperationWatch::OperationWatch(OperationHub& hub,
                               std::string id,
                               std::uint64_t after_seq,
                               WatchCallbacks callbacks)
    : hub_(hub), id_(std::move(id)), callbacks_(std::move(callbacks)), last_seq_(after_seq) {}

void OperationWatch::Ready() {
  {
    const std::lock_guard lock(mutex_);
    outstanding_ = false;
  }
  Pump();
}

void OperationWatch::Stop() {
  WatchCallbacks dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    std::swap(dropped, callbacks_);
  }
  hub_.Remove(id_, this);
}

void OperationWatch::Pump() {
  std::function<void(const Operation&)> deliver;
  std::optional<Operation> operation;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || outstanding_)
      return;
    operation = hub_.Find(id_);
    if (operation) {
      const bool finished = IsFinished(operation->state);
      if (!finished && operation->seq <= last_seq_)
        return;
      last_seq_ = operation->seq;
      outstanding_ = true;
      stopped_ = finished;
      deliver = callbacks_.deliver;
    }
  }
  if (operation)
    deliver(*operation);
  else
    Close();
}

void OperationWatch::Close() {
  std::function<void()> closed;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_)
      return;
    stopped_ = true;
    closed = callbacks_.closed;
  }
  if (closed)
    closed();
}

std::string OperationHub::NewId() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device source;
  std::string id;
  for (int word = 0; word < 4; ++word) {
    unsigned bits = source();
    for (int digit = 0; digit < 8; ++digit, bits >>= 4)
      id.push_back(kDigits[bits & 0xf]);
  }
  return id;
}

Operation OperationHub::Add(Operation operation) {
  const std::int64_t now = clock_.WallMicros();
  operation.seq = static_cast<std::uint64_t>(std::max<std::int64_t>(now, 1));
  if (operation.created_micros == 0)
    operation.created_micros = now;
  if (operation.updated_micros == 0)
    operation.updated_micros = now;
  const std::lock_guard lock(mutex_);
  if (IsFinished(operation.state))
    RetireLocked(operation);
  entries_.insert_or_assign(operation.id, Entry{operation, {}});
  EvictLocked();
  return operation;
}

std::optional<Operation> OperationHub::Update(std::string_view id,
                                              const std::function<void(Operation&)>& change) {
  std::vector<std::shared_ptr<OperationWatch>> watches;
  Operation after;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(std::string(id));
    if (it == entries_.end())
      return std::nullopt;
    Operation& operation = it->second.operation;
    if (IsFinished(operation.state))
      return operation;
    change(operation);
    ++operation.seq;
    operation.updated_micros = clock_.WallMicros();
    after = operation;
    watches = it->second.watches;
    if (IsFinished(operation.state))
      RetireLocked(after);
  }
  for (const auto& watch : watches)
    watch->Pump();
  return after;
}

std::optional<Operation> OperationHub::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(std::string(id));
  if (it == entries_.end())
    return std::nullopt;
  return it->second.operation;
}

std::vector<Operation> OperationHub::List(std::size_t limit) const {
  std::vector<Operation> all;
  {
    const std::lock_guard lock(mutex_);
    all.reserve(entries_.size());
    for (const auto& [id, entry] : entries_)
      all.push_back(entry.operation);
  }
  std::sort(all.begin(), all.end(), [](const Operation& x, const Operation& y) {
    return std::tie(y.created_micros, y.id) < std::tie(x.created_micros, x.id);
  });
  if (all.size() > limit)
    all.resize(limit);
  return all;
}

std::shared_ptr<OperationWatch> OperationHub::Watch(std::string_view id,
                                                    std::uint64_t after_seq,
                                                    WatchCallbacks callbacks) {
  auto watch =
      std::make_shared<OperationWatch>(*this, std::string(id), after_seq, std::move(callbacks));
  bool closed = false;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(std::string(id));
    if (it == entries_.end())
      return nullptr;
    it->second.watches.push_back(watch);
    closed = closed_;
  }
  watch->Pump();
  if (closed)
    watch->Close();
  return watch;
}

void OperationHub::Close() {
  std::vector<std::shared_ptr<OperationWatch>> watches;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [id, entry] : entries_)
      watches.insert(watches.end(), entry.watches.begin(), entry.watches.end());
  }
  for (const auto& watch : watches)
    watch->Close();
}

std::size_t OperationHub::watchers() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, entry] : entries_)
    count += entry.watches.size();
  return count;
}

void OperationHub::Remove(const std::string& id, const OperationWatch* watch) {
  std::shared_ptr<OperationWatch> keep_alive;  // the last reference must not die under the lock
  const std::lock_guard lock(mutex_);
  const auto it = entries_.find(id);
  if (it == entries_.end())
    return;
  auto& watches = it->second.watches;
  const auto at = std::find_if(watches.begin(), watches.end(),
                               [watch](const auto& other) { return other.get() == watch; });
  if (at == watches.end())
    return;
  keep_alive = std::move(*at);
  watches.erase(at);
}

void OperationHub::RetireLocked(const Operation& operation) {
  const bool answered = operation.from_store || operation.empty_problem;
  (answered ? answered_ : finished_).push_back(operation.id);
}

void OperationHub::EvictLocked() {
  const std::int64_t oldest = clock_.WallMicros() - limits_.keep.count();
  const auto expired = [&](const std::string& id) {
    return entries_.at(id).operation.updated_micros < oldest;
  };
  const auto trim = [&](std::deque<std::string>& ids, std::size_t limit) {
    while (!ids.empty() && (ids.size() > limit || expired(ids.front()))) {
      entries_.erase(ids.front());
      ids.pop_front();
    }
  };
  trim(finished_, limits_.finished);
  trim(answered_, limits_.answered);
}

}  // namespace tw
