#include "tuner/worker/device_lock.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

namespace tw {
namespace {

namespace fs = std::filesystem;

class DeviceLockTest : public ::testing::Test {
 public:
  ~DeviceLockTest() override { fs::remove_all(directory_); }

 protected:
  DeviceLockTest() {
    std::string pattern = ::testing::TempDir() + "device_lock_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }

  Result<std::unique_ptr<DeviceLock>> Acquire(const std::string& uuid,
                                              const std::stop_token& stop = {}) {
    return DeviceLock::Acquire(directory_, uuid, stop);
  }

  std::string directory_;
};

TEST_F(DeviceLockTest, DevicesAreIndependent) {
  const auto first = Acquire("GPU-1");
  const auto second = Acquire("GPU-2");
  EXPECT_TRUE(first.ok());
  EXPECT_TRUE(second.ok());
}

TEST_F(DeviceLockTest, SecondWaitsForTheFirst) {
  auto first = Acquire("GPU-1");
  ASSERT_TRUE(first.ok());
  std::atomic<bool> released = false;
  std::jthread second([&] {
    const auto lock = Acquire("GPU-1");
    EXPECT_TRUE(lock.ok());
    EXPECT_TRUE(released.load());
  });
  usleep(20'000);  // gives a broken lock the time to let the second through
  released = true;
  *first = nullptr;
}

TEST_F(DeviceLockTest, WaitCanBeStopped) {
  const auto first = Acquire("GPU-1");
  ASSERT_TRUE(first.ok());
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(Acquire("GPU-1", stop.get_token()).status().code(), StatusCode::kCancelled);
}

TEST_F(DeviceLockTest, FreeAgainAfterUse) {
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(Acquire("GPU-1").ok());
}

TEST_F(DeviceLockTest, FileIsReadableByOtherUsersWhateverTheUmask) {
  const mode_t before = umask(0077);
  EXPECT_TRUE(Acquire("MIG-GPU-1/2/3").ok());
  umask(before);

  struct stat info {};

  ASSERT_EQ(lstat((directory_ + "/tilewright-gpu-MIG-GPU-1-2-3.lock").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U);
}

TEST_F(DeviceLockTest, RefusesLinksAndOtherThings) {
  std::error_code ignored;
  fs::create_symlink(directory_ + "/target", directory_ + "/tilewright-gpu-GPU-1.lock", ignored);
  EXPECT_EQ(Acquire("GPU-1").status().code(), StatusCode::kUnavailable);
  EXPECT_FALSE(fs::exists(directory_ + "/target"));
  fs::create_directory(directory_ + "/tilewright-gpu-GPU-2.lock");
  EXPECT_EQ(Acquire("GPU-2").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(DeviceLock::Acquire("/nonexistent", "GPU-3", {}).status().code(),
            StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tw
