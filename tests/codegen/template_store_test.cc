// Where templates come from.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/template_store.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/fakes/temp_dir.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

void WriteFile(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// Fails when a file under templates/ is missing in the list of templates/CMakeLists.txt.
TEST(TemplateStore, EveryFileOfTheTreeIsEmbedded) {
  TemplateStore tree(fs::path(TW_SOURCE_DIR) / "templates");
  EXPECT_EQ(TemplateStore().Digest().value(), tree.Digest().value());
  EXPECT_EQ(TemplateStore().Read("tw/base.cuh").value(), tree.Read("tw/base.cuh").value());
}

TEST(TemplateStore, MissingFileIsNamed) {
  for (const TemplateStore& store :
       {TemplateStore(), TemplateStore(fs::path(TW_SOURCE_DIR) / "templates")}) {
    auto text = store.Read("tw/nowhere.cuh");
    ASSERT_FALSE(text.ok());
    EXPECT_EQ(text.status().code(), StatusCode::kNotFound);
    EXPECT_NE(text.status().message().find("tw/nowhere.cuh"), std::string::npos);
  }
}

TEST(TemplateStore, NothingOutsideOfTheTemplatesIsRead) {
  TemplateStore store(fs::path(TW_SOURCE_DIR) / "templates");
  for (std::string_view path :
       {"tw/../CMakeLists.txt", "../CMakeLists.txt", "CMakeLists.txt", "/etc/hosts"})
    EXPECT_EQ(store.Read(path).status().code(), StatusCode::kNotFound) << path;
}

TEST(TemplateStore, DirectoryIsReadAnewAndItsDigestFollowsContentsAndPaths) {
  fakes::TempDir dir;
  WriteFile(dir.path() / "tw/a.cuh", "one");
  TemplateStore store(dir.path());
  std::string first = store.Digest().value();
  WriteFile(dir.path() / "tw/a.cuh", "two");
  EXPECT_EQ(store.Read("tw/a.cuh").value(), "two");
  std::string second = store.Digest().value();
  EXPECT_NE(first, second);
  fs::rename(dir.path() / "tw/a.cuh", dir.path() / "tw/b.cuh");
  EXPECT_NE(store.Digest().value(), second);
}

TEST(TemplateStore, DigestIgnoresWhatIsNoTemplate) {
  fakes::TempDir dir;
  WriteFile(dir.path() / "tw/a.cuh", "one");
  std::string before = TemplateStore(dir.path()).Digest().value();
  WriteFile(dir.path() / "README.md", "text");
  EXPECT_EQ(TemplateStore(dir.path()).Digest().value(), before);
}

TEST(TemplateStore, APatchReplacesOneTextOfOneFile) {
  fakes::TempDir dir;
  WriteFile(dir.path() / "tw/a.cuh", "one two two");
  WriteFile(dir.path() / "tw/b.cuh", "one");
  const TemplateStore store(dir.path());
  const TemplateStore patched = store.Patched("tw/a.cuh", "one", "three").value();
  EXPECT_EQ(patched.Read("tw/a.cuh").value(), "three two two");
  EXPECT_EQ(patched.Read("tw/b.cuh").value(), "one");
  EXPECT_EQ(store.Read("tw/a.cuh").value(), "one two two");
  EXPECT_NE(patched.Digest().value(), store.Digest().value());
  for (const char* text : {"two", "four", ""})
    EXPECT_EQ(store.Patched("tw/a.cuh", text, "").status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(store.Patched("tw/c.cuh", "one", "").status().code(), StatusCode::kNotFound);
}

TEST(TemplateStore, MissingDirectoryIsAnError) {
  EXPECT_EQ(TemplateStore("/nowhere/at/all").Digest().status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace tw
