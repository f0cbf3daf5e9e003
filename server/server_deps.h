// What the RPC methods work on: the object graph that daemon.cc builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "codegen/compile/artifact_cache.h"
#include "codegen/core/clock.h"
#include "server/activity.h"
#include "server/admission.h"
#include "server/device_inventory.h"
#include "server/job_queue.h"
#include "server/log.h"
#include "server/operation_hub.h"
#include "server/result_reader.h"
#include "tuner/calibrator.h"
#include "tuner/store/result_store.h"

namespace tw {

struct DaemonFacts {
  std::string version;
  std::string store_path;
  int compile_workers = 0;
  std::chrono::nanoseconds started{};  // Clock::Now() at start
};

// References outlive every RPC.
struct ServerDeps {
  ResultStore& store;
  const ResultReader& reader;
  const ArtifactCache& artifacts;
  const DeviceInventory& devices;
  const Toolchain& toolchain;
  OperationHub& hub;
  JobQueue& queue;
  Admission& admission;
  Calibrator& calibrator;
  Activity& activity;
  const Clock& clock;
  const Log& log;
  DaemonFacts facts;
};

}  // namespace tw
