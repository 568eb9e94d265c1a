// Several versions: where a change came in.

#include "analysis/regress/known_command.h"
#include "analysis/regress/report.h"

#include <gmock/gmock.h>

#include "analysis/render/page.h"
#include "core/base/error.h"

namespace benanza::regress {
namespace {

using testing::HasSubstr;

Judged judged(const std::string& unit, Verdict verdict, double ratio) {
  return {.unit = unit, .verdict = verdict, .ratio = ratio};
}

// a: slower in 3.2, faster again in 3.7. b: slower in 3.7. c: only faster. d: noise.
const std::vector<GateAnswer> answers{
    {.judged = {judged("a", Verdict::kernel, 1.5), judged("c", Verdict::faster, 0.5)},
     .compared = 10},
    {.judged = {judged("b", Verdict::heuristic, 1.2), judged("a", Verdict::faster, 0.7),
                judged("d", Verdict::noise, 1.01)},
     .compared = 10}};

TEST(Versions, AChangeCameInWithTheFirstRegression) {
  const std::vector<VersionChange> changes = version_changes(answers);
  ASSERT_THAT(changes, testing::SizeIs(3));
  EXPECT_EQ(changes[0].unit, "a");
  EXPECT_EQ(changes[0].came_in(), 0U);
  EXPECT_EQ(changes[1].unit, "b");
  EXPECT_EQ(changes[1].came_in(), 1U);
  EXPECT_FALSE(changes[1].steps[0]);
  EXPECT_EQ(changes[2].unit, "c");
  EXPECT_FALSE(changes[2].came_in());
}

TEST(Versions, TheTableHasAColumnForEachVersion) {
  const analysis::Section section = versions_section("onednn", {"2.6.3", "3.2", "3.7"}, answers);
  const std::string text =
      analysis::page_text({.command = "regress", .sections = {section}}, "table", 100);
  EXPECT_THAT(text, HasSubstr("3.2: 1 of 10 problems first became slower here"));
  EXPECT_THAT(text, testing::ContainsRegex("3\\.2 +1\\.50 kernel +0\\.70 faster +a"));
  EXPECT_THAT(text, testing::ContainsRegex("3\\.7 += +1\\.20 heuristic +b"));
  EXPECT_THAT(text, testing::ContainsRegex("- +0\\.50 faster += +c"));
}

TEST(VersionList, IsALibraryAndPlaces) {
  const VersionList list = parse_version_list("onednn=here,/opt/a");
  EXPECT_EQ(list.backend, "onednn");
  EXPECT_THAT(list.places, testing::ElementsAre("here", "/opt/a"));
  EXPECT_THROW(parse_version_list("here,/opt/a"), Error);
  EXPECT_THROW(parse_version_list("onednn="), Error);
}

}  // namespace
}  // namespace benanza::regress
