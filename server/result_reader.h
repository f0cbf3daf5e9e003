// Stored results as they count today: a row that another compiler, driver or template version
// made is stale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "codegen/core/outcome.h"
#include "codegen/core/status.h"
#include "codegen/template_store.h"
#include "server/device_inventory.h"
#include "tuner/store/result_store.h"

namespace tw {

// Versions that results of this daemon carry. Thread-safe.
class Toolchain {
 public:
  struct Compiler {
    std::string version;  // "nvrtc 13.0"; empty: there is none
    std::string note;     // why there is none
  };

  // `live_templates`: the files may change while the daemon runs (--template-dir).
  Toolchain(Compiler compiler, const TemplateStore& templates, bool live_templates);

  [[nodiscard]] const Compiler& compiler() const { return compiler_; }

  // Of the last Refresh.
  [[nodiscard]] std::string template_digest() const;
  // Reads live templates again; a missing file is an error and leaves the digest as it was.
  Status Refresh();

 private:
  const Compiler compiler_;
  const TemplateStore& templates_;
  const bool live_templates_;
  mutable std::mutex mutex_;
  std::string template_digest_;
};

struct StoredResult {
  TuneResult result;    // state as it counts today
  bool current = true;  // made by the present compiler, driver and templates
};

class ResultReader {
 public:
  ResultReader(const ResultStore& store, const DeviceInventory& devices, const Toolchain& toolchain)
      : store_(store), devices_(devices), toolchain_(toolchain) {}

  // Memory only. What cannot be compared (no compiler here, no GPU of the class) counts as equal.
  [[nodiscard]] std::optional<StoredResult> Find(const ResultKey& key) const;

 private:
  const ResultStore& store_;
  const DeviceInventory& devices_;
  const Toolchain& toolchain_;
};

}  // namespace tw
