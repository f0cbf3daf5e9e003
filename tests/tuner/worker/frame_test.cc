#include "tuner/worker/frame.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "tilewright/worker/v1/worker.pb.h"

namespace tw {
namespace {

namespace wire = tilewright::worker::v1;
using std::chrono::milliseconds;

class FrameTest : public ::testing::Test {
 public:
  FrameTest() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }

  ~FrameTest() override {
    CloseSender();
    close(ends_[1]);
  }

 protected:
  void CloseSender() {
    if (ends_[0] >= 0)
      close(ends_[0]);
    ends_[0] = -1;
  }

  void SendRaw(std::string_view bytes) {
    ASSERT_EQ(send(sender(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  [[nodiscard]] int sender() const { return ends_[0]; }

  [[nodiscard]] int receiver() const { return ends_[1]; }

  std::array<int, 2> ends_{};
};

wire::Request Request(std::size_t text_bytes) {
  wire::Request request;
  request.set_seq(42);
  request.mutable_compile()->mutable_source()->set_entry("probe");
  request.mutable_compile()->mutable_source()->set_text(std::string(text_bytes, 't'));
  return request;
}

std::string Encoded(const google::protobuf::MessageLite& message) {
  const std::string body = message.SerializeAsString();
  std::string frame;
  for (std::size_t i = 0; i < 4; ++i)
    frame.push_back(static_cast<char>((body.size() >> (8 * i)) & 0xFF));
  return frame + body;
}

TEST_F(FrameTest, CarriesMessagesInOrder) {
  ASSERT_TRUE(WriteFrame(sender(), Request(10)).ok());
  ASSERT_TRUE(WriteFrame(sender(), wire::Request()).ok());  // an empty body
  ASSERT_TRUE(WriteFrame(sender(), Request(0)).ok());
  wire::Request got;
  ASSERT_TRUE(ReadFrame(receiver(), &got).ok());
  EXPECT_EQ(got.SerializeAsString(), Request(10).SerializeAsString());
  ASSERT_TRUE(ReadFrame(receiver(), &got, milliseconds(1000)).ok());
  EXPECT_EQ(got.seq(), 0U);
  ASSERT_TRUE(ReadFrame(receiver(), &got).ok());
  EXPECT_EQ(got.compile().source().text(), "");
}

TEST_F(FrameTest, LengthIsLittleEndian) {
  ASSERT_TRUE(WriteFrame(sender(), Request(300)).ok());
  std::string bytes(Encoded(Request(300)).size(), '\0');
  ASSERT_EQ(recv(receiver(), bytes.data(), bytes.size(), MSG_WAITALL),
            static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(bytes, Encoded(Request(300)));
}

TEST_F(FrameTest, LargerThanTheSocketsBuffer) {
  const wire::Request request = Request(8U << 20);
  std::jthread writer([&] { EXPECT_TRUE(WriteFrame(sender(), request).ok()); });
  wire::Request got;
  ASSERT_TRUE(ReadFrame(receiver(), &got, milliseconds(60'000)).ok());
  EXPECT_EQ(got.compile().source().text().size(), 8U << 20);
}

TEST_F(FrameTest, ArrivesByteByByte) {
  const std::string frame = Encoded(Request(5));
  std::jthread writer([&] {
    for (const char byte : frame)
      SendRaw({&byte, 1});
  });
  wire::Request got;
  ASSERT_TRUE(ReadFrame(receiver(), &got, milliseconds(60'000)).ok());
  EXPECT_EQ(got.compile().source().text(), "ttttt");
}

TEST_F(FrameTest, ClosedPeerIsUnavailableWhereverItStops) {
  const std::string frame = Encoded(Request(20));
  for (std::size_t size = 0; size < frame.size(); ++size) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ASSERT_EQ(send(ends[0], frame.data(), size, 0), static_cast<ssize_t>(size));
    close(ends[0]);
    wire::Request got;
    EXPECT_EQ(ReadFrame(ends[1], &got, milliseconds(1000)).code(), StatusCode::kUnavailable)
        << "after " << size << " bytes";
    close(ends[1]);
  }
}

TEST_F(FrameTest, SilentPeerIsDeadlineExceededAlsoWithinAFrame) {
  wire::Request got;
  EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(0)).code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(20)).code(), StatusCode::kDeadlineExceeded);
  SendRaw(Encoded(Request(20)).substr(0, 9));
  EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(20)).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, TrickleDoesNotExtendTheDeadline) {
  std::jthread writer([&](const std::stop_token& stop) {
    SendRaw(std::string("\0\0\x10\0", 4));  // promises 1 MiB
    while (!stop.stop_requested() && send(sender(), "x", 1, MSG_NOSIGNAL) == 1)
      usleep(1000);
  });
  wire::Request got;
  EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(100)).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, OversizedLengthIsDataLossBeforeAnyAllocation) {
  for (const std::string& header :
       {std::string("\xff\xff\xff\xff", 4), std::string("\x01\x00\x00\x04", 4)}) {
    SendRaw(header);
    wire::Request got;
    EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(1000)).code(), StatusCode::kDataLoss);
  }
}

TEST_F(FrameTest, OversizedMessageIsNotSent) {
  EXPECT_EQ(WriteFrame(sender(), Request(kMaxFrameBytes)).code(), StatusCode::kInvalidArgument);
  wire::Request got;
  EXPECT_EQ(ReadFrame(receiver(), &got, milliseconds(0)).code(), StatusCode::kDeadlineExceeded);
}

TEST_F(FrameTest, WriteToAClosedPeerIsUnavailableAndNoSignal) {
  close(ends_[1]);
  EXPECT_EQ(WriteFrame(sender(), Request(1)).code(), StatusCode::kUnavailable);
  ends_[1] = -1;
}

TEST_F(FrameTest, WriteToAPeerThatDoesNotReadGivesUp) {
  const timeval limit{.tv_sec = 0, .tv_usec = 20'000};
  ASSERT_EQ(setsockopt(sender(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
  EXPECT_EQ(WriteFrame(sender(), Request(8U << 20)).code(), StatusCode::kUnavailable);
}

TEST_F(FrameTest, RandomBytesNeverDoWorseThanAnError) {
  std::mt19937 random(20261129);
  for (int round = 0; round < 3000; ++round) {
    std::string body(random() % 200, '\0');
    for (char& byte : body)
      byte = static_cast<char>(random());
    SendRaw(std::string(1, static_cast<char>(body.size())) + std::string(3, '\0') + body);
    wire::Reply got;
    const Status status = ReadFrame(receiver(), &got, milliseconds(1000));
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kDataLoss) << status.ToString();
  }
}

TEST_F(FrameTest, FlippedBytesOfARealFrameNeverDoWorseThanAnError) {
  const std::string frame = Encoded(Request(30));
  for (std::size_t at = 0; at < frame.size(); ++at) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::string damaged = frame;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
    ASSERT_EQ(send(ends[0], damaged.data(), damaged.size(), 0),
              static_cast<ssize_t>(damaged.size()));
    close(ends[0]);
    wire::Request got;
    const Status status = ReadFrame(ends[1], &got, milliseconds(1000));
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kDataLoss ||
                status.code() == StatusCode::kUnavailable)
        << status.ToString();
    close(ends[1]);
  }
}

}  // namespace
}  // namespace tw
