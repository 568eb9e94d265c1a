#include "suites/harness/choose/search_options.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <optional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "suites/harness/choose/options.h"

namespace benanza::harness {

double seconds(std::string_view flag, std::string_view text) {
  std::string_view number = text;
  if (number.ends_with('s')) number.remove_suffix(1);
  const auto value = text::number<double>(number);
  if (!value || !(*value >= 0) || *value > 1e6) {
    throw Error(std::string(flag) + "=" + std::string(text) + ": give seconds, e.g. 0.5");
  }
  return *value;
}

void add_search_flags(CLI::App& app, SearchArguments& arguments) {
  app.add_option("--search-margin", arguments.margin,
                 "a search goes on with calls that take at most MARGIN times as long as the best "
                 "(default: 1.04; inf: with all, without a limit of time)")
      ->type_name("MARGIN");
  app.add_option("--search-limit", arguments.limit,
                 "a search ends after SECONDS for a problem, precision and layout (default: 2)")
      ->type_name("SECONDS");
}

void take_search(const SearchArguments& arguments, SuiteOptions& options) {
  if (options.selection.algorithms != AlgorithmSet::search) {
    const std::string other = "goes with --algorithms search";
    if (!arguments.margin.empty()) throw Error("--search-margin " + other);
    if (!arguments.limit.empty()) throw Error("--search-limit " + other);
    return;
  }
  const std::string beside = " and --algorithms search: give one of them";
  if (!options.cases.empty()) throw Error("--cases" + beside);
  if (options.serve) throw Error("--serve" + beside);
  if (!arguments.margin.empty()) {
    const std::optional<double> margin = arguments.margin == "inf"
                                             ? std::numeric_limits<double>::infinity()
                                             : text::number<double>(arguments.margin);
    if (!margin || !(*margin > 1)) {
      throw Error("--search-margin=" + arguments.margin + ": give a number above 1, or inf");
    }
    options.race.set_margin(*margin);
  }
  if (!arguments.limit.empty()) {
    options.race.most_seconds = seconds("--search-limit", arguments.limit);
  }
}

}  // namespace benanza::harness
