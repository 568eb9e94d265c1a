// Lists of public failures.
#include <gmock/gmock.h>

#include <set>

#include "analysis/regress/known_failures.h"
#include "analysis/tests/regress/known_failure.h"
#include "core/base/error.h"

namespace benanza::regress {
namespace {

using test::known_failure;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* heading =
    "library\tprecision\tproblem\tsize\tfrom\tto\tfixed\twhere\tsymptom\tsource\tnote\n";

std::string refusal(const std::string& row) {
  try {
    parse_known_failures(heading + row, "list.tsv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(KnownLists, TheListsParseAndHaveEnough) {
  const std::vector<KnownFailure> all = built_in_failures();
  EXPECT_GE(all.size(), 20U);
  std::set<std::string> libraries;
  std::set<Symptom> symptoms;
  for (const KnownFailure& one : all) {
    libraries.insert(one.library);
    symptoms.insert(one.symptom);
    EXPECT_FALSE(one.from && one.to && !one.from->is_up_to(*one.to)) << one.key;
    EXPECT_FALSE(one.fixed && one.to && *one.fixed <= *one.to) << one.key;
  }
  EXPECT_THAT(libraries, testing::ElementsAre("cublas", "cudnn", "onednn"));
  EXPECT_THAT(symptoms, SizeIs(7));
}

TEST(KnownLists, ARowThatDoesNotParseIsNamed) {
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\n"), HasSubstr("list.tsv:2: 3 columns, not 11"));
  const std::string tail = "\tslow\thttps://a\t\n";
  EXPECT_THAT(refusal("onednn\tfp31\trelu/8\tsource\t\t*\t\t" + tail), HasSubstr("\"fp31\""));
  EXPECT_THAT(refusal("onednn\tfp32\tnothing/8\tsource\t\t*\t\t" + tail), HasSubstr("nothing"));
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\tsource\tnew\t*\t\t" + tail),
              HasSubstr("from \"new\""));
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\tsource\t\t\t\t" + tail), HasSubstr("to: a version"));
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\tsource\t\t*\t\tisa" + tail),
              HasSubstr("where \"isa\""));
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\tsource\t\t*\t\t\todd\thttps://a\t\n"),
              HasSubstr("\"odd\""));
  EXPECT_THAT(refusal("onednn\tfp32\trelu/8\tmine\t\t*\t\t" + tail), HasSubstr("size \"mine\""));
  EXPECT_EQ(refusal("onednn\tfp32\trelu/8\tsource\t\t*\t\t" + tail), "");
}

TEST(KnownLists, VersionsAreNumbers) {
  EXPECT_LT(*Version::parse("9.9"), *Version::parse("9.10"));
  EXPECT_EQ(*Version::parse("3.2"), *Version::parse("3.2.0"));
  EXPECT_TRUE(Version::parse("9.10.2")->is_up_to(*Version::parse("9.10")));
  EXPECT_FALSE(Version::parse("9.11")->is_up_to(*Version::parse("9.10")));
  EXPECT_FALSE(Version::parse("2.x"));
  EXPECT_FALSE(Version::parse(""));
}

TEST(KnownLists, ASourceSaysWhichVersionsHaveIt) {
  KnownFailure one = known_failure(Symptom::slow);
  const auto in = [&](const char* version, const System& system = {}) {
    return presence(one, *Version::parse(version), system);
  };
  EXPECT_EQ(in("2.4"), Presence::no);
  EXPECT_EQ(in("2.5"), Presence::yes);
  EXPECT_EQ(in("2.6.3"), Presence::yes);
  EXPECT_EQ(in("2.7"), Presence::unknown);
  EXPECT_EQ(in("3.0"), Presence::no);
  one.member = "cpu_isa";
  one.values = {"avx2"};
  EXPECT_EQ(in("2.5", {{"cpu_isa", "avx512_core"}}), Presence::no);
  EXPECT_EQ(in("2.5", {{"cpu_isa", "avx2"}}), Presence::yes);
  EXPECT_EQ(in("2.5"), Presence::unknown);
}

TEST(KnownLists, EachProblemIsACaseOnce) {
  const std::vector<KnownFailure> twice{known_failure(Symptom::slow),
                                        known_failure(Symptom::crash)};
  EXPECT_EQ(cases_text(twice), "# Problems of known failures.\nrelu/8 fp32 -> ok if supported\n");
}

}  // namespace
}  // namespace benanza::regress
