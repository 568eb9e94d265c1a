#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/results_file/origin.h"
#include "core/statistics/summary.h"

/// An unknown value is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    json = value ? Json(*value) : Json(nullptr);
  }
};

namespace benanza::analysis {

/// One value of a table, as text and for programs.
struct Cell {
  std::string shown{};
  nlohmann::ordered_json value{};
};

/// How people see a number: times `factor`, with `decimals`, before `suffix`. Programs get it as it
/// is.
struct Unit {
  double factor = 1;
  int decimals = 3;
  const char* suffix = "";
};
inline constexpr Unit micro{1e6, 1};
inline constexpr Unit milli{1e3, 3};
inline constexpr Unit mega{1e-6, 3};
inline constexpr Unit tera{1e-12, 3};
inline constexpr Unit thousandths{1, 3};
inline constexpr Unit whole{1, 0};
inline constexpr Unit times{1, 2, "x"};
inline constexpr Unit percent{100, 1, "%"};

/// "-", and null.
Cell unknown_cell();
/// Unknown if empty.
Cell cell(std::optional<double> number, const Unit& unit);

namespace detail {
Cell text_cell(std::string_view text);
Cell flag_cell(bool flag);
Cell interval_cell(const Interval& interval);
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
}  // namespace detail

/// A text, a count, a flag ("yes"), an interval of ratios, what to_string() says of it, or one of
/// these that may be unknown ("-"; a flag "?"; an interval "").
template <class T>
Cell cell(const T& value) {
  if constexpr (std::same_as<T, Cell>) {
    return value;
  } else if constexpr (detail::is_optional<T>) {
    if (value) return cell(*value);
    if (std::same_as<T, std::optional<bool>>) return {.shown = "?", .value = nullptr};
    if (std::same_as<T, std::optional<Interval>>) return {.shown = "", .value = nullptr};
    return unknown_cell();
  } else if constexpr (std::same_as<T, bool>) {
    return detail::flag_cell(value);
  } else if constexpr (std::integral<T>) {
    return {.shown = std::to_string(value), .value = value};
  } else if constexpr (std::same_as<T, Interval>) {
    return detail::interval_cell(value);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return detail::text_cell(value);
  } else {
    return detail::text_cell(to_string(value));
  }
}

/// Width of most columns.
inline constexpr std::size_t usual_width = 56;
/// Width of columns with names of layers.
inline constexpr std::size_t name_width = 44;
/// Width of columns that are never shortened.
inline constexpr std::size_t any_width = std::string::npos;

/// A table as it is shown; Table (table.h) makes it. Columns have a title for people and a name for
/// programs.
struct Sheet {
  struct Column {
    std::string title{};
    std::string name{};
    bool number = false;
    /// Maximum characters of a cell in text; the middle of a longer one is omitted.
    std::size_t width = usual_width;
  };
  /// Shares of a whole: `column` has each row's share, `whole` names the whole.
  struct Share {
    std::size_t column = 0;
    std::string whole{};
  };
  /// The name in JSON; a table without one is not for programs.
  std::string name{};
  /// For people; may be empty.
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};
  /// If not all rows are shown, those with the largest value in this column are. HTML always sorts
  /// by it, largest first.
  std::optional<std::size_t> largest_by{};
  /// If set, the shown rows' sum is stated below the table.
  std::optional<Share> share{};
  /// For people, below the table; may be empty.
  std::string note{};
  /// Always show all rows.
  bool all_rows = false;
  /// If set: unless all rows are shown, those that differ in the first column alone are one line,
  /// and a column of this title has their number. HTML always does this.
  std::string equal_ones{};
  /// Lines of text that a row opens in HTML; empty: none. Called only for HTML. What it references
  /// must live until then.
  std::function<std::string(std::size_t row)> opens{};
};

/// What a table shows to people: the columns and cells of its lines, and which part of the rows
/// they are ("the largest 15 of 54, 80.0% of the bound; --rows all shows all"; empty if they are
/// all).
struct Lines {
  std::vector<Sheet::Column> columns{};
  std::vector<std::vector<Cell>> rows{};
  std::string remark{};
  /// For every line, the rows of the table that it stands for, at least one.
  std::vector<std::vector<std::size_t>> members{};
};
/// At most so many lines, in the order of the rows.
Lines lines_of(const Sheet& sheet, std::size_t most);
/// As HTML shows the table: all rows, largest first, equal ones once.
Lines all_lines_of(const Sheet& sheet);
/// A list of objects.
nlohmann::ordered_json rows_json(const Sheet& sheet);

/// A name and its value; without a name it continues the entry above.
struct Entry {
  std::string name{};
  std::string value{};
};

/// "title: a, b and 3 more".
struct Names {
  std::string title{};
  std::vector<std::string> names{};
  /// Maximum number of names in text; empty: as many as a table's rows.
  std::optional<std::size_t> most{};
};

/// A numbered list. Each point begins with a line that stands out, and may end with a line to run
/// or to write in a program.
struct Points {
  struct Point {
    std::string head{};
    std::vector<std::string> lines{};
    std::string code{};
    /// By which points of several lists are ordered, the largest first.
    double weight = 0;
  };
  std::string title{};
  std::vector<Point> points{};
  /// Below them; may be empty.
  std::string note{};
};

/// One value for each category of a plot; empty if unknown (no bar).
struct Series {
  std::string name{};
  std::vector<std::optional<double>> values{};
};

/// Horizontal bars: the series of a category below each other or, if `stacked`, end to end as the
/// parts of one bar. `unit` follows the values.
struct Bars {
  std::string title{};
  std::vector<std::string> categories{};
  std::vector<Series> series{};
  std::string unit{};
  int decimals = 3;
  bool stacked = false;
  /// Also show the bars in text; all other plots are only in HTML.
  bool in_text = false;
  /// Values of different models: the axis is logarithmic if they span more than a factor of 20.
  bool of_models = false;
};

/// Steps from the first value down (or up) to the last, with the change of every step.
struct Waterfall {
  std::string title{};
  std::vector<std::pair<std::string, double>> steps{};
  std::string unit{};
  int decimals = 3;
};

/// Points below roofs, over two logarithmic axes.
struct Roofline {
  struct Point {
    double x = 0;
    double y = 0;
    /// Area, relative to the other points.
    double weight = 1;
    /// Tooltip.
    std::string label{};
    std::size_t series = 0;
  };
  /// min(slope * x, level).
  struct Roof {
    std::string name{};
    double slope = 0;
    double level = 0;
  };
  std::string title{};
  std::vector<Point> points{};
  std::vector<std::string> series{};
  std::vector<Roof> roofs{};
  std::string x_name{};
  std::string y_name{};
};

/// Lines through points. An axis is linear from 0, or logarithmic if its values, none of them 0,
/// span more than a factor of 20.
struct Curves {
  struct Curve {
    std::string name{};
    /// Ascending in x.
    std::vector<std::pair<double, double>> points{};
  };
  std::string title{};
  std::vector<Curve> curves{};
  std::string x_name{};
  std::string y_name{};
  /// Shares of a whole: both axes are linear.
  bool of_shares = false;
};

/// A schedule: pieces in lanes over time, from 0.
struct Gantt {
  struct Piece {
    std::size_t lane = 0;
    double begin = 0;
    double end = 0;
    std::size_t series = 0;
    /// Tooltip.
    std::string name{};
  };
  std::string title{};
  std::vector<std::string> lanes{};
  std::vector<Piece> pieces{};
  std::vector<std::string> series{};
  std::string unit{};
};

/// A piece of a section for people: a sentence, an entry, a list of names, a table, a plot.
using Block = std::variant<std::string, Entry, Names, Points, Sheet, Bars, Waterfall, Roofline,
                           Curves, Gantt>;

/// A section's contribution to a table of all models: one column, and one series of the bars titled
/// `plot` unless that is empty.
struct Headline {
  std::string title{};
  Cell cell{};
  std::string plot{};
  std::optional<double> plotted{};
  /// Unit of `plotted`.
  std::string unit{};
};

/// The answer to a question about one model, or about all.
struct Section {
  /// "resnet50_v1, batch 8, fp32".
  std::string heading{};
  /// Its title as a chapter of a report; empty: that of its question.
  std::string chapter{};
  /// Consecutive sections with the same title here are its chapters in HTML; empty: none.
  std::string group{};
  /// For programs: a JSON object, to which tables with a name are added as lists of objects.
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  /// Adds facts that are expensive to compute; called only for JSON. What it references must live
  /// until then.
  std::function<void(nlohmann::ordered_json& facts)> more_facts{};
  /// For people, in this order.
  std::vector<Block> blocks{};
  /// Shown below every plot; may be empty.
  std::string plot_caption{};
  /// The rows of CSV, unless they are those of the first table with a name.
  Sheet csv{};
  /// Facts that precede every row of CSV.
  std::vector<std::string> csv_facts{"model", "batch", "precision"};
  std::vector<Headline> headlines{};

  void add(Block block) { blocks.push_back(std::move(block)); }
};

/// A complete answer.
struct Page {
  std::string command{};
  std::map<std::string, System> systems{};
  /// About the results as a whole; empty: nothing to say.
  std::string note{};
  std::vector<Section> sections{};
  /// In JSON, the facts and tables of the only section are members of the root, not of a list.
  bool flat = false;
};

/// Text for terminals. A table shows at most `rows` rows and states how many it has; one without
/// rows is left out.
std::string page_table(const Page& page, std::size_t rows);
/// {"schema": 1, "command", "systems", "reports": [facts and, by name, tables as lists of
/// objects]}; unknown values are null. Ends with a newline.
std::string page_json(const Page& page);
/// The rows of every section, with its model, batch and precision, after a header row; unknown
/// values are empty. Sections whose columns differ from the first one's are left out.
std::string page_csv(const Page& page);
/// Headings, lists and tables for documents; as many rows as in text, and no plots.
std::string page_markdown(const Page& page, std::size_t rows);
/// A self-contained HTML page: inline style and plots, collapsible tables. A script sorts and
/// searches the tables; nothing else needs it.
std::string page_html(const Page& page, const std::string& title);
/// By the name of a format: "table", "markdown", "json" or "csv".
std::string page_text(const Page& page, const std::string& format, std::size_t rows);

}  // namespace benanza::analysis
