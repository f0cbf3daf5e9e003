// SPDX-License-Identifier: Apache-2.0
#include "tuner/compile_queue.h"

#include <algorithm>
#include <utility>

namespace tw {
namespace {

constexpr std::chrono::milliseconds kGiveUpPoll(50);

}  // namespace

CompileQueue::CompileQueue(Compiler& compiler,
                           const Clock& clock,
                           BuildSource build,
                           std::vector<Candidate> candidates)
    : compiler_(compiler),
      clock_(clock),
      build_(std::move(build)),
      start_(clock.Now()),
      last_finish_(start_) {
  for (Candidate& candidate : candidates) {
    pending_.push_back({.rank = pending_.size(), .candidate = std::move(candidate)});
  }
  const std::size_t parallelism = static_cast<std::size_t>(std::max(1, compiler.Parallelism()));
  capacity_ = 2 * parallelism;
  const std::size_t threads = std::min(parallelism, pending_.size());
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

CompileQueue::~CompileQueue() {
  // All of them before the first is joined.
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
}

void CompileQueue::Work(const std::stop_token& stop) {
  while (std::optional<Pending> work = Take(stop)) {
    Deliver(work->rank, Compile(std::move(work->candidate), stop));
  }
}

std::optional<CompileQueue::Pending> CompileQueue::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_room = [this] {
    return pending_.empty() || ready_.size() + static_cast<std::size_t>(in_progress_) < capacity_;
  };
  if (!changed_.wait(lock, stop, has_room) || stop.stop_requested() || pending_.empty()) {
    return std::nullopt;
  }
  Pending work = std::move(pending_.front());
  pending_.pop_front();
  ++in_progress_;
  return work;
}

CompiledCandidate CompileQueue::Compile(Candidate candidate, const std::stop_token& stop) {
  Result<KernelSource> source = build_(candidate);
  Result<CompiledKernel> kernel =
      source.ok() ? compiler_.Compile(*source, stop) : Result<CompiledKernel>(source.status());
  return {
      .candidate = std::move(candidate), .source = std::move(source), .kernel = std::move(kernel)};
}

void CompileQueue::Deliver(std::size_t rank, CompiledCandidate item) {
  {
    const std::lock_guard lock(mutex_);
    --in_progress_;
    compiled_ += item.kernel.ok() ? 1 : 0;
    last_finish_ = std::max(last_finish_, clock_.Now());
    if (!dropped_.contains(item.candidate.config.family)) {
      ready_.emplace(rank, std::move(item));
    }
  }
  changed_.notify_all();
}

std::optional<CompiledCandidate> CompileQueue::Next(const std::function<bool()>& give_up) {
  std::unique_lock lock(mutex_);
  while (ready_.empty()) {
    if (pending_.empty() && in_progress_ == 0) {
      return std::nullopt;
    }
    lock.unlock();
    if (give_up()) {
      return std::nullopt;
    }
    lock.lock();
    changed_.wait_for(lock, kGiveUpPoll, [this] {
      return !ready_.empty() || (pending_.empty() && in_progress_ == 0);
    });
  }
  if (give_up()) {
    return std::nullopt;
  }
  CompiledCandidate item = std::move(ready_.begin()->second);
  ready_.erase(ready_.begin());
  lock.unlock();
  changed_.notify_all();
  return item;
}

void CompileQueue::DropFamily(std::string_view family) {
  {
    const std::lock_guard lock(mutex_);
    dropped_.emplace(family);
    std::erase_if(pending_,
                  [&](const Pending& work) { return work.candidate.config.family == family; });
    std::erase_if(
        ready_, [&](const auto& entry) { return entry.second.candidate.config.family == family; });
  }
  changed_.notify_all();
}

int CompileQueue::compiled() const {
  const std::lock_guard lock(mutex_);
  return compiled_;
}

std::chrono::nanoseconds CompileQueue::WallTime() const {
  const std::lock_guard lock(mutex_);
  return last_finish_ - start_;
}

}  // namespace tw
