// benanza-regress: runs two builds or library versions alternately and reports slowdowns.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <set>

#include "analysis/questions/common/flags.h"
#include "analysis/regress/known_command.h"
#include "analysis/regress/process.h"
#include "analysis/regress/report.h"
#include "analysis/regress/round.h"
#include "analysis/render/junit.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/program/program_flags.h"

namespace {

namespace fs = std::filesystem;
using namespace benanza;
using namespace benanza::analysis;
using namespace benanza::regress;
using Clock = std::chrono::steady_clock;

/// Exit status if something is slower or lost.
constexpr int regression_found = 3;

struct Options {
  std::string before = "here";
  std::string after;
  std::string versions;
  std::string known;
  std::string cases;
  std::vector<std::string> backends;
  Measured measured{};
  std::string algorithms = "best";
  double tolerance_percent = 3;
  std::string out;
  bool fresh = false;
  bool judge = false;
  std::string junit;
  std::string format = "table";
};

void add_flags(CLI::App& program, Options& options) {
  Flags flags(program);
  flags.add("--before", options.before,
            "A build (bin/bench_*), the folder of a library's version, or here (default)",
            "PREFIX");
  flags.add("--after", options.after, "The other one", "PREFIX");
  flags.add("--versions", options.versions,
            "Instead of both: several, oldest first, each compared with the one before; with "
            "--known, results files, too",
            "LIBRARY=PREFIX,...");
  flags.add("--known", options.known,
            "Look for known failures: \"all\" for the lists of this program, or a list; once a "
            "problem has taken 20 s, its other calls are left out",
            "LIST");
  flags.add("--cases", options.cases,
            "With --known: write the problems to this file, for the suites' --cases, and end",
            "FILE");
  flags.add("--backend", options.backends,
            "onednn, cudnn, cublas (default: all that are built and find a device)", "B[,B...]",
            ',');
  flags.add("--graph", options.measured.graphs,
            "Problems of these models, <model>.graph.json, instead of those built in", "FILE");
  flags.add("--problem", options.measured.problems, "This key; may be repeated", "KEY");
  flags.add("--precision", options.measured.precisions, "Only these", "P[,P...]", ',');
  flags.add("--filter", options.measured.filter, "Only names that match, as --benchmark_filter",
            "REGEX");
  flags.add_word("--algorithms", options.algorithms, {"best", "all"},
                 "best: what the library picks; all: every algorithm by itself");
  flags.add("--cold", options.measured.cold, "Times with cold caches");
  flags.add("--tolerance", options.tolerance_percent, 0.1, 1000.0,
            "Differences of up to this many percent count as equal");
  flags.add("--budget", options.measured.budget,
            "Seconds per visit to a call; a round visits each call ten times on either side, on a "
            "GPU four times",
            "SECONDS");
  flags.add(
      "--out", options.out,
      "Keep the results of every process here; rounds already complete are not measured again",
      "DIR");
  flags.add("--fresh", options.fresh, "Discard what --out holds");
  flags.add("--judge", options.judge, "Measure nothing; judge by the complete rounds in --out");
  flags.add("--junit", options.junit, "Also write the verdicts as JUnit XML", "FILE");
  flags.add_word("--format", options.format, {"table", "markdown", "github", "json", "csv"},
                 "Output; github: an annotation for each regression, for GitHub Actions");
}

/// The folder of this program.
fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// A progress line on a terminal, which is overwritten in place.
class ProgressLine {
 public:
  explicit ProgressLine(std::string backend) : backend_(std::move(backend)) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  void clear() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
    shown_ = false;
  }

  void show(const Round& round, std::size_t done, std::size_t units) {
    const Clock::time_point now = Clock::now();
    if (done == 0) start_ = now;
    if (!terminal_ || (shown_ && now - last_ < std::chrono::milliseconds(200))) return;
    shown_ = true;
    last_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string left =
        done == 0 ? ""
                  : fmt::format(", {:.0f} s left of it", seconds / static_cast<double>(done) *
                                                             static_cast<double>(units - done));
    std::fprintf(stderr, "\r\033[K%s: round %d, %s, %zu of %zu%s", backend_.c_str(),
                 round.number + 1, round.only.empty() ? "everything" : "what looks apart", done + 1,
                 units, left.c_str());
  }

 private:
  std::string backend_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
  Clock::time_point start_{};
  Clock::time_point last_{};
};

/// What all libraries' verdicts come to.
struct Answers {
  Page page{.command = "regress"};
  std::string junit{};
  std::string annotations{};
  bool regression = false;
};

/// `level`: of false alarms.
GateAnswer add_gate(const std::string& backend, const Options& options, const fs::path& rounds,
                    double level, const std::vector<Graph>& graphs, Answers& answers) {
  const fs::path own = own_folder() / ("bench_" + backend);
  // Rounds measured on another machine can be judged here, too: the prefixes need not exist.
  const auto side = [&](const std::string& prefix) {
    return options.judge ? SideOfGate{.program = own, .libraries = {prefix}}
                         : side_of(prefix, backend, own);
  };
  const SideOfGate before = side(options.before);
  const SideOfGate after = side(options.after);
  Measured measured = options.measured;
  measured.backend = backend;
  measured.pace = pace_of(backend);
  measured.unit = options.algorithms == "best" ? regress::Unit::choice : regress::Unit::call;
  GateOptions gate{.unit = measured.unit,
                   .tolerance = options.tolerance_percent / 100,
                   .looks = measured.pace.looks,
                   .level = level};
  if (options.fresh) fs::remove_all(rounds);
  make_directories(rounds);
  const KeptRounds kept(rounds);
  if (options.judge) gate = with_rounds(gate, kept.count());
  ProgressLine line(backend);
  const auto run = [&](const Round& round) {
    if (!options.judge) kept.need_same(measured, round);
    if (auto rows = kept.find(round)) return *std::move(rows);
    RowsOfRound rows =
        run_round(before, after, measured, round, rounds,
                  [&](std::size_t done, std::size_t units) { line.show(round, done, units); });
    kept.add(measured, round);
    return rows;
  };
  RowsOfRound first;
  GateAnswer answer = judge(gate, [&](const Round& round) {
    RowsOfRound rows = run(round);
    if (round.number == 0) first = rows;
    return rows;
  });
  line.clear();
  if (answer.compared == 0) {
    throw Error(backend + ": no problem has a time on both sides; --graph names models to measure");
  }
  const Reproducer again = [&](const Judged& one) {
    const bool there = one.after.status == Status::ok;
    return reproducer(after, measured, there ? one.after.variant : one.before.variant);
  };
  const OfModels models = weigh(graphs, first, gate.unit, answer);
  Section section = gate_section(answer, gate, again, models);
  section.heading = backend;
  section.facts["backend"] = backend;
  answers.page.sections.push_back(std::move(section));
  answers.junit += junit_suite(backend, answer, gate, again, models);
  answers.annotations += github_annotations(backend, answer, gate, models);
  answers.regression = answers.regression || models.close(answer, gate);
  return answer;
}

/// The version that a side's suite reported in a round; the place if it did not.
std::string version_name(const fs::path& results, const std::string& place) {
  try {
    return read_version(results.string()).version_text;
  } catch (const Error&) {
    return place;
  }
}

/// What the versions call themselves; two that say the same are told apart by their places.
std::vector<std::string> version_names(const std::vector<std::string>& places,
                                       const std::function<fs::path(std::size_t)>& rounds) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const fs::path results =
        i == 0 ? rounds(0) / "000_before.json" : rounds(i - 1) / "000_after.json";
    names.push_back(version_name(results, places[i]));
  }
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : places;
}

/// Each version with the one before it. The level is shared among the pairs.
void add_versions(const Options& options, const fs::path& folder, const std::vector<Graph>& graphs,
                  Answers& answers) {
  const VersionList list = parse_version_list(options.versions);
  const std::size_t pairs = list.places.size() - 1;
  if (pairs == 0) throw Error("--versions " + options.versions + ": name at least two places");
  const auto rounds = [&](std::size_t pair) {
    return folder / fmt::format("{}.{}", list.backend, pair);
  };
  // What is not there is told before anything is measured.
  for (const std::string& place : list.places) {
    if (!options.judge) side_of(place, list.backend, own_folder() / ("bench_" + list.backend));
  }
  std::vector<GateAnswer> steps;
  for (std::size_t i = 0; i < pairs; ++i) {
    Options pair = options;
    pair.before = list.places[i];
    pair.after = list.places[i + 1];
    const double level = GateOptions{}.level / static_cast<double>(pairs);
    steps.push_back(add_gate(list.backend, pair, rounds(i), level, graphs, answers));
  }
  const std::vector<std::string> names = version_names(list.places, rounds);
  for (std::size_t i = 0; i < pairs; ++i) {
    answers.page.sections[i].heading =
        fmt::format("{}: {} to {}", list.backend, names[i], names[i + 1]);
  }
  Section table = versions_section(list.backend, names, steps);
  answers.page.sections.insert(answers.page.sections.begin(), std::move(table));
}

/// Writes the cases of known failures, or looks for them in several versions.
void add_known(const Options& options, const fs::path& folder, Answers& answers) {
  std::vector<KnownFailure> failures =
      options.known == "all" ? built_in_failures()
                             : parse_known_failures(read_file(options.known), options.known);
  if (!options.cases.empty()) {
    std::erase_if(failures, [&](const KnownFailure& one) {
      return !options.backends.empty() && options.backends.front() != one.library;
    });
    return write_file(options.cases, cases_text(failures));
  }
  if (options.versions.empty()) throw Error("--known needs --versions or --cases");
  const VersionList list = parse_version_list(options.versions);
  const std::vector<VersionResults> versions = known_results(list, failures, own_folder(), folder);
  std::vector<JudgedFailure> judged = judge_failures(failures, versions);
  take_turns(list, own_folder(), folder, versions, judged);
  answers.page.sections.push_back(known_section(judged));
  answers.regression = any_found(judged);
}

std::vector<std::string> backends_of(const Options& options) {
  if (!options.backends.empty()) return options.backends;
  std::vector<std::string> found;
  for (const std::string backend : {"onednn", "cudnn", "cublas"}) {
    if (has_device({.program = own_folder() / ("bench_" + backend)})) found.push_back(backend);
  }
  if (found.empty()) throw Error("no suite finds a device; --backend names one");
  return found;
}

void answer_all(const Options& options, const fs::path& folder, Answers& answers) {
  std::vector<Graph> graphs;
  for (const std::string& file : options.measured.graphs) graphs.push_back(read_graph(file));
  if (!options.known.empty()) return add_known(options, folder, answers);
  if (!options.versions.empty()) return add_versions(options, folder, graphs, answers);
  if (options.after.empty()) throw Error("--after or --versions: name what to compare with");
  for (const std::string& backend : backends_of(options)) {
    add_gate(backend, options, folder / backend, GateOptions{}.level, graphs, answers);
  }
}

/// Removes a folder at the end of its lifetime; an empty path stands for none.
class Scratch {
 public:
  explicit Scratch(fs::path folder) : folder_(std::move(folder)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

 private:
  fs::path folder_;
};

int run(int argc, char** argv) {
  CLI::App program(
      "Runs two builds, or one build with two versions of its library, alternately on this "
      "machine, and reports what is slower and why. Exit status 0: nothing is slower; 3: something "
      "is slower or lost (with --graph: slower layers cost the bound more than --tolerance, or a "
      "layer lost its only call), or a known failure is found; 1: an error.",
      "benanza-regress");
  Options options;
  add_flags(program, options);
  add_program_flags(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; --help lists the options");
  }
  if (options.judge && (options.out.empty() || options.fresh)) {
    throw Error("--judge needs --out, the folder of a comparison, and goes without --fresh");
  }
  const fs::path folder = options.out.empty() ? fs::temp_directory_path() /
                                                    fmt::format("benanza-regress-{}", ::getpid())
                                              : fs::path(options.out);
  const InterruptGuard interrupt;
  const Scratch scratch(options.out.empty() ? folder : fs::path());
  // Writing to a suite that has ended must fail rather than kill this program.
  ::signal(SIGPIPE, SIG_IGN);
  Answers answers;
  answer_all(options, folder, answers);
  if (!options.cases.empty()) return 0;
  print(options.format == "github" ? answers.annotations
                                   : page_text(answers.page, options.format, 1000));
  if (!options.junit.empty()) write_file(options.junit, junit_document(answers.junit));
  return answers.regression ? regression_found : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    if (const int number = InterruptGuard::signal(); number != 0) {
      std::fprintf(stderr, "benanza-regress: interrupted\n");
      return 128 + number;
    }
    std::fprintf(stderr, "benanza-regress: %s\n", error.what());
    return 1;
  }
}
