// A store that hands everything on: what stands between a test and a real store derives from it
// and overrides what it is about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tuner/store/result_store.h"

namespace tw::fakes {

class ForwardingStore : public ResultStore {
 public:
  explicit ForwardingStore(ResultStore& inner) : inner_(inner) {}

  Result<bool> PutResult(const TuneResult& result) override { return inner_.PutResult(result); }

  [[nodiscard]] std::optional<TuneResult> Find(const ResultKey& key) const override {
    return inner_.Find(key);
  }

  [[nodiscard]] std::vector<ResultKey> MeasuredKeys(std::string_view device_class) const override {
    return inner_.MeasuredKeys(device_class);
  }

  Status PutReport(std::string_view run_id, const CandidateReport& report) override {
    return inner_.PutReport(run_id, report);
  }

  [[nodiscard]] Result<std::vector<CandidateReport>> Reports(
      std::string_view run_id) const override {
    return inner_.Reports(run_id);
  }

  Status PutJob(const JobRecord& job) override { return inner_.PutJob(job); }

  [[nodiscard]] Result<std::vector<JobRecord>> Jobs() const override { return inner_.Jobs(); }

  [[nodiscard]] StoreStats Stats() const override { return inner_.Stats(); }

 private:
  ResultStore& inner_;
};

}  // namespace tw::fakes
