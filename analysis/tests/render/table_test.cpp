#include "analysis/render/table.h"

#include <gmock/gmock.h>

#include "analysis/render/svg.h"
#include "analysis/render/text.h"

namespace benanza::analysis {
namespace {

enum class Colour { red, blue };
std::string_view to_string(Colour colour) { return colour == Colour::red ? "red" : "blue"; }

struct Row {
  std::string name{};
  std::optional<double> seconds{};
  std::size_t calls = 0;
  bool fused = false;
  Colour colour = Colour::red;

  double share() const { return seconds.value_or(0) / 4e-6; }
};

const Table<Row> columns{
    {"layer", "layer", &Row::name, 5},        {"us", "seconds", micro, &Row::seconds},
    {"share", "share", percent, &Row::share}, {"calls", "calls", &Row::calls},
    {"fused", "fused", &Row::fused},          {"colour", "", &Row::colour}};
const std::vector<Row> rows{{"a|conv", 3e-6, 2, true, Colour::blue}, {"b", std::nullopt}};

/// One section with the table.
Page page_with(Sheet sheet) {
  Page page{.command = "bound", .flat = true};
  Section& section = page.sections.emplace_back(Section{.heading = "model", .csv_facts = {}});
  section.add("One sentence.");
  section.add(Entry{"  sum", "3 us"});
  section.add(Entry{"", "of two"});
  section.add(std::move(sheet));
  return page;
}

TEST(Text, SaysWhichTimeInterruptedRunsHave) {
  EXPECT_EQ(interruption_text(std::vector{1.0, 2.0, 3.0}),
            " (the least of 3 times: other programs interrupted most)");
  EXPECT_EQ(interruption_text(std::vector{1.0, 1.1, 3.0}), "");
}

TEST(Table, SaysAFactOnceForEveryFormat) {
  const Page page = page_with(columns.sheet(rows, {.name = "layers", .caption = "all layers"}));
  EXPECT_EQ(page_text(page, "table", 10), R"(model
  One sentence.
    sum  3 us
         of two

  all layers
  layer   us  share  calls  fused  colour
  ...nv  3.0  75.0%      2  yes    blue
  b        -   0.0%      0  no     red
)");
  EXPECT_EQ(page_text(page, "csv", 10),
            "layer,seconds,share,calls,fused\na|conv,3e-06,0.75,2,true\nb,,0.0,0,false\n");
  EXPECT_EQ(page_text(page, "markdown", 1), R"(# Benanza: bound

## model

One sentence.

- **sum**: 3 us
  - of two

**all layers**

|layer|us|share|calls|fused|colour|
|:--|--:|--:|--:|:--|:--|
|a\|conv|3.0|75.0%|2|yes|blue|

the first 1 of 2; --rows all shows all
)");
}

// Three layers of one problem and two others; the third of them is the smallest.
TEST(Table, EqualRowsAreOneLineWithTheirNumber) {
  const std::vector<Row> equal{
      {"a", 1e-6, 1}, {"b", 2e-6, 1}, {"c", 0.5e-6, 2}, {"d", 1e-6, 1}, {"e", 1e-6, 1}};
  Sheet sheet = columns.sheet(
      equal, {.largest_by = 1, .share = Sheet::Share{2, "the sum"}, .equal_ones = "layers"});
  EXPECT_EQ(page_text(page_with(sheet), "table", 2), R"(model
  One sentence.
    sum  3 us
         of two

  layer  layers   us  share  calls  fused  colour
  b           1  2.0  50.0%      1  no     red
  a           3  1.0  25.0%      1  no     red
  the largest 4 of 5, 125.0% of the sum; --rows all shows all
)");
  EXPECT_THAT(page_text(page_with(sheet), "table", 3),
              testing::HasSubstr("  all 5, equal ones once"));
  EXPECT_THAT(page_text(page_with(sheet), "markdown", 2),
              testing::HasSubstr("|a|3|1.0|25.0%|1|no|red|"));
  // All rows are all rows.
  EXPECT_THAT(page_text(page_with(sheet), "table", 5), testing::HasSubstr("\n  e      1.0"));
  // Nothing is equal, or shall be one.
  EXPECT_THAT(page_text(page_with(columns.sheet(rows, {.equal_ones = "layers"})), "table", 1),
              testing::Not(testing::HasSubstr("layers")));
  sheet.equal_ones.clear();
  EXPECT_THAT(page_text(page_with(sheet), "table", 2), testing::HasSubstr("the largest 2 of 5"));
}

TEST(Table, IsAListOfObjectsInJson) {
  Table<Row> table{{"layer", "name", &Row::name}};
  table.add_if(true, {{"us", "seconds", micro, &Row::seconds}});
  table.add_if(false, {{"calls", "calls", &Row::calls}});
  EXPECT_EQ(table.json(rows).dump(),
            R"([{"name":"a|conv","seconds":3e-06},{"name":"b","seconds":null}])");
}

TEST(Table, AlignsNumbersToTheRight) {
  const Sheet sheet = columns.sheet(rows);
  std::vector<bool> right;
  for (const Sheet::Column& column : sheet.columns) right.push_back(column.number);
  EXPECT_THAT(right, testing::ElementsAre(false, true, true, true, false, false));
}

TEST(Cell, OfWhatIsNotKnown) {
  EXPECT_EQ(cell(std::optional<std::string>()).shown, "-");
  EXPECT_EQ(cell(std::optional<bool>()).shown, "?");
  EXPECT_EQ(cell(std::optional<Interval>()).shown, "");
  EXPECT_TRUE(cell(std::optional<double>(), milli).value.is_null());
}

TEST(Bars, HaveACategoryForEachRow) {
  const Bars plot = bars({.series = {{"us"}, {"calls"}}}, rows, &Row::name, &Row::seconds,
                         [](const Row& row) { return static_cast<double>(row.calls); });
  EXPECT_THAT(plot.categories, testing::ElementsAre("a|conv", "b"));
  EXPECT_THAT(plot.series[0].values, testing::ElementsAre(3e-6, std::nullopt));
  EXPECT_THAT(plot.series[1].values, testing::ElementsAre(2.0, 0.0));
}

TEST(Bars, OfModelsFarApartHaveALogarithmicAxis) {
  const auto picture = [](double largest, bool of_models) {
    return svg(Bars{.title = "ms",
                    .categories = {"small", "large"},
                    .series = {{"ms", {1.0, largest}}},
                    .of_models = of_models});
  };
  // From 0.1 to 100: the smallest reaches a third, the largest 5/6 of the width.
  const std::string far_apart = picture(31.6227766, true);
  EXPECT_THAT(far_apart, testing::HasSubstr("ms (logarithmic axis)"));
  EXPECT_THAT(far_apart, testing::HasSubstr(">0.1<"));
  EXPECT_THAT(picture(31.6, false), testing::Not(testing::HasSubstr("logarithmic")));
  EXPECT_THAT(picture(19, true), testing::Not(testing::HasSubstr("logarithmic")));
  EXPECT_THAT(picture(0, true), testing::Not(testing::HasSubstr("logarithmic")));
  EXPECT_THAT(svg(Bars{.title = "ms",
                       .categories = {"one"},
                       .series = {{"bound", {1.0}}, {"framework", {30.0}}},
                       .of_models = true}),
              testing::Not(testing::HasSubstr("logarithmic")));
}

/// Two points, the second without a line of code.
Page page_with_points() {
  Page page{.command = "findings"};
  Section& section = page.sections.emplace_back(Section{.heading = "model", .csv_facts = {}});
  section.add(Points{.title = "What would help most",
                     .points = {{.head = "gaps: 3 ms", .lines = {"It waits."}, .code = "x = f(y)"},
                                {.head = "a < b", .lines = {"Less."}}},
                     .note = "Do not add them."});
  section.add(Entry{"sum", "3 us"});
  return page;
}

TEST(Points, AreNumberedInEveryFormat) {
  const Page page = page_with_points();
  EXPECT_EQ(page_text(page, "table", 10), R"(model
  What would help most

  1. gaps: 3 ms
     It waits.
         x = f(y)

  2. a < b
     Less.

  Do not add them.

  sum  3 us
)");
  EXPECT_EQ(page_markdown(page, 10), R"(# Benanza: findings

## model

**What would help most**

1. **gaps: 3 ms**\
   It waits.

   ```
   x = f(y)
   ```

2. **a < b**\
   Less.

Do not add them.

- **sum**: 3 us
)");
  EXPECT_THAT(page_html(page, "t"),
              testing::AllOf(testing::HasSubstr("<li><b>gaps: 3 ms</b><br>It waits.<pre>x = f(y)"),
                             testing::HasSubstr("<li><b>a &lt; b</b><br>Less.</li>")));
}

TEST(Points, AreWrappedBetweenWords) {
  EXPECT_EQ(wrapped("one two three", 10, "  "), "  one two\n  three\n");
  EXPECT_EQ(wrapped("incomprehensible", 10, "  "), "  incomprehensible\n");
}

}  // namespace
}  // namespace benanza::analysis
