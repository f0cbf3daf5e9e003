// SPDX-License-Identifier: Apache-2.0
#include "tuner/measure/repro.h"

#include <cmath>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "codegen/core/problem_names.h"
#include "tuner/launch_json.h"

namespace tw {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

constexpr char kProblemFile[] = "problem.txt";
constexpr char kSourceFile[] = "kernel.cu";
constexpr char kCubinFile[] = "kernel.cubin";
constexpr char kSupportFile[] = "support.cubin";
constexpr char kRestFile[] = "repro.json";

Status WriteFile(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    return {StatusCode::kInternal, "cannot write " + path.string()};
  return OkStatus();
}

Result<std::string> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Status(StatusCode::kNotFound, "cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// JSON has no infinity and no NaN: an error ratio may be either.
Json FromDouble(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double ToDouble(const Json& json) {
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

Objective ToObjective(const std::string& name) {
  if (const auto objective = ParseEnum<Objective>(name))
    return *objective;
  throw std::invalid_argument("unknown objective");
}

// Candidates' texts may hold any bytes.
std::string Dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json FromRepro(const Repro& repro) {
  const Verdict& verdict = repro.verdict;
  Json json = {{"version", kVersion},
               {"candidate", repro.candidate_id},
               {"arch", repro.arch},
               {"seed", repro.seed},
               {"check_determinism", repro.check_determinism},
               {"objective", Name(repro.objective)},
               {"verdict",
                {{"kind", Name(verdict.kind)},
                 {"rule", verdict.rule},
                 {"detail", verdict.detail},
                 {"error_ratio", FromDouble(verdict.error_ratio)},
                 {"bound", FromDouble(verdict.bound)},
                 {"wrong_count", verdict.wrong_count},
                 {"coverage", verdict.coverage}}}};
  json.update(FromLaunch(repro.launch));
  return json;
}

// Throws std::exception on any mismatch.
void ToRepro(const Json& json, Repro& repro) {
  if (json.at("version").get<int>() != kVersion)
    throw std::invalid_argument("another version");
  json.at("candidate").get_to(repro.candidate_id);
  json.at("arch").get_to(repro.arch);
  repro.launch = ToLaunch(json);
  json.at("seed").get_to(repro.seed);
  json.at("check_determinism").get_to(repro.check_determinism);
  repro.objective = ToObjective(json.at("objective").get<std::string>());
  const Json& verdict = json.at("verdict");
  const auto kind = ParseOutcomeKind(verdict.at("kind").get<std::string>());
  if (!kind)
    throw std::invalid_argument("unknown kind of verdict");
  repro.verdict.kind = *kind;
  verdict.at("rule").get_to(repro.verdict.rule);
  verdict.at("detail").get_to(repro.verdict.detail);
  repro.verdict.error_ratio = ToDouble(verdict.at("error_ratio"));
  repro.verdict.bound = ToDouble(verdict.at("bound"));
  verdict.at("wrong_count").get_to(repro.verdict.wrong_count);
  verdict.at("coverage").get_to(repro.verdict.coverage);
}

}  // namespace

Status WriteRepro(const std::filesystem::path& folder, const Repro& repro) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return {StatusCode::kInternal, "cannot create " + folder.string() + ": " + error.message()};
  TW_RETURN_IF_ERROR(WriteFile(folder / kProblemFile, CanonicalText(repro.problem) + "\n"));
  TW_RETURN_IF_ERROR(WriteFile(folder / kSourceFile, repro.source));
  TW_RETURN_IF_ERROR(WriteFile(folder / kCubinFile, repro.cubin));
  TW_RETURN_IF_ERROR(WriteFile(folder / kSupportFile, repro.support_cubin));
  return WriteFile(folder / kRestFile, Dump(FromRepro(repro)));
}

Result<Repro> ReadRepro(const std::filesystem::path& folder) {
  Repro repro;
  TW_ASSIGN_OR_RETURN(std::string rest, ReadFile(folder / kRestFile));
  TW_ASSIGN_OR_RETURN(std::string problem, ReadFile(folder / kProblemFile));
  TW_ASSIGN_OR_RETURN(repro.source, ReadFile(folder / kSourceFile));
  TW_ASSIGN_OR_RETURN(repro.cubin, ReadFile(folder / kCubinFile));
  TW_ASSIGN_OR_RETURN(repro.support_cubin, ReadFile(folder / kSupportFile));
  while (!problem.empty() && problem.back() == '\n')
    problem.pop_back();
  auto parsed = ParseCanonicalText(problem);
  if (!parsed.ok())
    return parsed.status().WithContext((folder / kProblemFile).string());
  repro.problem = *std::move(parsed);
  try {
    ToRepro(Json::parse(rest), repro);
  } catch (const std::exception& e) {
    return Status(StatusCode::kInvalidArgument, (folder / kRestFile).string() + ": " + e.what());
  }
  return repro;
}

}  // namespace tw
