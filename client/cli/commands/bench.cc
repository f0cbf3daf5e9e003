// SPDX-License-Identifier: Apache-2.0
#include "client/cli/commands/bench.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <sstream>
#include <system_error>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "client/cli/baseline.h"
#include "client/cli/bench_csv.h"
#include "client/cli/bench_json.h"
#include "client/cli/bench_session.h"
#include "client/cli/bench_text.h"
#include "client/cli/interrupt.h"
#include "client/cli/problem_text.h"
#include "client/cli/progress.h"
#include "client/cli/server.h"
#include "client/cli/tune_flags.h"
#include "client/cli/tune_session.h"

namespace tw::cli {
namespace {

struct Flags {
  std::string path;
  std::string csv_path;
  ProblemFlags target;  // only those of AddTargetFlags
  TuneFlags tune;
  ShapeFilter filter;
};

struct Plan {
  v1::StartTuneRequest request;  // all but key and id
  std::vector<Shape> shapes;
};

Status FileError(std::string_view what, const std::string& path) {
  return {StatusCode::kInvalidArgument,
          fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

Result<std::string> ReadText(const std::string& path) {
  std::error_code ignored;
  errno = std::filesystem::is_directory(path, ignored) ? EISDIR : 0;
  if (errno != 0) {
    return FileError("read", path);
  }
  const std::ifstream file(path, std::ios::binary);
  if (!file) {
    return FileError("read", path);
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

Result<std::vector<Shape>> ReadShapes(const Flags& flags) {
  TW_ASSIGN_OR_RETURN(const std::string text, ReadText(flags.path));
  return ParseShapes(text, flags.path, flags.target);
}

// A stored winner is kept, and compared anew rather than tuned anew.
Result<v1::StartTuneRequest> BuildRequest(const Flags& flags) {
  ProblemFlags probe = flags.target;
  probe.m = probe.n = probe.k = "1";
  // A wrong flag is not the file's fault.
  TW_RETURN_IF_ERROR(BuildKey(probe).status());
  TW_ASSIGN_OR_RETURN(v1::StartTuneRequest request, BuildStartTune(flags.tune));
  if (Compares(request) && !flags.tune.retune) {
    request.set_policy(v1::TUNE_POLICY_COMPARE);
  }
  return request;
}

// Lines as they come, so that what is done is there whatever happens later.
class CsvFile {
 public:
  static Result<CsvFile> Create(const std::string& path) {
    CsvFile file;
    if (path.empty()) {
      return file;
    }
    errno = 0;
    file.stream_.open(path, std::ios::binary | std::ios::trunc);
    if (!file.stream_) {
      return FileError("write", path);
    }
    file.Write(CsvHeader());
    return file;
  }

  void Add(const BenchRow& row) { Write(CsvLine(row)); }

  // False where something is missing from the file.
  [[nodiscard]] bool Complete() const { return !stream_.is_open() || stream_.good(); }

 private:
  void Write(const std::string& text) {
    if (stream_.is_open()) {
      stream_ << text << std::flush;
    }
  }

  std::ofstream stream_;
};

// The bench with its progress on stderr and its lines in the file.
Bench Follow(const Context& context,
             Connection& connection,
             const Plan& plan,
             CsvFile& csv,
             const std::stop_token& stop) {
  ProgressPrinter progress(context.err,
                           ChooseProgress(context.flags.quiet, context.env.stderr_is_terminal),
                           context.env.terminal_columns);
  std::size_t number = 0;
  const auto say = [&](const Shape& shape, const std::string& text) {
    progress.Say(fmt::format("[{}/{}] {}: {}", number, plan.shapes.size(), shape.name, text));
  };
  const BenchHooks hooks{.on_start =
                             [&](const Shape& shape) {
                               ++number;
                               say(shape, ProblemText(shape.key));
                             },
                         .on_update =
                             [&](const v1::Operation& operation) {
                               if (!IsFinished(operation)) {
                                 progress.Show(operation);
                               }
                             },
                         .on_note = [&](const std::string& text) { progress.Say(text); },
                         .on_row =
                             [&](const BenchRow& row) {
                               csv.Add(row);
                               say(row.shape, RowText(row));
                             }};
  return RunBench(connection, plan.request, plan.shapes, hooks, stop);
}

// The answer is printed already: not Fail, which would add an object.
void SayInterrupted(const Context& context, const std::string& job) {
  context.err << "tilewright: interrupted"
              << (job.empty() ? "" : "; " + job + " goes on, end it with tilewright cancel " + job)
              << "\n";
}

ExitCode Show(const Context& context, const Bench& bench) {
  context.out << (context.flags.json ? BenchJson(bench) : BenchText(bench)) << std::flush;
  if (bench.interrupted) {
    SayInterrupted(context, bench.unfinished_job);
  }
  return ExitOf(bench);
}

ExitCode Execute(const Context& context, const Flags& flags, const Plan& plan) {
  const InterruptWatch interrupt;
  Result<AddressSource> source = ChooseServer(context);
  if (!source.ok()) {
    return Fail(context, source.status());
  }
  Connection connection(*std::move(source), interrupt.Token());
  // Without a daemon every row would fail in the same way.
  if (const auto status = connection.GetStatus(); !status.ok()) {
    return Fail(context, status.status());
  }
  Result<CsvFile> csv = CsvFile::Create(flags.csv_path);
  if (!csv.ok()) {
    return Fail(context, csv.status());
  }
  const Bench bench = Follow(context, connection, plan, *csv, interrupt.Token());
  const ExitCode code = Show(context, bench);
  if (!csv->Complete()) {
    context.err << "tilewright: cannot write all of " << flags.csv_path << "\n";
    return ExitCode::kInternal;
  }
  return code;
}

ExitCode Run(const Context& context, const Flags& flags) {
  Result<v1::StartTuneRequest> request = BuildRequest(flags);
  if (!request.ok()) {
    return Fail(context, request.status());
  }
  const Result<std::vector<Shape>> shapes = ReadShapes(flags);
  if (!shapes.ok()) {
    return Fail(context, shapes.status(), ExitCode::kBadInput);
  }
  Result<std::vector<Shape>> selected = SelectShapes(*shapes, flags.filter);
  if (!selected.ok()) {
    return Fail(context, selected.status());
  }
  return Execute(context, flags, {*std::move(request), *std::move(selected)});
}

}  // namespace

void AddBenchCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("bench", "tune a file of shapes, beside a library");
  const auto flags = std::make_shared<Flags>();  // shared: the copyable callbacks own it
  command->add_option("SHAPES", flags->path, "CSV file: name,m,n,k,batch,dtype,layout")->required();
  command->add_option("--names", flags->filter.names, "these rows only, with commas between");
  command->add_option("--dtypes", flags->filter.dtypes, "rows of these types of A only");
  command->add_option("--csv", flags->csv_path, "file for everything, a line a row as they end");
  AddTargetFlags(*command, flags->target);
  AddTuneFlags(*command, flags->tune);
  command->callback(
      [&context, flags] { context.action = [&context, flags] { return Run(context, *flags); }; });
}

}  // namespace tw::cli
