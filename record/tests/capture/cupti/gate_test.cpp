#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "core/base/error.h"
#include "record/capture/cupti/buffers.h"
#include "record/capture/cupti/control.h"
#include "record/capture/cupti/nvtx_ranges.h"

namespace benanza::record {
namespace {

TEST(RangeGate, WithoutANameItIsAlwaysOpen) { EXPECT_TRUE(RangeGate("").is_open()); }

TEST(RangeGate, OpensWithTheRangeOfItsNameAndWhatIsInside) {
  RangeGate gate("step");
  EXPECT_FALSE(gate.is_open());
  gate.push(1, nullptr, "epoch");
  EXPECT_FALSE(gate.is_open());
  gate.push(1, nullptr, "step");
  gate.push(1, nullptr, "layer");
  EXPECT_TRUE(gate.is_open());
  gate.pop(1, nullptr);
  EXPECT_TRUE(gate.is_open());
  gate.pop(1, nullptr);
  EXPECT_FALSE(gate.is_open());
  gate.pop(1, nullptr);
  gate.pop(1, nullptr);  // pushed before callbacks were enabled
  EXPECT_FALSE(gate.is_open());
}

TEST(RangeGate, ThreadsAndDomainsHaveStacksOfTheirOwn) {
  RangeGate gate("step");
  int domain = 0;
  gate.push(1, nullptr, "step");
  gate.push(1, &domain, "step");
  gate.push(2, nullptr, "other");
  gate.pop(2, nullptr);
  gate.pop(1, nullptr);
  EXPECT_TRUE(gate.is_open());
  gate.pop(1, &domain);
  EXPECT_FALSE(gate.is_open());
}

TEST(RangeGate, RangesThatOtherThreadsEnd) {
  RangeGate gate("step");
  gate.start(7, "step");
  gate.start(8, "other");
  gate.end(8);
  EXPECT_TRUE(gate.is_open());
  gate.end(7);
  gate.end(7);
  EXPECT_FALSE(gate.is_open());
}

TEST(Buffers, AreNeverMoreThanTheMost) {
  Buffers buffers(64, 2);
  std::uint8_t* const one = buffers.take();
  std::uint8_t* const two = buffers.take();
  ASSERT_NE(one, nullptr);
  ASSERT_NE(two, nullptr);
  EXPECT_NE(one, two);
  EXPECT_EQ(buffers.take(), nullptr);
  buffers.give_back(one);
  EXPECT_EQ(buffers.take(), one);
  EXPECT_EQ(buffers.allocated(), 2);
}

TEST(Control, BothSidesSeeTheSame) {
  const auto file =
      std::filesystem::temp_directory_path() / ("benanza_control_" + std::to_string(::getpid()));
  {
    Control recorder = Control::create(file);
    const Control process = Control::open(file);
    ASSERT_TRUE(process.is_there());
    EXPECT_FALSE(process.is_active());
    recorder.set_active(true);
    EXPECT_TRUE(process.is_active());
    const auto beat = process.beat();
    recorder.count_beat();
    EXPECT_NE(process.beat(), beat);
    EXPECT_THROW(Control::create(file), Error);
  }
  std::filesystem::remove(file);
  EXPECT_FALSE(Control::open(file).is_there());
}

}  // namespace
}  // namespace benanza::record
