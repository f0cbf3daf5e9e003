// SPDX-License-Identifier: Apache-2.0
#include "server/result_reader.h"

#include <utility>

namespace tw {

Toolchain::Toolchain(Compiler compiler, const TemplateStore& templates, bool live_templates)
    : compiler_(std::move(compiler)), templates_(templates), live_templates_(live_templates) {
  if (auto digest = templates_.Digest(); digest.ok())
    template_digest_ = *std::move(digest);
}

std::string Toolchain::template_digest() const {
  const std::lock_guard lock(mutex_);
  return template_digest_;
}

Status Toolchain::Refresh() {
  if (!live_templates_)
    return OkStatus();
  TW_ASSIGN_OR_RETURN(std::string digest, templates_.Digest());
  const std::lock_guard lock(mutex_);
  template_digest_ = std::move(digest);
  return OkStatus();
}

std::optional<StoredResult> ResultReader::Find(const ResultKey& key) const {
  auto found = store_.Find(key);
  if (!found)
    return std::nullopt;
  StoredResult stored{*std::move(found), true};
  const TuneResult& result = stored.result;
  const std::string& compiler = toolchain_.compiler().version;
  const std::string digest = toolchain_.template_digest();
  const int driver = devices_.DriverVersion(key.device_class);
  const bool same_compiler = compiler.empty() || result.compiler == compiler;
  const bool same_templates = digest.empty() || result.template_digest == digest;
  // A predicted row was never near a driver.
  const bool same_driver =
      driver == 0 || result.driver_version == 0 || result.driver_version == driver;
  stored.current = same_compiler && same_templates && same_driver;
  if (!stored.current && stored.result.state == RowState::kMeasured)
    stored.result.state = RowState::kStale;
  return stored;
}

}  // namespace tw
