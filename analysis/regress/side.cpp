#include "analysis/regress/side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <set>

#include "analysis/regress/process.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"

extern char** environ;

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view search_path = "LD_LIBRARY_PATH=";
/// A gate needs no peaks, and dozens of processes would measure them. Not as a flag, which an older
/// suite does not know.
constexpr std::string_view peaks = "BENANZA_PEAKS=";

bool holds_libraries(const fs::path& folder) {
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().filename().string().find(".so") != std::string::npos) return true;
  }
  return false;
}

std::string libraries_text(const SideOfGate& side) {
  std::string text;
  for (const fs::path& folder : side.libraries) text += (text.empty() ? "" : ":") + folder.string();
  return text;
}

/// This process's environment, with the side's libraries first.
std::vector<std::string> environment_of(const SideOfGate& side) {
  std::vector<std::string> variables;
  std::string path = libraries_text(side);
  bool says_peaks = false;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    says_peaks = says_peaks || text.starts_with(peaks);
    if (text.starts_with(search_path)) {
      const std::string_view rest = text.substr(search_path.size());
      if (!rest.empty()) path += (path.empty() ? "" : ":") + std::string(rest);
    } else {
      variables.emplace_back(text);
    }
  }
  if (!path.empty()) variables.push_back(std::string(search_path) + path);
  if (!says_peaks) variables.push_back(std::string(peaks) + "none");
  return variables;
}

/// For an extended regular expression.
std::string regex_escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (std::string_view(R"(.[]()*+?{}|^$\)").find(letter) != std::string_view::npos) out += '\\';
    out += letter;
  }
  return out;
}

std::string exactly(const std::vector<VariantName>& variants) {
  std::string names;
  for (const VariantName& variant : variants) {
    names += (names.empty() ? "" : "|") + regex_escaped(to_string(variant));
  }
  return "^(" + names + ")$";
}

}  // namespace

SideOfGate side_of(const std::string& prefix, const std::string& backend, const fs::path& own) {
  SideOfGate side{.program = own};
  const fs::path folder = prefix;
  if (prefix != "here") {
    if (!fs::is_directory(folder)) throw Error(prefix + ": no such folder");
    const fs::path program = folder / "bin" / ("bench_" + backend);
    const bool has_program = fs::exists(program);
    if (has_program) side.program = fs::absolute(program);
    for (const fs::path& place : {folder / "lib64", folder / "lib", folder}) {
      if (holds_libraries(place)) side.libraries.push_back(fs::absolute(place));
    }
    if (!has_program && side.libraries.empty()) {
      throw Error(prefix + ": has neither bin/bench_" + backend + " nor shared libraries");
    }
  }
  if (!fs::exists(side.program)) {
    throw Error(side.program.string() + ": no such program: build it, or name a build");
  }
  return side;
}

std::vector<std::string> arguments_of(const Measured& measured, const Round& round) {
  std::vector<std::string> words{"--fresh", "--budget=" + measured.budget,
                                 fmt::format("--benchmark_repetitions={}", round.repetitions)};
  if (measured.cold) words.emplace_back("--cold");
  if (round.only.empty()) {
    words.emplace_back(measured.unit == Unit::choice ? "--algorithms=best" : "--algorithms=all");
    for (const std::string& graph : measured.graphs) words.push_back("--graph=" + graph);
    for (const std::string& problem : measured.problems) words.push_back("--problem=" + problem);
    if (!measured.precisions.empty()) {
      words.push_back(fmt::format("--precision={}", fmt::join(measured.precisions, ",")));
    }
    if (!measured.filter.empty()) words.push_back("--benchmark_filter=" + measured.filter);
    return words;
  }
  words.emplace_back("--algorithms=all");
  std::set<std::string> keys;
  std::set<std::string_view> precisions;
  for (const VariantName& variant : round.only) {
    keys.insert(variant.key);
    precisions.insert(to_string(variant.precision));
  }
  for (const std::string& key : keys) words.push_back("--problem=" + key);
  words.push_back(fmt::format("--precision={}", fmt::join(precisions, ",")));
  // Longer ones do not fit into an argument.
  constexpr std::size_t longest = 100'000;
  if (std::string filter = exactly(round.only); filter.size() < longest) {
    words.push_back("--benchmark_filter=" + filter);
  }
  return words;
}

std::string reproducer(const SideOfGate& side, const Measured& measured,
                       const VariantName& variant) {
  Round round{.only = {variant}, .repetitions = static_cast<int>(least_repetitions)};
  std::string line;
  if (!side.libraries.empty()) line = std::string(search_path) + libraries_text(side) + ' ';
  line += side.program.string();
  for (const std::string& word : arguments_of(measured, round)) {
    const bool plain = word.find_first_of("()|$*?[]\\;& ") == std::string::npos;
    line += plain ? ' ' + word : " '" + word + '\'';
  }
  return line;
}

RowsOfRound run_suites(const SideOfGate& before, const SideOfGate& after, const Measured& measured,
                       const Round& round, bool turns, const fs::path& folder) {
  const auto file = [&](bool is_before, const char* ending) {
    return folder / fmt::format("{:03}_{}{}", round.number, is_before ? "before" : "after", ending);
  };
  const auto start = [&](bool is_before) {
    std::vector<std::string> words = arguments_of(measured, round);
    words.push_back("--benchmark_out=" + file(is_before, ".json").string());
    if (turns) words.emplace_back("--turns");
    const SideOfGate& side = is_before ? before : after;
    return Process({.program = side.program,
                    .arguments = std::move(words),
                    .environment = environment_of(side),
                    .out = "/dev/null",
                    .err = file(is_before, ".log")});
  };
  const bool first = round.before_first();
  if (turns) {
    Process one = start(true);
    Process other = start(false);
    take_turns(one, other, first);
    one.finish();
    other.finish();
  } else {
    start(first).finish();
    start(!first).finish();
  }
  const auto rows_of = [&](bool is_before) {
    std::vector<Row> rows;
    read_rows(
        file(is_before, ".json"),
        {.begin = [](const Origin&) {}, .add = [&](Row&& row) { rows.push_back(std::move(row)); }});
    return rows;
  };
  return {.before = rows_of(true), .after = rows_of(false)};
}

bool has_device(const SideOfGate& side) {
  if (!fs::exists(side.program)) return false;
  const fs::path out = fs::temp_directory_path() / fmt::format("benanza-devices-{}", ::getpid());
  const int status = Process({.program = side.program,
                              .arguments = {"--list-devices"},
                              .environment = environment_of(side),
                              .out = out,
                              .err = "/dev/null"})
                         .wait();
  const bool any = status == 0 && fs::exists(out) && fs::file_size(out) > 0;
  std::error_code none;
  fs::remove(out, none);
  return any;
}

}  // namespace benanza::regress
