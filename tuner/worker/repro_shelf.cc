// SPDX-License-Identifier: Apache-2.0
#include "tuner/worker/repro_shelf.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "codegen/core/digest.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 8;
constexpr std::size_t kMostIdBytes = 100;  // well below the 255 of a file name

Status Failed(const char* what, const fs::path& path, const std::error_code& error) {
  return {StatusCode::kInternal,
          std::string("cannot ") + what + " " + path.string() + ": " + error.message()};
}

// An id may be any text: of a candidate that was not made here.
std::string FolderName(const Repro& repro) {
  std::string name = repro.candidate_id.substr(0, kMostIdBytes);
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    c = plain ? c : '_';
  }
  return name + "-" + Sha256Hex(CanonicalText(repro.problem)).substr(0, kHashDigits);
}

// A reader finds the old folder, none, or all of the new one.
Status PutWhole(const fs::path& folder, const Repro& repro) {
  fs::path unfinished = folder;
  unfinished.replace_extension(std::to_string(getpid()));  // a name has no dot
  if (Status status = WriteRepro(unfinished, repro); !status.ok()) {
    std::error_code ignored;  // the first error says more
    fs::remove_all(unfinished, ignored);
    return status;
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (error)
    return Failed("remove", folder, error);
  fs::rename(unfinished, folder, error);
  if (error)
    return Failed("create", folder, error);
  return OkStatus();
}

struct Kept {
  fs::file_time_type written;
  fs::path folder;
};

// Unfinished ones of processes that died, too; nothing that somebody else put there.
Result<std::vector<Kept>> List(const fs::path& directory) {
  std::vector<Kept> kept;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;  // another process may have removed it
    if (!fs::exists(entry->path() / "problem.txt", gone))
      continue;
    const fs::file_time_type written = fs::last_write_time(entry->path(), gone);
    if (!gone)
      kept.push_back({written, entry->path()});
  }
  if (error)
    return Failed("list", directory, error);
  return kept;
}

Status Trim(const fs::path& directory, const fs::path& newest, std::size_t most) {
  TW_ASSIGN_OR_RETURN(std::vector<Kept> kept, List(directory));
  // Clocks may jump: the one just written stays whatever its time.
  std::erase_if(kept, [&](const Kept& one) { return one.folder == newest; });
  std::sort(kept.begin(), kept.end(),
            [](const Kept& x, const Kept& y) { return x.written > y.written; });
  for (std::size_t i = most - 1; i < kept.size(); ++i) {
    std::error_code error;
    fs::remove_all(kept[i].folder, error);
    if (error)
      return Failed("remove", kept[i].folder, error);
  }
  return OkStatus();
}

}  // namespace

bool IsOffence(OutcomeKind kind) {
  return kind == OutcomeKind::kWrongResult || kind == OutcomeKind::kCrashed ||
         kind == OutcomeKind::kTimedOut;
}

Repro ReproOf(const BenchmarkJob& job,
              const CandidateRun& candidate,
              const BenchmarkOutcome& outcome) {
  Repro repro;
  repro.problem = job.problem;
  repro.candidate_id = candidate.candidate_id;
  repro.arch = candidate.kernel.arch;
  repro.source = candidate.source;
  repro.cubin = candidate.kernel.cubin;
  repro.support_cubin = job.support.cubin;
  repro.launch = candidate.launch;
  repro.seed = job.options.seed;
  repro.check_determinism = job.check_determinism;
  repro.objective = job.options.objective;
  repro.verdict.kind = outcome.kind;
  repro.verdict.rule = outcome.rule;
  repro.verdict.detail = outcome.detail;
  repro.verdict.error_ratio = outcome.error_ratio;
  return repro;
}

Result<fs::path> ReproShelf::Keep(const Repro& repro) {
  const std::lock_guard lock(mutex_);
  const fs::path folder = directory_ / FolderName(repro);
  TW_RETURN_IF_ERROR(PutWhole(folder, repro));
  TW_RETURN_IF_ERROR(Trim(directory_, folder, kMost));
  return folder;
}

}  // namespace tw
