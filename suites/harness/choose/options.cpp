#include "suites/harness/choose/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/error.h"
#include "core/program/program_flags.h"
#include "suites/harness/choose/search_options.h"

namespace benanza::harness {
namespace {

/// The settings of --smoke, in seconds per variant.
constexpr double smoke_budget_seconds = 0.01;
constexpr double smoke_warmup_seconds = 0.001;
constexpr std::size_t smoke_problems = 2;

/// Unchecked values as text.
struct Arguments {
  std::string algorithms = "all";
  SearchArguments search;
  std::string energy_seconds;
  std::vector<std::string> precisions;
  std::vector<std::string> layouts;
  std::string format;
  std::string out;
  std::string out_format = "json";
  std::string minimum_seconds;
  std::string warmup_seconds;
  std::string budget_seconds;
  std::string rest_seconds;
  std::string problem_seconds;
  std::vector<std::string> context;
  std::string shard;
  std::int64_t processes = 1;
  std::string place;
  bool smoke = false;
};

template <class T>
std::vector<T> parse_all(std::string_view flag, const std::vector<std::string>& texts,
                         std::optional<T> (*parse_one)(std::string_view), std::string_view known) {
  std::vector<T> values;
  for (const std::string& text : texts) {
    const auto value = parse_one(text);
    if (!value) {
      throw Error(std::string(flag) + ": unknown \"" + text + "\"; known: " + std::string(known));
    }
    values.push_back(*value);
  }
  return values;
}

AlgorithmSet algorithm_set(const std::string& text) {
  if (text == "best") return AlgorithmSet::best;
  if (text == "leading") return AlgorithmSet::leading;
  if (text == "all") return AlgorithmSet::all;
  if (text == "with-reference") return AlgorithmSet::with_reference;
  if (text == "search") return AlgorithmSet::search;
  throw Error("--algorithms: unknown \"" + text +
              "\"; known: best, leading, all, with-reference, search");
}

Display display(const std::string& text) {
  if (text.empty()) return Display::by_size;
  if (text == "console") return Display::console;
  if (text == "csv") return Display::csv;
  if (text == "json") return Display::json;
  throw Error("--benchmark_format: unknown \"" + text + "\"; known: console, csv, json");
}

/// Which problems and variants to measure.
void add_selection_flags(CLI::App& app, SuiteOptions& options, Arguments& arguments) {
  app.add_option("--algorithms", arguments.algorithms,
                 "best: the library's default choice, in the layout it prefers (any) if it has "
                 "one; leading: its top few choices per method and layout; all: everything except "
                 "reference code (default); with-reference: everything; search: every engine and "
                 "setting is tried briefly, and the fastest are measured")
      ->type_name("{best,leading,all,with-reference,search}");
  add_search_flags(app, arguments.search);
  app.add_option("--precision", arguments.precisions, "only these, e.g. fp32,bf16")
      ->type_name("P,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--layout", arguments.layouts, "only these, e.g. nhwc,any")
      ->type_name("L,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--problem", options.selection.problems,
                 "measure this key instead of the models' problems; may be repeated")
      ->type_name("KEY")
      ->allow_extra_args(false);
  app.add_option(
         "--graph", options.graphs,
         "measure the problems of this model, a .graph.json of benanza-generate, instead of "
         "those of the models it was built for; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--cases", options.cases,
                 "measure the problems of this file, one per line: KEY [PRECISION] [LAYOUT] "
                 "[ALGORITHM] -> ok (or: ok if supported, unsupported, no way, ...); exit status 2 "
                 "if any does not match; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--shard", arguments.shard,
                 "only part I (1 to N) of the problems, split into N parts of about equal time; "
                 "all variants of a problem stay in one part")
      ->type_name("I/N");
}

/// How to measure them.
void add_measurement_flags(CLI::App& app, SuiteOptions& options, Arguments& arguments) {
  app.add_option("--processes", arguments.processes,
                 "divide the repetitions among N processes, run one after the other (default: 1); "
                 "times vary more between processes than within one")
      ->type_name("N");
  app.add_option(std::string(place_flag), arguments.place)->group("");
  app.add_flag("--cold", options.measure.cold, "flush the caches before every call");
  app.add_flag("--no-rotation{false}", options.rotates_weights,
               "skip the second timing of the fastest variants, which reads weights from memory as "
               "in models whose weights do not fit the cache");
  app.add_option("--budget", arguments.budget_seconds,
                 "time limit of one measurement, in seconds of timed work (default: 0.3)")
      ->type_name("SECONDS");
  app.add_option("--problem-limit", arguments.problem_seconds,
                 "once a problem has taken SECONDS in all, at one precision, leave out its other "
                 "calls (default: no limit)")
      ->type_name("SECONDS");
  app.add_option("--rest", arguments.rest_seconds,
                 "idle for SECONDS before every sample, so that long calls run at full clock "
                 "instead of the power limit (default: 0)")
      ->type_name("SECONDS");
  app.add_flag("--energy{1}", arguments.energy_seconds,
               "afterwards, repeat the fastest variants of every problem for SECONDS each (default "
               "1), and measure the energy of a call")
      ->type_name("SECONDS");
}

/// Other runs, and what becomes of the results.
void add_run_flags(CLI::App& app, SuiteOptions& options, Arguments& arguments) {
  auto* const sequence =
      app.add_option("--sequence", options.sequence,
                     "time these calls back to back instead of the problems; a file of "
                     "benanza-analyze calls --out")
          ->type_name("FILE");
  app.add_option("--sequence-out", options.sequence_out,
                 "the file that benanza-analyze bound --sequence reads")
      ->type_name("FILE")
      ->needs(sequence);
  app.add_flag("--fresh", options.fresh, "discard what --benchmark_out holds and measure it again");
  app.add_option("--forget", options.forget,
                 "measure nothing; remove these problems' measurements from the results files in "
                 "this folder; a file of another system is moved aside")
      ->type_name("DIR");
  app.add_option("--one-system", options.one_system,
                 "refuse to measure on a system other than the one named in this file; the first "
                 "suite to run writes it")
      ->type_name("FILE");
  app.add_option("--progress", options.progress, "keep the run's progress in this file, as JSON")
      ->type_name("FILE");
  app.add_flag("--smoke", arguments.smoke,
               "a quick check: two problems of every operator, best algorithm, brief measurements");
  app.add_flag("--list-devices", options.list_devices,
               "print one line per device that can be measured");
  app.add_flag("--serve", options.serve, "measure on request of benanza-regress, over a pipe");
  app.add_flag("--ctest", options.ctest, "print measurements for CTest's report");
}

/// Google Benchmark's flags, listed in its own help.
void add_benchmark_flags(CLI::App& app, SuiteOptions& options, Arguments& arguments) {
  const auto hide = [](CLI::Option* option) {
    std::string variable = option->get_lnames().front();
    std::ranges::transform(variable, variable.begin(), [](char letter) {
      return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    });
    return option->envname(variable)->group("");
  };
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return hide(app.add_option(name, value, help)->type_name(type));
  };
  add("--benchmark_filter", options.selection.filter, "REGEX",
      "only benchmarks whose names match this regular expression");
  add("--benchmark_repetitions", options.repetitions, "N",
      "measure each so many times, spread over the run (default: 1)");
  add("--benchmark_min_time", arguments.minimum_seconds, "SECONDS",
      "seconds of each measurement at least");
  add("--benchmark_min_warmup_time", arguments.warmup_seconds, "SECONDS",
      "seconds of warming up before each");
  add("--benchmark_format", arguments.format, "{console,json,csv}",
      "what is printed while measuring (default: console, for more than 100 rows a line a "
      "problem)");
  add("--benchmark_out", arguments.out, "FILE",
      "results file; a run with the same file goes on where it ended");
  add("--benchmark_out_format", arguments.out_format, "{json}",
      "json: results are written in no other format");
  add("--benchmark_context", arguments.context, "KEY=VALUE,...",
      "more for the context of the results")
      ->delimiter(',')
      ->allow_extra_args(false);
  hide(app.add_flag("--benchmark_list_tests", options.list, "print the names and end"));
}

/// These flags are parsed elsewhere and listed by bench_main; one that arrives here lacks its '='.
void add_backend_flags(CLI::App& app, const std::vector<BackendFlag>& flags) {
  const std::string hidden;
  for (const BackendFlag& flag : flags) {
    if (flag.value.empty()) {
      app.add_flag(flag.name, flag.help)->group(hidden);
      continue;
    }
    app.add_option_function<std::string>(
           flag.name,
           [flag](const std::string&) {
             throw Error(flag.name + ": its value follows after '=': " + flag.name + '=' +
                         flag.value);
           },
           flag.help)
        ->type_name(flag.value)
        ->group(hidden);
  }
}

void check_processes(const Arguments& arguments, SuiteOptions& options) {
  if (arguments.processes < 1) throw Error("--processes: give 1 or more");
  if (!arguments.place.empty()) options.place = parse_place(arguments.place);
  const bool is_divided = !options.serve && !options.list && options.sequence.empty();
  if (is_divided) options.place.count = std::min(arguments.processes, options.repetitions);
  options.place.number = std::min(options.place.number, options.place.count);
  // The next process would remove what the ones before it measured.
  if (options.place.first) options.fresh = false;
  if (options.place.count > 1 && arguments.out.empty()) {
    throw Error("--processes needs --benchmark_out=FILE, where each process leaves its rows");
  }
}

/// Cases are all that a run measures, and it measures all of them.
void check_cases(const Arguments& arguments, const SuiteOptions& options) {
  if (options.cases.empty()) return;
  const auto refuse = [](bool given, const std::string& flag) {
    if (given) throw Error("--cases and " + flag + ": give one of them");
  };
  refuse(!options.selection.problems.empty(), "--problem");
  refuse(!options.graphs.empty(), "--graph");
  refuse(!arguments.shard.empty(), "--shard");
  refuse(!options.sequence.empty(), "--sequence");
  refuse(!options.forget.empty(), "--forget");
  refuse(options.serve, "--serve");
}

void take_seconds(const Arguments& arguments, MeasureOptions& measure) {
  if (!arguments.budget_seconds.empty()) {
    measure.budget_seconds = seconds("--budget", arguments.budget_seconds);
  }
  if (!arguments.rest_seconds.empty()) {
    measure.rest_seconds = seconds("--rest", arguments.rest_seconds);
  }
  if (!arguments.problem_seconds.empty()) {
    measure.problem_seconds = seconds("--problem-limit", arguments.problem_seconds);
  }
  if (!arguments.minimum_seconds.empty()) {
    measure.minimum_seconds = seconds("--benchmark_min_time", arguments.minimum_seconds);
    measure.budget_seconds = std::max(measure.budget_seconds, measure.minimum_seconds);
  }
  if (!arguments.warmup_seconds.empty()) {
    measure.warmup_seconds = seconds("--benchmark_min_warmup_time", arguments.warmup_seconds);
  }
}

void check_values(const Arguments& arguments, SuiteOptions& options) {
  check_cases(arguments, options);
  Selection& selection = options.selection;
  selection.precisions = parse_all("--precision", arguments.precisions, &parse_precision,
                                   "fp32, tf32, fp16, bf16, int8, fp8");
  selection.layouts =
      parse_all("--layout", arguments.layouts, &parse_layout, "nchw, nhwc, any, plain");
  selection.algorithms = algorithm_set(arguments.algorithms);
  selection.layout_of_library = selection.algorithms == AlgorithmSet::best;
  selection.cold = options.measure.cold;
  if (!arguments.energy_seconds.empty()) {
    options.energy_seconds = seconds("--energy", arguments.energy_seconds);
    if (*options.energy_seconds == 0) throw Error("--energy=0: give seconds, e.g. 1");
    if (selection.cold)
      throw Error("--energy: a call is repeated with hot caches; leave --cold out");
  }
  if (!arguments.shard.empty()) selection.shard = parse_shard(arguments.shard);

  MeasureOptions& measure = options.measure;
  if (arguments.smoke) {
    selection.algorithms = AlgorithmSet::best;
    selection.problems_per_operator = smoke_problems;
    options.rotates_weights = false;
    measure.budget_seconds = smoke_budget_seconds;
    measure.warmup_seconds = smoke_warmup_seconds;
  }
  take_search(arguments.search, options);
  take_seconds(arguments, measure);

  if (!options.sequence.empty() && options.sequence_out.empty()) {
    throw Error("--sequence needs --sequence-out FILE");
  }
  if (options.repetitions < 1) throw Error("--benchmark_repetitions: give 1 or more");
  check_processes(arguments, options);
  options.display = display(arguments.format);
  options.out = arguments.out;
  if (arguments.out_format != "json") {
    throw Error("--benchmark_out_format=" + arguments.out_format +
                ": results are written as json only; --benchmark_format=csv prints a table");
  }
  for (const std::string& entry : arguments.context) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error("--benchmark_context: \"" + entry + "\": give KEY=VALUE");
    }
    options.writer.context.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

}  // namespace

Display display_of(const SuiteOptions& options, std::int64_t variants) {
  constexpr std::int64_t most_rows = 100;
  // Google Benchmark does not run the first repetitions of what a search finds.
  const bool searches = options.selection.algorithms == AlgorithmSet::search;
  if (options.display == Display::by_size && searches) return Display::problems;
  if (options.display != Display::by_size) return options.display;
  return variants * options.repetitions > most_rows ? Display::problems : Display::console;
}

SuiteOptions parse_options(int argc, const char* const* argv, const Backend& backend) {
  SuiteOptions options;
  Arguments arguments;
  CLI::App app("Measures a library's calls for the problems of the models it was built for.",
               "bench_" + std::string(backend.name()));
  app.set_help_flag("");
  app.allow_extras();
  app.add_flag("-h,--help", options.help, "print this help and exit");
  add_selection_flags(app, options, arguments);
  add_measurement_flags(app, options, arguments);
  add_run_flags(app, options, arguments);
  add_backend_flags(app, backend.flags());
  add_benchmark_flags(app, options, arguments);
  add_program_flags(app, [&backend] { return backend.libraries(); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    options.answer = success.what();
    return options;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; --help lists the flags");
  }
  options.writer.executable = argc > 0 ? argv[0] : "";
  options.help_text = app.help();
  while (options.help_text.ends_with('\n')) options.help_text.pop_back();
  for (const std::string& flag : app.remaining()) {
    if (!flag.starts_with("--benchmark_") && !flag.starts_with("--v=")) {
      throw Error("unknown flag \"" + flag + "\"; --help lists the flags");
    }
    options.benchmark_flags.push_back(flag);
  }
  check_values(arguments, options);
  return options;
}

}  // namespace benanza::harness
