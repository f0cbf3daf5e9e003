// SPDX-License-Identifier: Apache-2.0
#include "client/cli/progress.h"

#include <sstream>

#include <gtest/gtest.h>

namespace tw::cli {
namespace {

v1::Operation Running(int compiled, int measured, double best_ns) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_RUNNING);
  v1::TuneProgress& progress = *operation.mutable_progress();
  progress.set_phase("measure");
  progress.set_total(40);
  progress.set_compiled(compiled);
  progress.set_measured(measured);
  progress.set_best_ns(best_ns);
  progress.set_best_id(best_ns > 0 ? "id" + std::to_string(best_ns) : "");
  return operation;
}

TEST(Progress, BarCountsBothHalvesOfTheWork) {
  EXPECT_EQ(ProgressBar(Running(0, 0, 0), 120),
            "[........................] measure 0/40 compiled, 0 measured");
  EXPECT_EQ(ProgressBar(Running(40, 20, 213'400), 120),
            "[##################......] measure 40/40 compiled, 20 measured, best 213.4 us");
}

TEST(Progress, FailedCandidatesAreDone) {
  v1::Operation operation = Running(30, 30, 0);
  operation.mutable_progress()->set_failed(10);
  EXPECT_EQ(ProgressBar(operation, 120),
            "[########################] measure 30/40 compiled, 30 measured, 10 failed");
}

TEST(Progress, BarNeverWraps) {
  for (const int columns : {1, 2, 10, 40, 200}) {
    EXPECT_LT(ProgressBar(Running(40, 20, 213'400), columns).size(),
              static_cast<std::size_t>(std::max(columns, 2)));
  }
}

TEST(Progress, QueuedAndUnknownTotals) {
  v1::Operation operation;
  operation.set_state(v1::OPERATION_STATE_QUEUED);
  EXPECT_EQ(ProgressSummary(operation), "queued");
  operation.set_state(v1::OPERATION_STATE_RUNNING);
  EXPECT_EQ(ProgressBar(operation, 120),
            "[........................] running 0/0 compiled, 0 measured");
}

TEST(Progress, LinesComeOnPhasesAndOnBetterCandidatesOnly) {
  std::ostringstream stream;
  ProgressPrinter printer(stream, ProgressStyle::kLines, 80);
  printer.Show(Running(1, 0, 0));
  printer.Show(Running(2, 0, 0));
  printer.Show(Running(3, 1, 900));
  printer.Show(Running(4, 2, 900));
  printer.Clear();
  EXPECT_EQ(stream.str(),
            "tilewright: measure 1/40 compiled, 0 measured\n"
            "tilewright: measure 3/40 compiled, 1 measured, best 900 ns\n");
}

TEST(Progress, BarIsErasedAtTheEndAndBeforeALine) {
  std::ostringstream stream;
  {
    ProgressPrinter printer(stream, ProgressStyle::kBar, 80);
    printer.Show(Running(1, 0, 0));
    printer.Say("note");
  }
  EXPECT_EQ(stream.str(),
            "\r\x1b[K" + ProgressBar(Running(1, 0, 0), 80) + "\r\x1b[Ktilewright: note\n");
}

TEST(Progress, QuietPrintsNothing) {
  std::ostringstream stream;
  ProgressPrinter printer(stream, ProgressStyle::kNone, 80);
  printer.Show(Running(1, 0, 0));
  printer.Say("note");
  EXPECT_EQ(stream.str(), "");
}

}  // namespace
}  // namespace tw::cli
