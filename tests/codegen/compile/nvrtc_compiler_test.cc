#include "codegen/compile/nvrtc_compiler.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace tw {
namespace {

KernelSource Source(std::string text, std::string entry = "probe") {
  return {.entry = std::move(entry),
          .text = std::move(text),
          .arch = "sm_90a",
          .options = {"--std=c++17"},
          .digest = "d"};
}

// 96 live values a thread in at most 64 registers.
constexpr const char* kSpilling = R"(
extern "C" __global__ __launch_bounds__(1024) void probe(float* p, int n) {
  float a[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) a[i] = p[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) a[i] = a[i] * a[(i * 7 + 1) % 96] + a[(i + 13) % 96];
#pragma unroll
  for (int i = 0; i < 96; ++i) p[i * n + threadIdx.x] = a[i];
})";

class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<NvrtcApi> api = LoadNvrtc({.directories = {"/usr/local/cuda/lib64"}});
    if (!api.ok())
      GTEST_SKIP() << "SKIPPED, no compiler: " << api.status().ToString();
    compiler_.emplace(*std::move(api));
  }

  std::optional<NvrtcCompiler> compiler_;
};

TEST_F(Nvrtc, MakesACubinAndReportsResources) {
  const auto kernel = compiler_->Compile(Source(R"(
extern "C" __global__ void probe(float* p) {
  __shared__ float s[256];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
})"),
                                         {});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  EXPECT_EQ(kernel->cubin.substr(0, 4),
            "\x7f"
            "ELF");
  ASSERT_EQ(kernel->entries.size(), 1U);
  EXPECT_EQ(kernel->entries[0].entry, "probe");
  EXPECT_EQ(kernel->entries[0].static_smem_bytes, 1024);
  EXPECT_GT(kernel->entries[0].registers, 0);
  EXPECT_EQ(kernel->entries[0].spill_store_bytes, 0);
  EXPECT_TRUE(kernel->warnings.empty());
  EXPECT_EQ(kernel->compiler, compiler_->Version());
  EXPECT_EQ(kernel->compiler.rfind("nvrtc 1", 0), 0U);
  EXPECT_EQ(kernel->arch, "sm_90a");
  EXPECT_GT(kernel->compile_seconds, 0.0005);
  EXPECT_LT(kernel->compile_seconds, 30);
  EXPECT_FALSE(kernel->from_cache);
}

TEST_F(Nvrtc, ReportsSpills) {
  const auto kernel = compiler_->Compile(Source(kSpilling), {});
  ASSERT_TRUE(kernel.ok()) << kernel.status().ToString();
  ASSERT_EQ(kernel->entries.size(), 1U);
  EXPECT_GT(kernel->entries[0].spill_store_bytes, 64);
  EXPECT_GT(kernel->entries[0].spill_load_bytes, 64);
  EXPECT_GT(kernel->entries[0].stack_bytes, 64);
  EXPECT_EQ(kernel->entries[0].registers, 64);
  ASSERT_EQ(kernel->warnings.size(), 1U);
  EXPECT_NE(kernel->warnings[0].find("spilled"), std::string::npos);
}

TEST_F(Nvrtc, SyntaxErrorIsInvalidArgumentWithTheLog) {
  const auto kernel =
      compiler_->Compile(Source("extern \"C\" __global__ void probe(float* p) { *p = nope; }"), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(kernel.status().message().find("probe.cu(1): error: identifier \"nope\" is undefined"),
            std::string::npos)
      << kernel.status().message();
}

TEST_F(Nvrtc, LongLogsAreCut) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "int f" + std::to_string(i) + "() { return missing_name_" + std::to_string(i) + "; }\n";
  const auto kernel = compiler_->Compile(Source(text), {});
  ASSERT_FALSE(kernel.ok());
  EXPECT_LE(kernel.status().message().size(), 8192U);
  EXPECT_NE(kernel.status().message().find("missing_name_0"), std::string::npos);
}

// No source can help that: the compiler is too old (or the name wrong), and it says so.
TEST_F(Nvrtc, UnknownArchitectureIsUnavailable) {
  KernelSource source = Source("extern \"C\" __global__ void probe() {}");
  source.arch = "sm_999a";
  const auto arch = compiler_->Compile(source, {});
  ASSERT_FALSE(arch.ok());
  EXPECT_EQ(arch.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(arch.status().message().find("arch 'sm_999a': " + compiler_->Version()),
            std::string::npos)
      << arch.status().message();
}

TEST_F(Nvrtc, UnknownOptionIsInvalidArgument) {
  KernelSource source = Source("extern \"C\" __global__ void probe() {}");
  source.options = {"--no-such-option"};
  EXPECT_EQ(compiler_->Compile(source, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(Nvrtc, VirtualArchitectureIsRefused) {
  KernelSource source = Source("extern \"C\" __global__ void probe() {}");
  source.arch = "compute_90";
  EXPECT_EQ(compiler_->Compile(source, {}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(Nvrtc, StopsBeforeItBegins) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(compiler_->Compile(Source("int x;"), stop.get_token()).status().code(),
            StatusCode::kCancelled);
}

// A toolkit need not be on the loader's path.
TEST(LoadNvrtc, LoadsWhatItNeedsFromTheSameDirectory) {
  namespace fs = std::filesystem;
  const fs::path toolkit = "/usr/local/cuda/lib64";
  const auto found = LoadNvrtc({.file = toolkit / "libnvrtc.so"});
  if (!found.ok())
    GTEST_SKIP() << "SKIPPED, no compiler: " << found.status().ToString();
  int major = 0, minor = 0;
  ASSERT_EQ(found->version(&major, &minor), kNvrtcSuccess);
  const std::string builtins =
      "libnvrtc-builtins.so." + std::to_string(major) + "." + std::to_string(minor);
  const fs::path elsewhere = fs::path(testing::TempDir()) / "tw-nvrtc-elsewhere";
  fs::create_directories(elsewhere);
  fs::remove(elsewhere / "libnvrtc.so");
  fs::create_symlink(toolkit / "libnvrtc.so", elsewhere / "libnvrtc.so");
  fs::copy_file(toolkit / builtins, elsewhere / builtins, fs::copy_options::overwrite_existing);
  ASSERT_TRUE(LoadNvrtc({.file = elsewhere / "libnvrtc.so"}).ok());
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_NE(mapped.find(elsewhere / builtins), std::string::npos);
  fs::remove_all(elsewhere);
}

TEST(LoadNvrtc, SaysWhereItLooked) {
  const auto api = LoadNvrtc({.file = "/nonexistent/libnvrtc.so.13"});
  ASSERT_FALSE(api.ok());
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(api.status().message().find("/nonexistent/libnvrtc.so.13"), std::string::npos);
  EXPECT_NE(api.status().message().find("install"), std::string::npos);
}

TEST(LoadNvrtc, RefusesAnotherLibrary) {
  const auto api = LoadNvrtc({.file = "libm.so.6"});
  ASSERT_FALSE(api.ok());
  EXPECT_EQ(api.status().code(), StatusCode::kUnavailable);
  EXPECT_NE(api.status().message().find("nvrtcVersion"), std::string::npos);
}

// The library is a table of pointers, so its own failures can be played.
class FakeNvrtc : public ::testing::Test {
 protected:
  static NvrtcApi Api(int (*compile)(NvrtcProgram, int, const char* const*)) {
    NvrtcApi api;
    api.version = [](int* major, int* minor) {
      *major = 12;
      *minor = 1;
      return 0;
    };
    api.error_string = [](int) { return "fake error"; };
    api.supported_arch_count = [](int* count) {
      *count = 2;
      return 0;
    };
    api.supported_archs = [](int* numbers) {
      numbers[0] = 75;
      numbers[1] = 90;
      return 0;
    };
    api.create_program = [](NvrtcProgram* program, const char*, const char*, int,
                            const char* const*, const char* const*) {
      *program = nullptr;
      return 0;
    };
    api.destroy_program = [](NvrtcProgram*) { return 0; };
    api.compile_program = compile;
    api.cubin_size = [](NvrtcProgram, std::size_t* size) {
      *size = 0;
      return 0;
    };
    api.cubin = [](NvrtcProgram, char*) { return 0; };
    api.log_size = [](NvrtcProgram, std::size_t* size) {
      *size = 0;
      return 0;
    };
    api.log = [](NvrtcProgram, char*) { return 0; };
    return api;
  }
};

TEST_F(FakeNvrtc, OutOfMemoryAndInternalFailuresAreNotTheSourcesFault) {
  NvrtcCompiler no_memory(Api([](NvrtcProgram, int, const char* const*) { return 1; }));
  EXPECT_EQ(no_memory.Compile(Source(""), {}).status().code(), StatusCode::kResourceExhausted);
  NvrtcCompiler internal(Api([](NvrtcProgram, int, const char* const*) { return 11; }));
  EXPECT_EQ(internal.Compile(Source(""), {}).status().code(), StatusCode::kInternal);
  EXPECT_EQ(internal.Version(), "nvrtc 12.1");
}

TEST_F(FakeNvrtc, KnowsWhatItTargets) {
  NvrtcApi api = Api(nullptr);
  for (const char* arch : {"sm_75", "sm_90", "sm_90a"})
    EXPECT_TRUE(CheckTargets(api, arch).ok()) << arch;
  for (const char* arch : {"sm_7", "sm_80", "sm_100a", "sm_900", "sm_121f", "sm_"})
    EXPECT_EQ(CheckTargets(api, arch).code(), StatusCode::kUnavailable) << arch;
  for (const char* arch : {"", "90", "compute_90"})
    EXPECT_EQ(CheckTargets(api, arch).code(), StatusCode::kInvalidArgument) << arch;
  EXPECT_EQ(CheckTargets(api, "sm_121a").message(),
            "arch 'sm_121a': nvrtc 12.1 compiles for sm_75 to sm_90; install a CUDA toolkit that "
            "knows this architecture");
  api.supported_archs = [](int*) { return 11; };
  EXPECT_EQ(CheckTargets(api, "sm_75").code(), StatusCode::kInternal);
}

TEST_F(FakeNvrtc, CancelledByTheFlowCallback) {
  NvrtcCompiler compiler(Api([](NvrtcProgram, int, const char* const*) { return 16; }));
  EXPECT_EQ(compiler.Compile(Source(""), {}).status().code(), StatusCode::kCancelled);
}

TEST_F(FakeNvrtc, PassesArchThenOptionsThenTheReportOptionsOnce) {
  NvrtcCompiler compiler(Api([](NvrtcProgram, int count, const char* const* options) {
    const std::vector<std::string> got(options, options + count);
    const std::vector<std::string> want = {"--gpu-architecture=sm_90a", "--std=c++17",
                                           "--ptxas-options=-v",
                                           "--ptxas-options=--warn-on-spills"};
    return got == want ? 16 : 11;
  }));
  KernelSource source = Source("");
  EXPECT_EQ(compiler.Compile(source, {}).status().code(), StatusCode::kCancelled);
  source.options.emplace_back("--ptxas-options=-v");
  EXPECT_EQ(compiler.Compile(source, {}).status().code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace tw
