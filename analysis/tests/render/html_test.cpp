// HTML pages: chapters, tables and what their rows open.

#include <gmock/gmock.h>

#include "analysis/render/svg.h"
#include "analysis/render/table.h"

namespace benanza::analysis {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Layers with their times; a and c are equal.
Sheet layers() {
  struct Layer {
    std::string name{};
    double seconds = 0;
  };
  const Table<Layer> table{{"layer", "", &Layer::name}, {"us", "", micro, &Layer::seconds}};
  return table.sheet(std::vector<Layer>{{"a", 1e-6}, {"b", 2e-6}, {"c", 1e-6}},
                     {.caption = "layers", .largest_by = 1, .equal_ones = "layers"});
}

std::string html_of(Sheet sheet) {
  Page page;
  page.sections.push_back({.heading = "bound"});
  page.sections.back().add(std::move(sheet));
  return page_html(page, "report");
}

TEST(Html, EqualRowsAreOneWithTheirNumber) {
  EXPECT_THAT(html_of(layers()),
              AllOf(HasSubstr("<summary>layers (3 rows, equal ones once)</summary>"),
                    HasSubstr("<tr><td>b</td><td class=\"n\">1</td><td class=\"n\">2.0</td></tr>\n"
                              "<tr><td>a</td><td class=\"n\">2</td><td class=\"n\">1.0</td></tr>\n"
                              "</tbody>")));
}

TEST(Html, ARowOpensItsLinesAndNamesItsEqualOnes) {
  Sheet sheet = layers();
  std::vector<std::size_t> asked;
  sheet.opens = [&](std::size_t row) {
    asked.push_back(row);
    return "1 < " + std::to_string(row);
  };
  EXPECT_THAT(
      html_of(sheet),
      AllOf(HasSubstr("<tr><td><details><summary>b</summary></details></td>"),
            HasSubstr("<tr class=\"o\"><td colspan=\"3\"><pre>1 &lt; 1</pre></td></tr>\n"),
            HasSubstr("<tr class=\"o\"><td colspan=\"3\"><pre>a, c\n1 &lt; 0</pre></td></tr>\n")));
  EXPECT_THAT(asked, testing::ElementsAre(1, 0));
}

TEST(Html, ChaptersOfSeveralModelsAreClosedAndThoseOfOneOpen) {
  Page page;
  page.sections = {{.heading = "Overview"},
                   {.heading = "bound", .group = "lenet"},
                   {.heading = "fusion", .group = "lenet"}};
  EXPECT_THAT(page_html(page, "report"),
              AllOf(HasSubstr("<nav><a href=\"#c0\">Overview</a> <a href=\"#c1\">bound</a> "
                              "<a href=\"#c2\">fusion</a> </nav>"),
                    HasSubstr("<h2 id=\"c0\">Overview</h2>"),
                    HasSubstr("<details class=\"g\" open><summary><h2 id=\"g1\">lenet</h2>"),
                    HasSubstr("<h3 id=\"c2\">fusion</h3>")));
  page.sections.push_back({.heading = "bound", .group = "alexnet"});
  EXPECT_THAT(
      page_html(page, "report"),
      AllOf(HasSubstr("<nav><a href=\"#c0\">Overview</a> <a href=\"#g1\">lenet</a> "
                      "<a href=\"#g2\">alexnet</a> </nav>"),
            HasSubstr("<details class=\"g\"><summary><h2 id=\"g2\">alexnet</h2>"),
            HasSubstr("<nav><a href=\"#c1\">bound</a> <a href=\"#c2\">fusion</a> </nav>"),
            Not(HasSubstr("<a href=\"#c3\">")), Not(HasSubstr("<details class=\"g\" open>"))));
}

TEST(Html, IsOneFileThatLoadsNothing) {
  EXPECT_THAT(html_of(layers()),
              AllOf(HasSubstr("<style>\nbody {"), HasSubstr("<script>\n"), Not(HasSubstr("src=")),
                    Not(HasSubstr("url(")), Not(HasSubstr("@import")), Not(HasSubstr("fetch("))));
}

TEST(Curves, FarApartHaveLogarithmicAxes) {
  const auto picture = [](double least, bool of_shares) {
    return svg(Curves{.title = "throughput",
                      .curves = {{.name = "", .points = {{least, 10}, {100, 30}}}},
                      .x_name = "batch",
                      .y_name = "ms",
                      .of_shares = of_shares});
  };
  // From 1 at 70 to 100 at 840: 10 is in the middle.
  EXPECT_THAT(picture(1, false), AllOf(HasSubstr("batch (logarithmic)"), HasSubstr(">ms<"),
                                       HasSubstr("<text x=\"455.0\" y=\"344.0\" "
                                                 "text-anchor=\"middle\">10</text>")));
  EXPECT_THAT(picture(6, false), Not(HasSubstr("logarithmic")));
  EXPECT_THAT(picture(0, false), Not(HasSubstr("logarithmic")));
  EXPECT_THAT(picture(1, true), Not(HasSubstr("logarithmic")));
}

}  // namespace
}  // namespace benanza::analysis
