#include "codegen/compile/artifact_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/core/digest.h"

namespace tw {
namespace {

namespace fs = std::filesystem;

KernelSource Source(std::string text) {
  KernelSource source{.entry = "probe",
                      .text = std::move(text),
                      .arch = "sm_90a",
                      .options = {"--std=c++17"},
                      .digest = ""};
  source.digest = Sha256Hex(source.text);
  return source;
}

CompiledKernel Kernel(std::string cubin) {
  return {.arch = "sm_90a",
          .cubin = std::move(cubin),
          .entries = {{.entry = "probe",
                       .registers = 32,
                       .spill_store_bytes = 8,
                       .spill_load_bytes = 12,
                       .stack_bytes = 16,
                       .static_smem_bytes = 1024},
                      {.entry = "reduce", .registers = 16}},
          .warnings = {"ptxas warning : spilled"},
          .compiler = "nvrtc 13.0",
          .compile_seconds = 0.5};
}

class ArtifactCacheTest : public ::testing::Test {
 public:
  ArtifactCacheTest() {
    std::string pattern = ::testing::TempDir() + "artifact_cache_XXXXXX";
    root_ = mkdtemp(pattern.data());
  }

  ~ArtifactCacheTest() override { fs::remove_all(root_); }

 protected:
  ArtifactCache Open() {
    auto cache = ArtifactCache::Open(root_ / "cache");
    EXPECT_TRUE(cache.ok()) << cache.status().ToString();
    return *std::move(cache);
  }

  // All regular files below the cache that end so.
  std::vector<fs::path> Files(std::string_view extension) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "cache")) {
      if (entry.is_regular_file() && entry.path().extension() == extension)
        files.push_back(entry.path());
    }
    return files;
  }

  fs::path root_;
};

void FlipByte(const fs::path& file, std::size_t at) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(at));
  const int byte = stream.get();
  stream.seekp(static_cast<std::streamoff>(at));
  stream.put(static_cast<char>(byte ^ 0x01));
}

TEST_F(ArtifactCacheTest, GivesBackWhatWasPut) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("// source\n");
  const CompiledKernel kernel =
      Kernel(std::string("\x7f"
                         "ELF\0\1\xff",
                         7));
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0"));
  ASSERT_TRUE(cache.Put(source, kernel).ok());
  const auto found = cache.Find(source.digest, "nvrtc 13.0");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cubin, kernel.cubin);
  EXPECT_EQ(found->entries, kernel.entries);
  EXPECT_EQ(found->warnings, kernel.warnings);
  EXPECT_EQ(found->arch, "sm_90a");
  EXPECT_EQ(found->compiler, "nvrtc 13.0");
  EXPECT_TRUE(found->from_cache);
  EXPECT_EQ(found->compile_seconds, 0);
  EXPECT_EQ(*cache.Source(source.digest), "// source\n");
}

TEST_F(ArtifactCacheTest, OutlivesTheObject) {
  const KernelSource source = Source("x");
  {
    ArtifactCache cache = Open();
    ASSERT_TRUE(cache.Put(source, Kernel("elf")).ok());
  }
  EXPECT_TRUE(Open().Find(source.digest, "nvrtc 13.0"));
}

TEST_F(ArtifactCacheTest, CompilersDoNotShare) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("x");
  ASSERT_TRUE(cache.Put(source, Kernel("elf 13.0")).ok());
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 12.8"));
  CompiledKernel older = Kernel("elf 12.8");
  older.compiler = "nvrtc 12.8";
  ASSERT_TRUE(cache.Put(source, older).ok());
  EXPECT_EQ(cache.Find(source.digest, "nvrtc 12.8")->cubin, "elf 12.8");
  EXPECT_EQ(cache.Find(source.digest, "nvrtc 13.0")->cubin, "elf 13.0");
}

TEST_F(ArtifactCacheTest, EveryFlippedByteOfAnEntryIsAMissAndIsRemoved) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("x");
  ASSERT_TRUE(cache.Put(source, Kernel("0123456789")).ok());
  const fs::path cubin = Files(".cubin").at(0);
  const fs::path description = fs::path(cubin).replace_extension(".json");
  for (const fs::path& file : {cubin, description}) {
    const std::size_t size = fs::file_size(file);
    for (std::size_t at = 0; at + 1 < size; at += 7) {
      FlipByte(file, at);
      EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0")) << file << " byte " << at;
      EXPECT_FALSE(fs::exists(cubin));
      EXPECT_FALSE(fs::exists(description));
      ASSERT_TRUE(cache.Put(source, Kernel("0123456789")).ok());
      ASSERT_TRUE(cache.Find(source.digest, "nvrtc 13.0"));
    }
  }
}

TEST_F(ArtifactCacheTest, TruncatedAndHalfWrittenEntriesAreMisses) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("x");
  ASSERT_TRUE(cache.Put(source, Kernel("0123456789")).ok());
  fs::resize_file(Files(".cubin").at(0), 4);
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0"));

  ASSERT_TRUE(cache.Put(source, Kernel("0123456789")).ok());
  fs::remove(Files(".cubin").at(0));
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0"));
}

TEST_F(ArtifactCacheTest, SourceOfADamagedEntryStays) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("text");
  ASSERT_TRUE(cache.Put(source, Kernel("0123456789")).ok());
  FlipByte(Files(".cubin").at(0), 3);
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0"));
  EXPECT_EQ(*cache.Source(source.digest), "text");
}

TEST_F(ArtifactCacheTest, DamagedSourceIsDataLoss) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("text");
  ASSERT_TRUE(cache.Put(source, Kernel("elf")).ok());
  FlipByte(Files(".cu").at(0), 1);
  EXPECT_EQ(cache.Source(source.digest).status().code(), StatusCode::kDataLoss);
}

TEST_F(ArtifactCacheTest, SourceUnknownOrNotADigestIsNotFound) {
  ArtifactCache cache = Open();
  EXPECT_EQ(cache.Source(Sha256Hex("other")).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(cache.Source("../../../etc/passwd").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(cache.Source("").status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(cache.Find("../x", "nvrtc 13.0"));
  KernelSource source = Source("x");
  source.digest = "../x";
  EXPECT_EQ(cache.Put(source, Kernel("elf")).code(), StatusCode::kInvalidArgument);
}

TEST_F(ArtifactCacheTest, FilesAndDirectoriesArePrivate) {
  ArtifactCache cache = Open();
  ASSERT_TRUE(cache.Put(Source("x"), Kernel("elf")).ok());

  struct stat info {};

  ASSERT_EQ(lstat((root_ / "cache").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700U);
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "cache")) {
    ASSERT_EQ(lstat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0077U, 0U) << entry.path();
  }
}

TEST_F(ArtifactCacheTest, RefusesDirectoriesThatOthersCanChange) {
  const auto refused = [&](const fs::path& directory) {
    const auto cache = ArtifactCache::Open(directory);
    return !cache.ok() && cache.status().code() == StatusCode::kPermissionDenied;
  };
  fs::create_directory(root_ / "group");
  chmod((root_ / "group").c_str(), 0770);
  EXPECT_TRUE(refused(root_ / "group"));

  fs::create_directory(root_ / "world");
  chmod((root_ / "world").c_str(), 0707);
  EXPECT_TRUE(refused(root_ / "world"));

  fs::create_directory(root_ / "own");
  chmod((root_ / "own").c_str(), 0755);
  EXPECT_FALSE(refused(root_ / "own"));
  fs::create_directory_symlink(root_ / "own", root_ / "link");
  EXPECT_TRUE(refused(root_ / "link"));

  std::ofstream(root_ / "file") << "x";
  EXPECT_TRUE(refused(root_ / "file"));
}

TEST_F(ArtifactCacheTest, RefusesAnotherUsersDirectory) {
  if (geteuid() != 0)
    GTEST_SKIP() << "SKIPPED: needs root to make a directory of another user";
  fs::create_directory(root_ / "theirs");
  chmod((root_ / "theirs").c_str(), 0755);
  ASSERT_EQ(chown((root_ / "theirs").c_str(), 12345, 12345), 0);
  EXPECT_EQ(ArtifactCache::Open(root_ / "theirs").status().code(), StatusCode::kPermissionDenied);
}

TEST_F(ArtifactCacheTest, LinkInPlaceOfAnEntryIsAMiss) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("x");
  ASSERT_TRUE(cache.Put(source, Kernel("elf")).ok());
  const fs::path cubin = Files(".cubin").at(0);
  fs::rename(cubin, root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", cubin);
  EXPECT_FALSE(cache.Find(source.digest, "nvrtc 13.0"));
}

TEST_F(ArtifactCacheTest, ReadersBesideWritersSeeWholeEntries) {
  ArtifactCache cache = Open();
  const KernelSource source = Source("x");
  const CompiledKernel kernel = Kernel(std::string(100'000, 'k'));
  ASSERT_TRUE(cache.Put(source, kernel).ok());
  const auto put_twenty = [&] {
    for (int n = 0; n < 20; ++n)
      EXPECT_TRUE(cache.Put(source, kernel).ok());
  };
  std::vector<std::jthread> writers(2);
  for (std::jthread& writer : writers)
    writer = std::jthread(put_twenty);
  for (int n = 0; n < 100; ++n) {
    const auto found = cache.Find(source.digest, "nvrtc 13.0");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cubin, kernel.cubin);
  }
  writers.clear();
  for (const auto& entry : fs::recursive_directory_iterator(root_ / "cache"))
    EXPECT_NE(entry.path().filename().string().rfind(".tmp-", 0), 0U) << entry.path();
}

TEST_F(ArtifactCacheTest, OpenRemovesOldTemporariesOnly) {
  Open();
  const fs::path old_file = root_ / "cache" / ".tmp-old";
  const fs::path new_file = root_ / "cache" / ".tmp-new";
  std::ofstream(old_file) << "x";
  std::ofstream(new_file) << "x";
  fs::last_write_time(old_file, fs::file_time_type::clock::now() - std::chrono::hours(2));
  Open();
  EXPECT_FALSE(fs::exists(old_file));
  EXPECT_TRUE(fs::exists(new_file));
}

class CountingCompiler final : public Compiler {
 public:
  Result<CompiledKernel> Compile(const KernelSource& source, std::stop_token) override {
    ++calls;
    if (source.text == "bad")
      return Status(StatusCode::kInvalidArgument, "bad source");
    return Kernel("elf of " + source.text);
  }

  [[nodiscard]] int Parallelism() const override { return 3; }

  int calls = 0;
};

TEST_F(ArtifactCacheTest, CachingCompilerCompilesOnce) {
  ArtifactCache cache = Open();
  CountingCompiler inner;
  const auto compiler = MakeCachingCompiler(inner, cache, "nvrtc 13.0");
  EXPECT_EQ(compiler->Parallelism(), 3);
  const auto first = compiler->Compile(Source("a"), {});
  const auto second = compiler->Compile(Source("a"), {});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(inner.calls, 1);
  EXPECT_FALSE(first->from_cache);
  EXPECT_GT(first->compile_seconds, 0);
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(first->cubin, second->cubin);
}

TEST_F(ArtifactCacheTest, CachingCompilerKeepsNoFailure) {
  ArtifactCache cache = Open();
  CountingCompiler inner;
  const auto compiler = MakeCachingCompiler(inner, cache, "nvrtc 13.0");
  EXPECT_EQ(compiler->Compile(Source("bad"), {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(compiler->Compile(Source("bad"), {}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(inner.calls, 2);
}

TEST_F(ArtifactCacheTest, CachingCompilerSaysSoWhenItCannotStore) {
  ArtifactCache cache = Open();
  fs::remove_all(root_ / "cache");
  std::ofstream(root_ / "cache") << "not a directory";
  CountingCompiler inner;
  const auto compiler = MakeCachingCompiler(inner, cache, "nvrtc 13.0");
  EXPECT_EQ(compiler->Compile(Source("a"), {}).status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tw
