#include "suites/harness/program/bench_main.h"

#include <benchmark/benchmark.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/graph_file/graph.h"
#include "suites/harness/choose/case_plan.h"
#include "suites/harness/choose/options.h"
#include "suites/harness/choose/variants.h"
#include "suites/harness/conditions/anchors.h"
#include "suites/harness/keep/forget.h"
#include "suites/harness/keep/one_system.h"
#include "suites/harness/keep/result_store.h"
#include "suites/harness/program/summary.h"
#include "suites/harness/report/reporter.h"
#include "suites/harness/run/ledger.h"
#include "suites/harness/run/measure_all.h"
#include "suites/harness/run/search.h"
#include "suites/harness/run/sequence.h"
#include "suites/harness/run/serve.h"

namespace benanza::harness {
namespace {

using Clock = std::chrono::steady_clock;

/// Passes Google Benchmark its own flags, and disables what the suite does itself, whatever the
/// environment says. The library keeps a pointer to `program`. Throws Error for an unknown flag.
void initialise_benchmark(const SuiteOptions& options, char* program) {
  std::vector<std::string> words;
  // Spreads temporary disturbances of the machine over single repetitions of many variants.
  if (options.repetitions > 1) words.emplace_back("--benchmark_enable_random_interleaving=true");
  words.insert(words.end(), options.benchmark_flags.begin(), options.benchmark_flags.end());
  for (const auto& [name, value] : options.writer.context) {
    words.push_back("--benchmark_context=" + name + '=' + value);
  }
  const bool csv = options.display == Display::csv;
  for (const char* const word :
       {"--benchmark_out=", "--benchmark_list_tests=false", "--benchmark_min_warmup_time=0",
        csv ? "--benchmark_format=csv" : "--benchmark_format=console"}) {
    words.emplace_back(word);
  }
  std::vector<char*> arguments{program};
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::SetDefaultTimeUnit(benchmark::kMicrosecond);
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) {
    throw Error("unknown flag \"" + std::string(arguments[1]) + "\"; --help lists the flags");
  }
}

/// Shuts down Google Benchmark on destruction.
struct BenchmarkShutdown {
  ~BenchmarkShutdown() { benchmark::Shutdown(); }
};

/// Sets the value of `name`, adding the entry if it does not exist.
void set(std::vector<std::pair<std::string, std::string>>& context, const std::string& name,
         const std::string& value) {
  const auto known =
      std::ranges::find(context, name, [](const auto& entry) { return entry.first; });
  if (known == context.end()) {
    context.emplace_back(name, value);
  } else {
    known->second = value;
  }
}

/// Precisions that a recording or its layers state, in the order of the file. The update of a
/// training step, which has a phase, is measured at fp32 only if that is asked for.
std::vector<Precision> stated_precisions(const Graph& graph) {
  std::vector<Precision> stated;
  if (const auto all = parse_precision(graph.precision)) stated.push_back(*all);
  for (const Layer& layer : graph.layers) {
    const auto own = parse_precision(layer.precision);
    if (own && !stored_precision(layer) && layer.phase.empty() &&
        std::ranges::find(stated, *own) == stated.end()) {
      stated.push_back(*own);
    }
  }
  return stated;
}

/// The selection, extended by the problems and the recorded calls of the given graphs, and by the
/// precisions that they state if none is asked for.
Selection selection_of(const SuiteOptions& options, const Registration& registration) {
  Selection selection = options.selection;
  std::set<Precision> precisions;
  bool has_stated = false;
  for (const std::filesystem::path& graph : options.graphs) {
    const Graph model = read_graph(graph);
    const std::vector<std::string> problems = problems_of(model);
    if (problems.empty()) throw Error(graph.string() + ": names no problem to measure");
    const auto floats = float_problems_of(model);
    const auto stored = stored_problems_of(model);
    for (const std::string& key : problems) {
      if (floats.contains(key)) selection.problems.push_back(key);
      for (const auto& [precision, keys] : stored) {
        if (keys.contains(key)) selection.stored_problems[precision].push_back(key);
      }
    }
    std::ranges::copy(model.recorded, std::back_inserter(selection.recorded));
    const std::vector<Precision> stated = stated_precisions(model);
    const auto& added = stated.empty() ? registration.precisions : stated;
    precisions.insert(added.begin(), added.end());
    has_stated = has_stated || !stated.empty();
  }
  if (has_stated && selection.precisions.empty()) {
    selection.precisions.assign(precisions.begin(), precisions.end());
  }
  return selection;
}

/// What the command line asks for: the problems' variants, or those of cases.
CasePlan plan(Backend& backend, const Registration& registration, const SuiteOptions& options,
              const Selection& selection) {
  if (options.cases.empty()) return {enumerate(backend, registration, selection), {}};
  std::vector<Case> cases;
  for (const std::filesystem::path& file : options.cases) {
    std::ranges::copy(read_cases(file), std::back_inserter(cases));
  }
  return plan_cases(backend, registration, selection, cases);
}

/// What all repetitions of a variant came to.
std::vector<CaseRow> rows_of(const std::string& name, const ResultStore& store,
                             std::int64_t repetitions) {
  std::vector<CaseRow> rows;
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    if (const Row* const row = store.find(name, repetition)) {
      rows.push_back({name, row->status, row->reason});
    }
  }
  return rows;
}

/// Prints the names; without a device, only those known without one.
void list(Backend& backend, const Registration& registration, const SuiteOptions& options,
          const Selection& selection) {
  Selection known = selection;
  known.only_known = true;
  for (const NamedVariant& variant : plan(backend, registration, options, known).variants) {
    std::cout << variant.name << '\n';
  }
  if (backend.devices().empty()) {
    std::cerr << "bench_" << backend.name()
              << ": no device here; what the library offers only on a device is not listed\n";
  }
}

/// Formats the flags like CLI11 formats those of the harness.
std::string lines_of(const std::vector<BackendFlag>& flags) {
  std::ostringstream lines;
  for (const BackendFlag& flag : flags) {
    const std::string name = flag.value.empty() ? flag.name : flag.name + '=' + flag.value;
    lines << "  " << std::left << std::setw(27) << name << ' ' << flag.help << '\n';
  }
  return lines.str();
}

/// Removes the rows that a run with these flags would measure, whatever their layout and algorithm,
/// from the files in options.forget.
void forget_selected(const SuiteOptions& options, const Origin& origin,
                     const Registration& registration, const Selection& selection) {
  const std::set<std::pair<std::string, Precision>> asked = asked_for(registration, selection);
  const NameFilter filter(selection.filter);
  const Forgotten done = forget(options.forget, origin, options.writer, [&](const Row& row) {
    const VariantName& name = row.variant;
    return asked.contains({name.key, name.precision}) && name.cold == selection.cold &&
           filter.matches(to_string(name));
  });
  const std::string program = "bench_" + origin.backend;
  for (const std::string& line : done.aside) std::cerr << program << ": " << line << '\n';
  std::cerr << program << ": " << done.rows << (done.rows == 1 ? " row" : " rows")
            << " removed from " << done.files << (done.files == 1 ? " file" : " files") << " in "
            << options.forget.string() << '\n';
}

/// Handles an empty selection: an error, unless other shards have problems or --ctest is given.
/// Returns the exit status.
int nothing_to_measure(Backend& backend, const Registration& registration,
                       const SuiteOptions& options, Selection selection) {
  if (options.ctest) {
    std::cout << "skipped: " << backend.name() << " has nothing that matches the flags\n";
    return static_cast<int>(Exit::skipped);
  }
  const Shard shard = std::exchange(selection.shard, {});
  if (shard.count == 1 || enumerate(backend, registration, selection).empty()) {
    throw Error("no benchmark matches the flags; --benchmark_list_tests=true shows what there is");
  }
  std::cerr << "bench_" << backend.name() << ": shard " << shard.index << '/' << shard.count
            << " is empty: there are fewer problems than shards\n";
  return 0;
}

/// The context's entry that says from which file the peaks are.
bool names_the_peaks(const std::pair<std::string, std::string>& entry) {
  return entry.first == "peaks";
}

/// The anchors of a file are those of all processes whose rows it holds.
void keep_earlier_anchors(const AnchorTimes& earlier,
                          std::vector<std::pair<std::string, std::string>>& context) {
  for (const auto& [anchor, seconds] : earlier) {
    const std::string name = "anchor_" + anchor + "_seconds";
    const auto own = std::ranges::find(context, name, &std::pair<std::string, std::string>::first);
    set(context, name, with_earlier_samples(seconds, own == context.end() ? "" : own->second));
  }
}

/// Lets a process of this number follow this one. Returns false if a signal has arrived meanwhile.
bool go_on(std::int64_t number, const SuiteOptions& options, const ResultStore& store,
           const InterruptGuard& interrupt) {
  const bool has_peaks = std::ranges::any_of(
      options.writer.context, [](const auto& entry) { return entry.first.starts_with("peak_"); });
  hold_signals();
  if (interrupt.signal() != 0) return false;
  start_again_at_exit(
      {.number = number, .first = store.first_process(), .started = options.place.started},
      has_peaks ? options.out.string() : "");
  return true;
}

/// Prints what was asked about the program instead of a run. Returns false if nothing was.
bool has_answered(const SuiteOptions& options, const Backend& backend) {
  if (options.answer) {
    std::cout << *options.answer << std::endl;
  } else if (options.help) {
    std::cout << options.help_text << '\n'
              << lines_of(backend.flags()) << "\nand the flags of Google Benchmark:\n"
              << std::flush;
    benchmark::PrintDefaultHelp();
  } else if (options.list_devices) {
    for (const std::string& device : backend.devices()) std::cout << device << '\n';
  } else {
    return false;
  }
  return true;
}

/// Throws Error where this run cannot be made on this system.
void require_possible(const SuiteOptions& options, Backend& backend, const Origin& origin) {
  if (options.energy_seconds && backend.energy_meter() == nullptr) {
    throw Error(
        "--energy: no energy counter: the driver has none, or /sys/class/powercap is not readable "
        "(root may read it)");
  }
  if (!options.one_system.empty()) require_one_system(options.one_system, origin);
  if (options.place.count > 1 && !backend.can_start_again()) {
    throw Error("--processes: the ranks of a collective cannot be started again; leave it out");
  }
}

/// Completes the context of the results after a run.
void complete_context(SuiteOptions& options, Backend& backend, const ResultStore& store) {
  // The backend's context may have changed during the run.
  for (const auto& [name, value] : backend.context()) set(options.writer.context, name, value);
  keep_earlier_anchors(store.earlier_anchors(), options.writer.context);
  if (has_peaks_of_run(options.out)) std::erase_if(options.writer.context, names_the_peaks);
}

/// The whole run's exit status, of which this process did `tally`.
int status_of_run(const Tally& tally, const CasePlan& planned, const SuiteOptions& options,
                  const Backend& backend, const ResultStore& store,
                  const InterruptGuard& interrupt) {
  Tally whole = tally;
  if (options.place.count > 1 || options.place.first) {
    whole = tally_of_run(planned.variants, store, options.repetitions);
    whole.lost_at = tally.lost_at;
  }
  if (options.ctest) print_ctest_measurements(whole, monotonic_seconds() - options.place.started);
  std::cout << std::flush;
  const std::string program = "bench_" + std::string(backend.name());
  const bool is_complete = whole.lost_at.empty() && interrupt.signal() == 0;
  if (planned.cases.empty() || !is_complete) {
    return exit_status(whole, interrupt.signal(), program);
  }
  const auto rows = [&](const std::string& name) {
    return rows_of(name, store, options.repetitions);
  };
  return exit_status(planned.cases.size(), unexpected(planned.cases, rows), program);
}

/// Measures what is planned, which is not empty and took `asking_seconds` to find out. Returns the
/// exit status.
int measure_planned(CasePlan planned, double asking_seconds, SuiteOptions& options,
                    Backend& backend, const Verifier& verifier, const Origin& origin,
                    Clock::time_point start) {
  for (const auto& [name, value] : backend.context()) {
    options.writer.context.emplace_back(name, value);
    benchmark::AddCustomContext(name, value);
  }
  options.display = display_of(options, std::ssize(planned.variants));
  // A file-size limit then causes a write error, like a full disk, instead of a signal.
  ::signal(SIGXFSZ, SIG_IGN);
  RunPlace& place = options.place;
  if (!place.first) place.started = monotonic_seconds();
  ResultStore store(options.out, origin, options.fresh);
  if (place.first) store.set_first_process(*place.first);
  while (place.number < place.count &&
         !is_anything_due(planned.variants, store, place.until(options.repetitions))) {
    ++place.number;
  }
  // Until the results are written, repeated signals of one interruption must not end the program.
  const InterruptGuard interrupt;
  accept_signals();
  const auto measure = options.serve ? &serve : &measure_all;
  const Tally tally = measure(planned.variants, options, backend, verifier, store, interrupt);
  interrupt.be_patient();
  complete_context(options, backend, store);
  const bool is_lost = !tally.lost_at.empty();
  const bool goes_on = is_lost ? search_survives_loss(options, backend) : tally.is_to_go_on;
  const bool is_last = !goes_on || interrupt.signal() != 0;
  if (options.display == Display::json && is_last) std::cout << store.document(options.writer);
  if (options.display == Display::problems && is_last) {
    std::cout << problem_lines(planned.variants, store, options.repetitions);
  }
  store.write(options.writer);

  const double wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  print_summary(tally, place, wall_seconds, asking_seconds);
  std::cout << std::flush;
  if (!is_last && is_lost) {
    std::cerr << "bench_" << backend.name() << ": the device was lost at " << tally.lost_at
              << "; going on without it\n";
  }
  const std::int64_t next = is_lost ? place.number : place.number + 1;
  if (!is_last && go_on(next, options, store, interrupt)) return 0;
  return status_of_run(tally, planned, options, backend, store, interrupt);
}

int run(int argc, char** argv, Backend& backend, const Registration& registration,
        const Verifier& verifier, std::span<Backend* const> companions) {
  const Clock::time_point start = Clock::now();
  SuiteOptions options = parse_options(argc, argv, backend);
  if (has_answered(options, backend)) return 0;
  const Selection selection = selection_of(options, registration);
  const BenchmarkShutdown shutdown;
  initialise_benchmark(options, argv[0]);
  if (options.list) {
    list(backend, registration, options, selection);
    return 0;
  }
  const Origin origin{std::string(backend.name()), backend.system()};
  if (!options.forget.empty()) {
    forget_selected(options, origin, registration, selection);
    return 0;
  }
  require_possible(options, backend, origin);
  if (!options.sequence.empty()) {
    run_sequence(backend, companions, options, verifier);
    return 0;
  }
  const Clock::time_point asked = Clock::now();
  CasePlan planned = plan(backend, registration, options, selection);
  const double asking_seconds = std::chrono::duration<double>(Clock::now() - asked).count();
  if (planned.variants.empty() && planned.cases.empty()) {
    return nothing_to_measure(backend, registration, options, selection);
  }
  if (!planned.variants.empty()) {
    options.measure.preparation_seconds =
        asking_seconds / static_cast<double>(planned.variants.size());
  }
  return measure_planned(std::move(planned), asking_seconds, options, backend, verifier, origin,
                         start);
}

}  // namespace

int bench_main(int argc, char** argv, Backend& backend, const Registration& registration,
               const Verifier& verifier, std::span<Backend* const> companions) {
  try {
    return run(argc, argv, backend, registration, verifier, companions);
  } catch (const NoDevice& none) {
    std::cerr << "bench_" << backend.name() << ": " << one_line(none.what()) << '\n';
    return static_cast<int>(Exit::skipped);
  } catch (const OtherSystem& error) {
    std::cerr << "bench_" << backend.name() << ": " << one_line(error.what()) << '\n';
    return static_cast<int>(Exit::other_system);
  } catch (const std::exception& error) {
    std::cerr << "bench_" << backend.name() << ": " << one_line(error.what()) << '\n';
    return static_cast<int>(Exit::error);
  }
}

}  // namespace benanza::harness
