#include "tuner/worker/spawner.h"

#include <utility>

namespace tw {

Spawner::Spawner() : thread_([this](const std::stop_token& stop) { Serve(stop); }) {}

Result<std::unique_ptr<Subprocess>> Spawner::Start(SubprocessOptions options) {
  Order order{.options = std::move(options), .reply = {}};
  std::future<Result<std::unique_ptr<Subprocess>>> reply = order.reply.get_future();
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
  }
  changed_.notify_one();
  return reply.get();
}

void Spawner::Serve(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !orders_.empty(); })) {
    Order order = std::move(orders_.front());
    orders_.pop_front();
    lock.unlock();
    order.reply.set_value(Subprocess::Start(order.options));
    lock.lock();
  }
}

}  // namespace tw
