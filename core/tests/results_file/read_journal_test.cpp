#include "core/results_file/read_rows.h"

#include <gmock/gmock.h>

#include "core/tests/folder.h"
#include "core/tests/results_text.h"

namespace benanza {
namespace {

using testing::ElementsAre;

const std::string origin =
    R"({"schema":1,"backend":"onednn","system":{"threads":"2","cpu_model":"a CPU"}})";

std::string line(const std::string& key, std::int64_t repetition, double seconds) {
  Row row{.variant = parse_variant_name(key + "/fp32/nchw/onednn/jit"),
          .repetition = repetition,
          .samples = {seconds}};
  return row_text(row) + '\n';
}

struct Journals : testing::Test {
  test::Folder folder;
  std::filesystem::path file = folder / "r.json";

  std::vector<std::string> read() const {
    std::vector<std::string> found;
    const auto add = [&](Row&& row) {
      found.push_back(row.variant.key + ' ' + std::to_string(row.repetition) + ' ' +
                      std::to_string(row.samples.front() * 1e6).substr(0, 1));
    };
    read_rows_and_journal(
        file, {.begin = [&](const Origin& one) { found.push_back(one.backend); }, .add = add});
    return found;
  }
};

std::string without_break(std::string text) {
  text.pop_back();
  return text;
}

TEST(ParseJournal, LeavesOutWhatIsDamagedAndKeepsTheLastRowOfEachRepetition) {
  const std::vector<std::string> lines{origin, without_break(line("relu/1x8", 0, 1e-6)), "damaged",
                                       without_break(line("relu/1x9", 0, 2e-6)),
                                       without_break(line("relu/1x8", 0, 3e-6))};
  const auto journal = parse_journal(lines);
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->origin.backend, "onednn");
  ASSERT_EQ(journal->rows.size(), 2U);
  EXPECT_EQ(journal->rows[0].samples.front(), 3e-6);
  EXPECT_EQ(journal->rows[1].samples.front(), 2e-6);
}

TEST(ParseJournal, BeginsWithItsOrigin) {
  EXPECT_TRUE(parse_journal(std::vector{origin}));
  EXPECT_FALSE(parse_journal({}));
  EXPECT_FALSE(parse_journal(std::vector<std::string>{"words", origin}));
  EXPECT_FALSE(
      parse_journal(std::vector<std::string>{R"({"schema":0,"backend":"onednn","system":{}})"}));
}

TEST_F(Journals, AreReadBeforeTheFileExists) {
  folder.write("r.json.journal", origin + '\n' + line("relu/1x8", 0, 1e-6) +
                                     line("relu/1x9", 0, 2e-6) + line("relu/1x8", 0, 3e-6));
  EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x8 0 3", "relu/1x9 0 2"));
}

TEST_F(Journals, ReplaceRowsOfTheFile) {
  folder.write("r.json",
               test::results_text(test::row("relu/1x8/fp32/nchw/onednn/jit", "[7e-6]") + ',' +
                                  test::row("relu/1x7/fp32/nchw/onednn/jit", "[5e-6]")));
  EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x8 0 7", "relu/1x7 0 5"));
  folder.write("r.json.journal",
               origin + '\n' + line("relu/1x8", 0, 1e-6) + line("relu/1x8", 1, 2e-6));
  EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x7 0 5", "relu/1x8 0 1", "relu/1x8 1 2"));
}

TEST_F(Journals, MayBeAtWork) {
  const std::string half = line("relu/1x9", 0, 2e-6);
  folder.write("r.json.journal", origin + '\n' + line("relu/1x8", 0, 1e-6) + "damaged\n" +
                                     half.substr(0, half.size() / 2));
  EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x8 0 1"));
  // All but its end.
  folder.write("r.json.journal",
               origin + '\n' + line("relu/1x8", 0, 1e-6) + half.substr(0, half.size() - 1));
  EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x8 0 1"));
  folder.write("r.json", test::results_text(test::row("relu/1x7/fp32/nchw/onednn/jit", "[5e-6]")));
  for (const char* nothing : {"", "{\"schema\":1,\"back", "words\n"}) {
    folder.write("r.json.journal", nothing);
    EXPECT_THAT(read(), ElementsAre("onednn", "relu/1x7 0 5")) << nothing;
  }
}

}  // namespace
}  // namespace benanza
