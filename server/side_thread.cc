// SPDX-License-Identifier: Apache-2.0
#include "server/side_thread.h"

#include <utility>

namespace tw {

SideThread::SideThread() : thread_([this](const std::stop_token& stop) { Run(stop); }) {}

SideThread::~SideThread() = default;

bool SideThread::Post(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (tasks_.size() >= kMostWaiting)
    return false;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void SideThread::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // False: a stop was requested and nothing waits any more.
  while (changed_.wait(lock, stop, [this] { return !tasks_.empty(); })) {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace tw
