// benanza-record: records the library calls of a running program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/metrics/expression.h"
#include "core/program/program_flags.h"
#include "record/capture/cpu_counters.h"
#include "record/capture/cupti_library.h"
#include "record/capture/import_log.h"
#include "record/capture/recorder.h"
#include "record/capture/run_program.h"

namespace {

using namespace benanza;

/// Removes an existing file for a new recording. Throws Error if the file must not be removed.
void prepare_file(const std::filesystem::path& file, bool force) {
  if (!std::filesystem::exists(file)) return;
  if (!force) {
    throw Error(file.string() +
                ": is there already; --force overwrites it, --out FILE names another");
  }
  if (!std::filesystem::is_regular_file(file)) {
    throw Error(file.string() + ": is no regular file; --out FILE names another");
  }
  std::filesystem::remove(file);
  // The journal of a recording that was killed: SQLite would replay it into the new one.
  std::filesystem::remove(file.string() + "-journal");
}

void list_counters(const std::string& chip) {
  if (!chip.empty()) return record::list_kernel_counters(std::cout, chip);
  std::cout << "Of the processor, over the whole run:\n";
  for (const record::CounterKind& kind : record::counter_kinds()) {
    const std::string missing = record::why_not(kind);
    std::cout << kind.name << ": " << kind.description;
    if (!missing.empty()) std::cout << " (not here: " << missing << ')';
    std::cout << '\n';
  }
  std::cout << "\nOf the kernels of the first GPU, each with one of its endings:\n";
  record::list_kernel_counters(std::cout, std::nullopt);
}

/// CUPTI's names have two underscores: "smsp__inst_executed.sum".
bool is_of_kernels(std::string_view counter) {
  return counter.find("__") != std::string_view::npos;
}
bool is_of_kernels(const Metric& metric) {
  const auto& names = metric.expression.names();
  const auto count = std::ranges::count_if(
      names, [](const std::string& name) { return is_of_kernels(std::string_view(name)); });
  if (count != 0 && count != static_cast<std::ptrdiff_t>(names.size())) {
    throw Error("--metric " + metric.name +
                ": mixes counters of the processor, which are of the whole run, with those of "
                "kernels");
  }
  return count != 0;
}

/// The requested counters, and those that the metrics need.
std::vector<std::string> needed(std::vector<std::string> names,
                                const std::vector<Metric>& metrics) {
  for (const Metric& metric : metrics) {
    for (const std::string& name : metric.expression.names()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

/// What the command line says.
struct CommandLine {
  std::string out = "benanza-record.db";
  std::string log{};
  bool force = false;
  std::string gpu = "auto";
  std::string graphs = "nodes";
  double delay = 0;
  double duration = 0;
  bool by_signal = false;
  bool lists_counters = false;
  std::string chip{};
  std::vector<std::string> counters{};
  std::vector<std::string> metrics{};
  std::vector<std::string> metric_sets{};
  record::RecordOptions options{};
  /// Everything after "--".
  std::vector<std::string> program{};
};

void add_recording_flags(CLI::App& app, CommandLine& line) {
  app.add_option("--out", line.out, "The recording, an SQLite file")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--log", line.log,
                 "Instead of running a program, read a log that oneDNN printed (ONEDNN_VERBOSE=1)")
      ->type_name("FILE");
  app.add_option("--gpu", line.gpu,
                 "Record GPU activity: auto (if possible), on (say why if not), off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_option("--delay", line.delay,
                 "Start recording this many seconds after the program's start")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--duration", line.duration,
                 "Stop recording after this many seconds; the program goes on")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app.add_flag("--by-signal", line.by_signal,
               "Record from each SIGUSR1 until SIGUSR2; the program gets neither");
  app.add_option("--range", line.options.range,
                 "Record GPU activity only inside NVTX ranges of this name")
      ->type_name("NAME");
  app.add_option("--graphs", line.graphs,
                 "CUDA graphs by node, or as a whole, which disturbs the program less")
      ->check(CLI::IsMember({"nodes", "whole"}))
      ->capture_default_str();
  app.add_flag("--memory", line.options.memory,
               "Record the memory of GPUs that is allocated and freed");
  app.add_flag("--library-logs", line.options.library_logs,
               "Record calls of cuDNN, cuBLAS and cuBLASLt with their sizes, from the logs of "
               "these libraries, which slow the program down");
}

/// Returns the flag that lists counters.
CLI::Option* add_counter_flags(CLI::App& app, CommandLine& line) {
  CLI::Option* const lists_counters =
      app.add_option("--list-counters", line.chip,
                     "List the counters and which are unavailable here; with a chip's name "
                     "(GH100), its kernel counters")
          ->type_name("CHIP")
          ->expected(0, 1);
  app.add_option("--counters", line.counters,
                 "Processor counters over the whole run (user mode, children included), or CUPTI "
                 "counters per kernel (dram__bytes_read.sum), for which each kernel runs several "
                 "times and is not timed")
      ->type_name("NAME")
      ->delimiter(',');
  app.add_option("--metric", line.metrics,
                 "Arithmetic over counters: 'ipc = instructions / cycles'")
      ->type_name("NAME=EXPRESSION")
      ->allow_extra_args(false);
  app.add_option("--metrics", line.metric_sets, "Predefined metrics per kernel")
      ->check(CLI::IsMember({"memory", "compute", "tensor"}))
      ->delimiter(',');
  return lists_counters;
}

/// The exit status if the program has nothing else to do (--help).
std::optional<int> read_command_line(int argc, char** argv, CommandLine& line) {
  CLI::App app(
      "Runs the program that follows -- and records, children included, every call of oneDNN with "
      "its sizes, types and time, and the activity of NVIDIA GPUs: kernels, copies, graphs, CUDA "
      "calls, waits and NVTX ranges. The program's output and exit status are passed on.",
      "benanza-record");
  app.footer(
      "The program and its arguments follow --: benanza-record [OPTIONS] -- COMMAND [ARGS...]");
  add_recording_flags(app, line);
  CLI::Option* const lists_counters = add_counter_flags(app, line);
  app.add_flag("--force", line.force, "Overwrite the file if it exists");
  add_program_flags(app);
  char** const separator = std::find(argv + 1, argv + argc, std::string_view("--"));
  line.program.assign(std::min(separator + 1, argv + argc), argv + argc);
  try {
    app.parse(static_cast<int>(separator - argv), argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + ": see --help; the program follows --");
  }
  using Gpu = record::RecordOptions::Gpu;
  line.lists_counters = lists_counters->count() > 0;
  line.options.gpu = line.gpu == "on" ? Gpu::on : line.gpu == "off" ? Gpu::off : Gpu::automatic;
  line.options.whole_graphs = line.graphs == "whole";
  return std::nullopt;
}

/// The counters and metrics of the whole run.
struct RunCounters {
  std::optional<record::CpuCounters> counters{};
  std::vector<Metric> metrics{};
};

/// Those of kernels go into `line.options`. Throws Error if one is unknown or not available.
RunCounters requested_counters(CommandLine& line) {
  RunCounters run;
  std::vector<Metric> kernel_metrics;
  for (const std::string& set : line.metric_sets) {
    for (const std::string& text : gpu_metric_set(set)) line.metrics.push_back(text);
  }
  for (const std::string& text : line.metrics) {
    Metric metric = parse_metric(text);
    (is_of_kernels(metric) ? kernel_metrics : run.metrics).push_back(std::move(metric));
  }
  const auto of_kernels = std::ranges::stable_partition(line.counters, [](const std::string& name) {
    return !is_of_kernels(std::string_view(name));
  });
  const std::vector<std::string> kernel_counters(of_kernels.begin(), of_kernels.end());
  line.counters.erase(of_kernels.begin(), of_kernels.end());
  line.options.kernel_counters = needed(kernel_counters, kernel_metrics);
  for (const Metric& metric : kernel_metrics) {
    line.options.kernel_metrics.emplace_back(metric.name, metric.expression.text());
  }
  // What was asked for by name has a column of its own.
  for (const std::string& name : kernel_counters) {
    line.options.kernel_metrics.emplace_back(name, name);
  }
  if (!line.counters.empty() || !run.metrics.empty()) {
    run.counters.emplace(needed(line.counters, run.metrics));
  }
  return run;
}

int record_program(CommandLine line) {
  if (line.program.empty()) {
    throw Error("no program: benanza-record [OPTIONS] -- COMMAND [ARGS...]");
  }
  RunCounters counters = requested_counters(line);
  prepare_file(line.out, line.force);
  const record::Window window(
      line.delay, line.duration > 0 ? std::optional(line.duration) : std::nullopt, line.by_signal);
  record::Recorder recorder(line.out, line.program, line.options, window);
  if (counters.counters) {
    recorder.count(std::move(*counters.counters), std::move(counters.metrics));
  }
  return recorder.run();
}

int run(int argc, char** argv) {
  CommandLine line;
  if (const auto status = read_command_line(argc, argv, line)) return *status;
  if (line.lists_counters) {
    list_counters(line.chip);
    return 0;
  }
  if (line.log.empty()) return record_program(std::move(line));
  if (!line.program.empty()) throw Error("--log: goes without a program");
  prepare_file(line.out, line.force);
  if (const auto log = record::import_log(line.log, line.out); log.dropped > 0) {
    std::fprintf(stderr,
                 "benanza-record: %s: %zu line%s left out: broken, or of an unknown "
                 "kind; first \"%s\"\n",
                 line.log.c_str(), log.dropped,
                 log.dropped == 1 ? " of the library is" : "s of the library are",
                 log.first_dropped.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 125;
  std::string message;
  try {
    return run(argc, argv);
  } catch (const benanza::record::NotStarted& error) {
    status = error.status();
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  }
  std::ranges::replace(message, '\n', ' ');
  std::cerr << "benanza-record: " << message << '\n';
  return status;
}
