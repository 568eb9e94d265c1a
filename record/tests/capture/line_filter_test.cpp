#include "record/capture/line_filter.h"

#include <gmock/gmock.h>

namespace benanza::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Filters lines that start with "log," or "oldlog,", and refuses those that end with "?".
struct Fixture {
  std::string passed;
  std::vector<std::string> taken;
  LineFilter filter{{"log,", "oldlog,"},
                    [this](std::string_view line) {
                      if (line.ends_with('?')) return false;
                      taken.emplace_back(line);
                      return true;
                    },
                    [this](std::string_view bytes) { passed += bytes; }};
};

TEST(LineFilter, TakesItsLinesOutOfTheOthers) {
  Fixture f;
  f.filter.feed("one\nlog,1\ntwo\nlog,2\n");
  EXPECT_EQ(f.passed, "one\ntwo\n");
  EXPECT_THAT(f.taken, ElementsAre("log,1", "log,2"));
}

TEST(LineFilter, EverySplitOfTheBytesGivesTheSame) {
  const std::string text = "a lo\nlog,1\nwait: log,2\nlollog,3\noldlog,4\nlog,is what?\nend";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    Fixture f;
    f.filter.feed(std::string_view(text).substr(0, cut));
    f.filter.feed(std::string_view(text).substr(cut));
    f.filter.end();
    EXPECT_EQ(f.passed, "a lo\nwait: lollog,is what?\nend") << cut;
    EXPECT_THAT(f.taken, ElementsAre("log,1", "log,2", "log,3", "oldlog,4")) << cut;
  }
}

TEST(LineFilter, LineWithinALineThatWasCut) {
  Fixture f;
  f.filter.feed("log,cut log,1?log,2\n");
  EXPECT_THAT(f.taken, ElementsAre("log,cut log,1?log,2"));
  f.filter.feed("log,what?\nlog,3\n");
  EXPECT_EQ(f.passed, "log,what?\n");
}

TEST(LineFilter, PromptIsNotHeldBack) {
  Fixture f;
  f.filter.feed("Go on? lo");
  EXPECT_EQ(f.passed, "Go on? ");
  f.filter.idle();
  EXPECT_EQ(f.passed, "Go on? lo");
  f.filter.feed("g,4 is text now\n");
  EXPECT_THAT(f.taken, IsEmpty());
}

TEST(LineFilter, IdleDoesNotCutALineOfTheLog) {
  Fixture f;
  f.filter.feed("log,");
  f.filter.idle();
  f.filter.feed("5\n");
  EXPECT_EQ(f.passed, "");
  EXPECT_THAT(f.taken, ElementsAre("log,5"));
}

TEST(LineFilter, EndlessLinePasses) {
  Fixture f;
  const std::string line = "log," + std::string(3 * LineFilter::longest_line, 'x');
  for (std::size_t at = 0; at < line.size(); at += 1000) f.filter.feed(line.substr(at, 1000));
  EXPECT_GT(f.passed.size(), 2 * LineFilter::longest_line);
  f.filter.end();
  EXPECT_EQ(f.passed, line);
}

}  // namespace
}  // namespace benanza::record
