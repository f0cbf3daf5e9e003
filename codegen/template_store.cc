// SPDX-License-Identifier: Apache-2.0
#include "codegen/template_store.h"

#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

#include "codegen/core/digest.h"
#include "templates/embedded.h"

namespace tw {

namespace {

namespace fs = std::filesystem;

Status NoSuchTemplate(std::string_view path) {
  return {StatusCode::kNotFound, "no template file \"" + std::string(path) + "\""};
}

Result<std::string> ReadEmbedded(std::string_view path) {
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (file.path == path)
      return std::string(file.text);
  }
  return NoSuchTemplate(path);
}

Result<std::string> ReadFile(const fs::path& file, std::string_view path) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return NoSuchTemplate(path);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad())
    return Status(StatusCode::kUnavailable, "cannot read " + file.string());
  return text;
}

// "tw/…" with no step upwards, or a text template at the root.
bool IsTemplatePath(std::string_view path) {
  bool inside = path.starts_with("tw/") || path.ends_with(".cu.in");
  return inside && path.find("..") == std::string_view::npos;
}

// Ordered by path, so that the digest does not depend on the order of the directory.
Result<std::map<std::string, std::string>> ReadTree(const fs::path& root) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    std::string path = it->path().lexically_relative(root).generic_string();
    if (!it->is_regular_file(error) || !IsTemplatePath(path))
      continue;
    TW_ASSIGN_OR_RETURN(files[path], ReadFile(it->path(), path));
  }
  if (error) {
    return Status(StatusCode::kNotFound,
                  "cannot list templates in " + root.string() + ": " + error.message());
  }
  return files;
}

}  // namespace

Result<std::string> TemplateStore::Read(std::string_view path) const {
  if (!IsTemplatePath(path))
    return NoSuchTemplate(path);
  if (auto patched = patched_.find(path); patched != patched_.end())
    return patched->second;
  return directory_.empty() ? ReadEmbedded(path) : ReadFile(directory_ / path, path);
}

Result<TemplateStore> TemplateStore::Patched(const std::string& path,
                                             std::string_view text,
                                             std::string_view replacement) const {
  TW_ASSIGN_OR_RETURN(std::string file, Read(path));
  const std::size_t at = file.find(text);
  if (text.empty() || at == std::string::npos || file.find(text, at + 1) != std::string::npos) {
    return Status(StatusCode::kFailedPrecondition,
                  path + " does not hold exactly once: " + std::string(text));
  }
  file.replace(at, text.size(), replacement);
  TemplateStore patched = *this;
  patched.patched_[path] = std::move(file);
  return patched;
}

Result<std::string> TemplateStore::Digest() const {
  std::map<std::string, std::string> files;
  if (directory_.empty()) {
    for (const EmbeddedFile& file : EmbeddedFiles())
      files.emplace(file.path, file.text);
  } else {
    TW_ASSIGN_OR_RETURN(files, ReadTree(directory_));
  }
  for (const auto& [path, text] : patched_)
    files[path] = text;
  std::string all;
  for (const auto& [path, text] : files)
    all.append(path).append("\n").append(std::to_string(text.size())).append("\n").append(text);
  return Sha256Hex(all);
}

}  // namespace tw
