// SPDX-License-Identifier: Apache-2.0
#include "tests/templates/emulation/fibers.h"

#include <algorithm>
#include <utility>

namespace tw::emulation {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} * 1024;
constexpr std::size_t kWarpFibers = 32;

// A new fiber has no argument but this.
Fibers* running = nullptr;

}  // namespace

std::string WaitReason::Text() const {
  std::string text = std::string(place) + " " + std::to_string(number);
  if (detail != nullptr)
    text += std::string(", ") + detail + " " + std::to_string(detail_number);
  return text;
}

bool Fibers::Run(std::size_t count,
                 const std::function<void()>& body,
                 const std::function<void(std::size_t)>& enter) {
  running = this;
  body_ = &body;
  events_.clear();
  ready_.resize(count);
  if (fibers_.size() < count)
    fibers_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ready_[i] = i;
    Start(fibers_[i]);
  }
  hurried_ = random_();
  while (!ready_.empty() || !events_.empty()) {
    ++now_;
    if (!events_.empty() && RunEvent())
      continue;
    constexpr unsigned kChange = 4096;
    if (random_() % kChange == 0)
      hurried_ = random_();
    Resume(Pick(), enter);
  }
  return std::all_of(fibers_.begin(), fibers_.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const Fiber& fiber) { return fiber.done; });
}

void Fibers::Start(Fiber& fiber) {
  if (fiber.stack == nullptr)
    fiber.stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  fiber.done = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = &scheduler_;
  makecontext(&fiber.context, &Fibers::Enter, 0);
}

void Fibers::Enter() {
  Fibers& fibers = *running;
  (*fibers.body_)();
  fibers.fibers_[fibers.current_].done = true;
}

// Position in ready_: of the warps in a hurry, mostly.
std::size_t Fibers::Pick() {
  constexpr int kTries = 4;
  std::size_t position = 0;
  for (int i = 0; i < kTries; ++i) {
    position = random_() % ready_.size();
    if ((hurried_ >> (ready_[position] / kWarpFibers % 64) & 1U) != 0)
      break;
  }
  return position;
}

void Fibers::Resume(std::size_t position, const std::function<void(std::size_t)>& enter) {
  current_ = ready_[position];
  ready_[position] = ready_.back();
  ready_.pop_back();
  stays_ready_ = false;
  enter(current_);
  swapcontext(&scheduler_, &fibers_[current_].context);
  if (stays_ready_)
    ready_.push_back(current_);
}

void Fibers::Suspend() {
  swapcontext(&fibers_[current_].context, &scheduler_);
}

void Fibers::Yield() {
  stays_ready_ = true;
  Suspend();
}

void Fibers::Wait(WaitList& list, const WaitReason& reason) {
  list.push_back(current_);
  fibers_[current_].reason = reason;
  Suspend();
}

void Fibers::Wake(WaitList& list) {
  ready_.insert(ready_.end(), list.begin(), list.end());
  list.clear();
}

// Delays of every magnitude, up to some that only end when nothing else can go on.
void Fibers::Later(std::function<void()> event) {
  constexpr std::uint64_t kMagnitudes = 32;
  Event later;
  later.due = now_ + (std::uint64_t{1} << random_() % kMagnitudes) - 1;
  later.run = std::move(event);
  events_.push_back(std::move(later));
}

// One that is due; where no fiber can run, the next to be due.
bool Fibers::RunEvent() {
  auto sooner = [](const Event& a, const Event& b) { return a.due < b.due; };
  auto event = events_.begin() + static_cast<std::ptrdiff_t>(random_() % events_.size());
  if (ready_.empty())
    event = std::min_element(events_.begin(), events_.end(), sooner);
  else if (event->due > now_)
    return false;
  const std::function<void()> run = std::move(event->run);
  *event = std::move(events_.back());
  events_.pop_back();
  run();
  return true;
}

void Fibers::VisitWaiting(const std::function<void(std::size_t, const WaitReason&)>& visit) const {
  for (std::size_t i = 0; i < fibers_.size(); ++i) {
    if (!fibers_[i].done)
      visit(i, fibers_[i].reason);
  }
}

}  // namespace tw::emulation
