#include "analysis/regress/side.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results_file/read_rows.h"

extern char** environ;

namespace benanza::regress {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view search_path = "LD_LIBRARY_PATH=";

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
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// Files that a process writes to.
struct Streams {
  fs::path out{};
  fs::path err{};
};

/// The exit status; 128 and more for a signal. Throws Error where the program cannot be started.
int run_process(const SideOfGate& side, std::vector<std::string> words, const Streams& streams) {
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) throw Error("cannot start a process");
  const auto destroy = [](posix_spawn_file_actions_t* used) {
    ::posix_spawn_file_actions_destroy(used);
  };
  const std::unique_ptr<posix_spawn_file_actions_t, decltype(destroy)> guard(&actions, destroy);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, streams.out.c_str(), flags, 0644);
  ::posix_spawn_file_actions_addopen(&actions, 2, streams.err.c_str(), flags, 0644);
  words.insert(words.begin(), side.program.string());
  std::vector<std::string> variables = environment_of(side);
  std::vector<char*> argv = pointers(words);
  std::vector<char*> envp = pointers(variables);
  pid_t child = 0;
  if (::posix_spawn(&child, side.program.c_str(), &actions, nullptr, argv.data(), envp.data()) !=
      0) {
    throw Error(side.program.string() + ": cannot be started");
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Error(side.program.string() + ": was lost");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
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

std::vector<Row> run_suite(const SideOfGate& side, const Measured& measured, const Round& round,
                           const fs::path& folder) {
  const std::string name =
      fmt::format("{:03}_{}", round.number, round.side == Side::before ? "before" : "after");
  const fs::path out = folder / (name + ".json");
  const Streams streams{.out = "/dev/null", .err = folder / (name + ".log")};
  std::vector<std::string> words = arguments_of(measured, round);
  words.push_back("--benchmark_out=" + out.string());
  const int status = run_process(side, std::move(words), streams);
  // 2: rows are incorrect or failed, and written.
  if (status != 0 && status != 2) {
    throw Error(fmt::format("{} ended with status {}: {}", side.program.string(), status,
                            last_line(read_file(streams.err))));
  }
  std::vector<Row> rows;
  read_rows(out, {.begin = [](const Origin&) {},
                  .add = [&](Row&& row) { rows.push_back(std::move(row)); }});
  return rows;
}

bool has_device(const SideOfGate& side) {
  if (!fs::exists(side.program)) return false;
  const fs::path out = fs::temp_directory_path() / fmt::format("benanza-devices-{}", ::getpid());
  const int status = run_process(side, {"--list-devices"}, {.out = out, .err = "/dev/null"});
  const bool any = status == 0 && fs::exists(out) && fs::file_size(out) > 0;
  std::error_code none;
  fs::remove(out, none);
  return any;
}

}  // namespace benanza::regress
