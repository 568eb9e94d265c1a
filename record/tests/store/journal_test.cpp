#include "record/store/journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "core/base/error.h"

namespace benanza {
namespace {

using testing::ElementsAre;

class Journal : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path); }
  FileDescriptor open() const {
    return FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
  }
  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("benanza_journal_" + std::to_string(::getpid()));
  const KernelEvent kernel{.at = {.start = 1'700'000'000'000'000'001,
                                  .end = 1'700'000'000'000'000'011,
                                  .device = 1,
                                  .context = 2,
                                  .stream = 3,
                                  .correlation = 4,
                                  .graph = 5,
                                  .node = 6},
                           .name = "sgemm",
                           .grid = {7, 8, 9},
                           .block = {10, 11, 12},
                           .registers = 13,
                           .static_shared_bytes = 14,
                           .dynamic_shared_bytes = 15};
};

TEST_F(Journal, EveryKindComesBack) {
  const std::vector<Event> events{
      ClockEvent{.time = -1, .unix_nanoseconds = 2},
      NoteEvent{.is_error = true, .text = "no room"},
      DeviceEvent{.id = 1,
                  .name = "GPU",
                  .capability_major = 9,
                  .capability_minor = 1,
                  .multiprocessors = 132,
                  .memory_bytes = 1ull << 37},
      kernel,
      CopyEvent{.at = kernel.at, .direction = "host to device", .bytes = 1ull << 40},
      GraphEvent{.at = kernel.at},
      ApiEvent{.name = "cudaLaunchKernel",
               .start = 1,
               .end = 2,
               .thread = 3,
               .correlation = 4,
               .result = 5},
      MarkerEvent{.kind = MarkerEvent::Kind::end,
                  .id = 1,
                  .time = 2,
                  .thread = 3,
                  .name = "step",
                  .domain = "train"},
      LostEvent{.events = 1},
      CounterEvent{.launch = 1ull << 40,
                   .kernel = "sgemm",
                   .grid = {1, 2, 3},
                   .block = {4, 5, 6},
                   .counter = "dram__bytes_read.sum",
                   .value = 0.1},
      MemoryEvent{.time = 1,
                  .device = 2,
                  .is_freed = true,
                  .kind = "device",
                  .address = 1ull << 63,
                  .bytes = 1ull << 40}};
  ASSERT_EQ(events.size(), std::variant_size_v<Event>);
  JournalWriter writer(open());
  for (const Event& event : events) writer.add(event);
  writer.flush();
  JournalReader reader;
  std::size_t next = 0;
  const std::string all = bytes();
  EXPECT_EQ(reader.feed(all, [&](const Event& event) { EXPECT_EQ(event, events.at(next++)); }),
            all.size());
  EXPECT_EQ(next, events.size());
}

TEST_F(Journal, IsReadAsItGrowsByteByByte) {
  JournalWriter writer(open());
  writer.add(kernel);
  writer.add(LostEvent{.events = 3});
  writer.add(kernel);
  writer.flush();
  const std::string all = bytes();
  // A known name is not written again.
  EXPECT_EQ(all.find("sgemm"), all.rfind("sgemm"));
  JournalReader reader;
  std::vector<std::size_t> kinds;
  std::size_t done = 0;
  for (std::size_t end = 1; end <= all.size(); ++end) {
    done += reader.feed(std::string_view(all).substr(done, end - done), [&](const Event& event) {
      kinds.push_back(event.index());
      if (const auto* one = std::get_if<KernelEvent>(&event)) {
        EXPECT_EQ(*one, kernel);
      }
    });
  }
  EXPECT_EQ(done, all.size());
  EXPECT_THAT(
      kinds, ElementsAre(Event(kernel).index(), Event(LostEvent{}).index(), Event(kernel).index()));
}

TEST_F(Journal, AnyNumberOfNamesInBoundedMemory) {
  JournalWriter writer(open());
  constexpr int many = 100'000;
  for (int i = 0; i < many; ++i) {
    const std::string name = "kernel " + std::to_string(i);
    KernelEvent event = kernel;
    event.name = name;
    event.at.correlation = static_cast<std::uint32_t>(i);
    writer.add(event);
  }
  writer.flush();
  JournalReader reader;
  int next = 0;
  reader.feed(bytes(), [&](const Event& event) {
    const auto& one = std::get<KernelEvent>(event);
    EXPECT_EQ(one.name, "kernel " + std::to_string(next));
    EXPECT_EQ(one.at.correlation, next++);
  });
  EXPECT_EQ(next, many);
}

TEST_F(Journal, WhatWasFlushedSurvivesAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    JournalWriter writer(open());
    writer.add(kernel);
    writer.flush();
    writer.add(kernel);  // never flushed
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  JournalReader reader;
  int events = 0;
  reader.feed(bytes(), [&](const Event&) { ++events; });
  EXPECT_EQ(events, 1);
}

TEST_F(Journal, NoRoomEndsItQuietly) {
  JournalWriter writer(FileDescriptor(::open("/dev/full", O_WRONLY)));
  writer.add(kernel);
  EXPECT_TRUE(writer.is_good());
  writer.flush();
  EXPECT_FALSE(writer.is_good());
  writer.add(kernel);
  writer.flush();
}

TEST_F(Journal, WhatIsNoneIsRefused) {
  JournalReader other;
  EXPECT_THROW(other.feed("SQLite format 3", [](const Event&) {}), Error);
  JournalReader damaged;
  const std::string zero(5, '\0');
  EXPECT_THROW(damaged.feed(std::string(journal_magic) + zero, [](const Event&) {}), Error);
}

}  // namespace
}  // namespace benanza
