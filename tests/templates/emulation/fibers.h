// Cooperative fibers in a random order, and events that happen at a random moment beside them.
// Some fibers run far ahead of others, and some events are as late as the fibers allow, so that
// what nobody waits for shows. Not thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace tw::emulation {

// Where a fiber waits, for the report of a deadlock: "place number, detail number".
struct WaitReason {
  const char* place = "";
  std::uint64_t number = 0;
  const char* detail = nullptr;
  std::uint64_t detail_number = 0;

  [[nodiscard]] std::string Text() const;
};

// Fibers that wait for one thing.
using WaitList = std::vector<std::size_t>;

class Fibers {
 public:
  // `random` outlives this.
  explicit Fibers(std::mt19937_64& random) : random_(random) {}

  // Runs `body` in `count` fibers until all have returned, or none can go on: false. `enter` is
  // called with a fiber's number each time before it runs.
  bool Run(std::size_t count,
           const std::function<void()>& body,
           const std::function<void(std::size_t)>& enter);

  // From inside of a fiber.
  [[nodiscard]] std::size_t current() const { return current_; }

  void Yield();
  void Wait(WaitList& list, const WaitReason& reason);

  // From a fiber or an event.
  void Wake(WaitList& list);
  void Later(std::function<void()> event);

  // Calls `visit` with each fiber that waits.
  void VisitWaiting(const std::function<void(std::size_t, const WaitReason&)>& visit) const;

 private:
  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<std::byte[]> stack;
    bool done = false;
    WaitReason reason;
  };

  struct Event {
    std::uint64_t due = 0;
    std::function<void()> run;
  };

  static void Enter();
  void Start(Fiber& fiber);
  void Resume(std::size_t position, const std::function<void(std::size_t)>& enter);
  void Suspend();
  bool RunEvent();
  [[nodiscard]] std::size_t Pick();

  std::mt19937_64& random_;
  std::vector<Fiber> fibers_;
  std::vector<std::size_t> ready_;
  std::vector<Event> events_;
  const std::function<void()>* body_ = nullptr;
  ucontext_t scheduler_{};
  std::size_t current_ = 0;
  bool stays_ready_ = false;
  std::uint64_t now_ = 0;
  std::uint64_t hurried_ = 0;  // which warps run ahead, a bit each
};

}  // namespace tw::emulation
