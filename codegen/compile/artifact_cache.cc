#include "codegen/compile/artifact_cache.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "codegen/compile/cache_files.h"
#include "codegen/core/digest.h"

namespace tw {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int kFormat = 1;

// A digest names a file: nothing but hex digits may get there.
bool IsDigest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string ArtifactKey(std::string_view source_digest, std::string_view compiler) {
  return Sha256Hex(std::string(source_digest) + "\n" + std::string(compiler));
}

fs::path FileOf(const fs::path& directory, const std::string& key, std::string_view extension) {
  return directory / key.substr(0, 2) / (key + std::string(extension));
}

Json ToJson(const EntryResources& entry) {
  return {{"entry", entry.entry},
          {"registers", entry.registers},
          {"spill_store_bytes", entry.spill_store_bytes},
          {"spill_load_bytes", entry.spill_load_bytes},
          {"stack_bytes", entry.stack_bytes},
          {"static_smem_bytes", entry.static_smem_bytes}};
}

EntryResources EntryFromJson(const Json& json) {
  return {.entry = json.at("entry"),
          .registers = json.at("registers"),
          .spill_store_bytes = json.at("spill_store_bytes"),
          .spill_load_bytes = json.at("spill_load_bytes"),
          .stack_bytes = json.at("stack_bytes"),
          .static_smem_bytes = json.at("static_smem_bytes")};
}

Json ToJson(const KernelSource& source, const CompiledKernel& kernel) {
  Json entries = Json::array();
  for (const EntryResources& entry : kernel.entries)
    entries.push_back(ToJson(entry));
  return {{"format", kFormat},
          {"source", source.digest},
          {"compiler", kernel.compiler},
          {"arch", kernel.arch},
          {"cubin_sha256", Sha256Hex(kernel.cubin)},
          {"entries", std::move(entries)},
          {"warnings", kernel.warnings}};
}

Json ToJson(const KernelSource& source) {
  return {{"format", kFormat},
          {"entry", source.entry},
          {"arch", source.arch},
          {"options", source.options},
          {"text_sha256", Sha256Hex(source.text)}};
}

// Objects are ordered by name, so that equal contents are equal text.
std::string Dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The text of a description, with a hash over the rest of it.
std::string Seal(Json json) {
  json["sha256"] = Sha256Hex(Dump(json));
  return Dump(json);
}

// Nothing where the text is not what Seal made.
std::optional<Json> Unseal(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("sha256"))
    return std::nullopt;
  const Json seal = std::move(json["sha256"]);
  json.erase("sha256");
  if (seal != Sha256Hex(Dump(json)))
    return std::nullopt;
  return json;
}

// Nothing where the description is damaged or is of another cubin.
std::optional<CompiledKernel> Restore(const std::string& description, std::string cubin) {
  const std::optional<Json> unsealed = Unseal(description);
  if (!unsealed)
    return std::nullopt;
  const Json& json = *unsealed;
  try {
    if (json.at("format") != kFormat || json.at("cubin_sha256") != Sha256Hex(cubin))
      return std::nullopt;
    CompiledKernel kernel;
    kernel.arch = json.at("arch");
    kernel.cubin = std::move(cubin);
    for (const Json& entry : json.at("entries"))
      kernel.entries.push_back(EntryFromJson(entry));
    kernel.warnings = json.at("warnings");
    kernel.compiler = json.at("compiler");
    kernel.from_cache = true;
    return kernel;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

class CachingCompiler final : public Compiler {
 public:
  CachingCompiler(Compiler& inner, ArtifactCache& cache, std::string version)
      : inner_(inner), cache_(cache), version_(std::move(version)) {}

  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token stop) override {
    if (std::optional<CompiledKernel> found = cache_.Find(source.digest, version_))
      return *std::move(found);
    TW_ASSIGN_OR_RETURN(CompiledKernel kernel, inner_.Compile(source, std::move(stop)));
    if (const Status stored = cache_.Put(source, kernel); !stored.ok())
      return Status(StatusCode::kUnavailable, "cannot keep what was compiled: " + stored.message());
    return kernel;
  }

  [[nodiscard]] int Parallelism() const override { return inner_.Parallelism(); }

 private:
  Compiler& inner_;
  ArtifactCache& cache_;
  std::string version_;
};

}  // namespace

Result<ArtifactCache> ArtifactCache::Open(fs::path directory) {
  if (!directory.is_absolute())
    directory = fs::absolute(directory);
  TW_RETURN_IF_ERROR(MakePrivateDirectory(directory));
  RemoveStaleTemporaries(directory);
  return ArtifactCache(std::move(directory));
}

std::optional<CompiledKernel> ArtifactCache::Find(std::string_view source_digest,
                                                  std::string_view compiler) const {
  if (!IsDigest(source_digest))
    return std::nullopt;
  const std::string key = ArtifactKey(source_digest, compiler);
  const fs::path description_file = FileOf(directory_, key, ".json");
  const fs::path cubin_file = FileOf(directory_, key, ".cubin");
  const std::optional<std::string> description = ReadWholeFile(description_file);
  std::optional<std::string> cubin = ReadWholeFile(cubin_file);
  if (!description)
    return std::nullopt;
  std::optional<CompiledKernel> kernel;
  if (cubin)
    kernel = Restore(*description, *std::move(cubin));
  if (!kernel) {
    std::error_code ignored;  // still a miss if it cannot be removed
    fs::remove(description_file, ignored);
    fs::remove(cubin_file, ignored);
  }
  return kernel;
}

Status ArtifactCache::Put(const KernelSource& source, const CompiledKernel& kernel) {
  if (!IsDigest(source.digest)) {
    return {StatusCode::kInvalidArgument,
            "artefact cache: '" + source.digest + "' is not a SHA-256 digest"};
  }
  const std::string key = ArtifactKey(source.digest, kernel.compiler);
  const fs::path source_file = FileOf(directory_, source.digest, ".cu");
  const fs::path cubin_file = FileOf(directory_, key, ".cubin");
  TW_RETURN_IF_ERROR(MakePrivateDirectory(source_file.parent_path()));
  TW_RETURN_IF_ERROR(MakePrivateDirectory(cubin_file.parent_path()));

  TW_RETURN_IF_ERROR(WriteFileAtomically(source_file, source.text, Durability::kSynced));
  TW_RETURN_IF_ERROR(WriteFileAtomically(FileOf(directory_, source.digest, ".json"),
                                         Seal(ToJson(source)), Durability::kSynced));
  TW_RETURN_IF_ERROR(WriteFileAtomically(cubin_file, kernel.cubin, Durability::kRenameOnly));
  // Last: an entry without its description is no entry.
  return WriteFileAtomically(FileOf(directory_, key, ".json"), Seal(ToJson(source, kernel)),
                             Durability::kRenameOnly);
}

Result<std::string> ArtifactCache::Source(std::string_view source_digest) const {
  const std::string digest(source_digest);
  if (!IsDigest(digest))
    return Status(StatusCode::kNotFound, "source '" + digest + "': not a SHA-256 digest");
  std::optional<std::string> text = ReadWholeFile(FileOf(directory_, digest, ".cu"));
  if (!text)
    return Status(StatusCode::kNotFound, "source " + digest + ": not in " + directory_.string());
  const std::optional<std::string> description = ReadWholeFile(FileOf(directory_, digest, ".json"));
  const std::optional<Json> json = Unseal(description.value_or(""));
  if (!json || json->value("text_sha256", Json()) != Sha256Hex(*text)) {
    return Status(StatusCode::kDataLoss,
                  "source " + digest + ": its file in " + directory_.string() + " is damaged");
  }
  return *std::move(text);
}

std::unique_ptr<Compiler> MakeCachingCompiler(Compiler& inner,
                                              ArtifactCache& cache,
                                              std::string compiler_version) {
  return std::make_unique<CachingCompiler>(inner, cache, std::move(compiler_version));
}

}  // namespace tw
