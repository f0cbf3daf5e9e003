// Why a winner won: what became of each candidate of its run, and what the models say of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/core/outcome.h"
#include "codegen/occupancy.h"
#include "tuner/finalists.h"
#include "tuner/search/bank_conflicts.h"
#include "tuner/search/cost_model.h"

namespace tw {

// What follows from a candidate's resources, the problem and the device.
struct CandidateFacts {
  int registers = 0;                // per thread
  bool registers_compiled = false;  // of the machine code, not an estimate
  Occupancy occupancy;
  double waves = 0;            // whole ones; of stream-K the exact count, since it cuts none short
  double wave_efficiency = 0;  // share of the waves' slots that work; of stream-K 1
  double dram_bytes = 0;       // expected, of one run
  double fma_per_smem_byte = 0;         // multiply-adds per byte read from shared memory
  double fma_per_smem_byte_needed = 0;  // below it shared memory limits the arithmetic
  // By Little's law: so many hide a load's latency while the blocks that share the SM compute.
  int stages_needed = 0;
  std::optional<BankConflicts> bank_conflicts;  // empty: not told by the family's plan
  Prediction model;  // as of now; the report has the prediction that the search went by
};

struct ExplainedCandidate {
  CandidateReport report;
  std::optional<CandidateFacts> facts;  // empty: the report lacks the resources
  std::optional<double> predicted_over_measured;
};

struct KnobDifference {
  std::string knob;
  int winner = 0, runner_up = 0;
};

// Whom the model expects to be faster.
enum class ModelFavours : std::uint8_t { kWinner, kNeither, kRunnerUp };

// The winner beside the next fastest.
struct Comparison {
  std::string winner_id, runner_up_id;
  bool measured = false;  // the times are medians, not predictions
  double winner_ns = 0, runner_up_ns = 0;
  bool tie = false;                   // the intervals overlap; of predictions: they are equal
  std::optional<TieBreak> tie_break;  // what decided the tie; empty: the lower median did
  std::string tie_break_text;         // "less shared memory (96 KiB, not 128 KiB)"
  std::string winner_family, runner_up_family;
  std::vector<KnobDifference> knobs;  // empty where the families differ
  ModelFavours model = ModelFavours::kNeither;
  double winner_predicted_ns = 0, runner_up_predicted_ns = 0;
  // The modelled term that gains most, in words; empty unless the model favours the winner.
  std::string reason;
};

struct Explanation {
  std::string device_name;               // whose figures the models used
  bool reference_device = false;         // a row of the table, not a GPU that this daemon has
  std::optional<Comparison> comparison;  // empty: there is nothing to compare the winner with
  std::string sentence;                  // why the winner won
  std::vector<std::string> notes;        // what to bear in mind, a sentence each
  // Measured ones by median, then predicted ones by prediction, then the others as reported.
  std::vector<ExplainedCandidate> candidates;
};

}  // namespace tw
