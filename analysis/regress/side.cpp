#include "analysis/regress/side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "analysis/regress/process.h"
#include "core/base/error.h"

extern char** environ;

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view search_path = "LD_LIBRARY_PATH=";
/// Defaults for variables that the environment lacks. A gate needs no peaks, which dozens of
/// processes would measure.
constexpr std::array defaults{"BENANZA_PEAKS=none", "OMP_PROC_BIND=true", "GOMP_SPINCOUNT=10000",
                              "KMP_BLOCKTIME=1"};

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

/// Escapes `text` for an extended regular expression.
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

Pace pace_of(std::string_view backend) {
  const bool on_host = backend == "onednn" || backend == "eigen";
  return on_host ? Pace{} : Pace{.visits = 4, .places = 2, .looks = {8, 32, 128}};
}

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

std::vector<std::string> environment_of(const SideOfGate& side) {
  std::vector<std::string> variables;
  std::string path = libraries_text(side);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(search_path)) {
      const std::string_view rest = text.substr(search_path.size());
      if (!rest.empty()) path += (path.empty() ? "" : ":") + std::string(rest);
    } else {
      variables.emplace_back(text);
    }
  }
  if (!path.empty()) variables.push_back(std::string(search_path) + path);
  for (const std::string_view text : defaults) {
    const std::string_view name = text.substr(0, text.find('=') + 1);
    if (std::ranges::none_of(variables, [&](const auto& one) { return one.starts_with(name); })) {
      variables.emplace_back(text);
    }
  }
  return variables;
}

std::vector<std::string> arguments_of(const Measured& measured, const Round& round) {
  std::vector<std::string> words{"--fresh"};
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
  // A longer filter may not fit into an argument.
  constexpr std::size_t longest = 100'000;
  if (std::string filter = exactly(round.only); filter.size() < longest) {
    words.push_back("--benchmark_filter=" + filter);
  }
  return words;
}

std::string reproducer(const SideOfGate& side, const Measured& measured,
                       const VariantName& variant) {
  const Round round{.only = {variant}};
  std::string line;
  if (!side.libraries.empty()) line = std::string(search_path) + libraries_text(side) + ' ';
  if (measured.backend == "onednn") line += "OMP_PROC_BIND=true ";
  line += side.program.string();
  std::vector<std::string> words = arguments_of(measured, round);
  words.push_back(fmt::format("--benchmark_repetitions={}", least_repetitions));
  for (const std::string& word : words) {
    const bool plain = word.find_first_of("()|$*?[]\\;& ") == std::string::npos;
    line += plain ? ' ' + word : " '" + word + '\'';
  }
  return line;
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
