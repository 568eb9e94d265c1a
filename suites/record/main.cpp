// benanza-record: records the library calls of a running program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/metrics/expression.h"
#include "core/metrics/metric_sets.h"
#include "core/program/program_flags.h"
#include "suites/record/cpu_counters.h"
#include "suites/record/cupti_library.h"
#include "suites/record/import_log.h"
#include "suites/record/recorder.h"
#include "suites/record/run_program.h"

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
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Runs the program that follows -- and records, children included, every call of oneDNN with "
      "its sizes, types and time, and the activity of NVIDIA GPUs: kernels, copies, graphs, CUDA "
      "calls, waits and NVTX ranges. The program's output and exit status are passed on.",
      "benanza-record");
  app.footer(
      "The program and its arguments follow --: benanza-record [OPTIONS] -- COMMAND [ARGS...]");
  std::string out = "benanza-record.db";
  std::string log;
  bool force = false;
  record::Wishes wishes;
  double delay = 0;
  double duration = 0;
  bool by_signal = false;
  app.add_option("--out", out, "The recording, an SQLite file")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--log", log,
                 "Instead of running a program, read a log that oneDNN printed (ONEDNN_VERBOSE=1)")
      ->type_name("FILE");
  std::string gpu = "auto";
  app.add_option("--gpu", gpu, "Record GPU activity: auto (if possible), on (say why if not), off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  app.add_option("--delay", delay, "Start recording this many seconds after the program's start")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--duration", duration,
                 "Stop recording after this many seconds; the program goes on")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  app.add_flag("--by-signal", by_signal,
               "Record from each SIGUSR1 until SIGUSR2; the program gets neither");
  app.add_option("--range", wishes.range,
                 "Record GPU activity only inside NVTX ranges of this name")
      ->type_name("NAME");
  std::string graphs = "nodes";
  app.add_option("--graphs", graphs,
                 "CUDA graphs by node, or as a whole, which disturbs the program less")
      ->check(CLI::IsMember({"nodes", "whole"}))
      ->capture_default_str();
  app.add_flag("--memory", wishes.memory, "Record the memory of GPUs that is allocated and freed");
  app.add_flag("--library-logs", wishes.library_logs,
               "Record calls of cuDNN, cuBLAS and cuBLASLt with their sizes, from the logs of "
               "these libraries, which slow the program down");
  std::string chip;
  std::vector<std::string> counters;
  std::vector<std::string> metric_texts;
  CLI::Option* const lists_counters =
      app.add_option("--list-counters", chip,
                     "List the counters, and which are not available here; with the name of a "
                     "chip (GH100), those of its kernels")
          ->type_name("CHIP")
          ->expected(0, 1);
  app.add_option("--counters", counters,
                 "Processor counters over the whole run, user mode, children included; or "
                 "CUPTI's of every kernel (dram__bytes_read.sum), which then is run several times "
                 "and not timed")
      ->type_name("NAME")
      ->delimiter(',');
  app.add_option("--metric", metric_texts,
                 "Arithmetic over counters: 'ipc = instructions / cycles'")
      ->type_name("NAME=EXPRESSION")
      ->allow_extra_args(false);
  std::vector<std::string> sets;
  app.add_option("--metrics", sets, "Well-chosen metrics of every kernel")
      ->check(CLI::IsMember({"memory", "compute", "tensor"}))
      ->delimiter(',');
  app.add_flag("--force", force, "Overwrite the file if it exists");
  add_program_flags(app);
  // Everything after "--" is the program's own.
  char** const separator = std::find(argv + 1, argv + argc, std::string_view("--"));
  const std::vector<std::string> command(std::min(separator + 1, argv + argc), argv + argc);
  try {
    app.parse(static_cast<int>(separator - argv), argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + ": see --help; the program follows --");
  }
  if (lists_counters->count() > 0) {
    list_counters(chip);
    return 0;
  }
  if (!log.empty()) {
    if (!command.empty()) throw Error("--log: goes without a program");
    prepare_file(out, force);
    record::import_log(log, out);
    return 0;
  }
  if (command.empty()) {
    throw Error("no program: benanza-record [OPTIONS] -- COMMAND [ARGS...]");
  }
  std::vector<Metric> metrics;
  std::vector<Metric> kernel_metrics;
  for (const std::string& set : sets) {
    for (const std::string& text : gpu_metric_set(set)) metric_texts.push_back(text);
  }
  for (const std::string& text : metric_texts) {
    Metric metric = parse_metric(text);
    (is_of_kernels(metric) ? kernel_metrics : metrics).push_back(std::move(metric));
  }
  const auto of_kernels = std::ranges::stable_partition(
      counters, [](const std::string& name) { return !is_of_kernels(std::string_view(name)); });
  const std::vector<std::string> kernel_counters(of_kernels.begin(), of_kernels.end());
  counters.erase(of_kernels.begin(), of_kernels.end());
  wishes.kernel_counters = needed(kernel_counters, kernel_metrics);
  for (const Metric& metric : kernel_metrics) {
    wishes.kernel_metrics.emplace_back(metric.name, metric.expression.text());
  }
  // What was asked for by name has a column of its own.
  for (const std::string& name : kernel_counters) wishes.kernel_metrics.emplace_back(name, name);
  std::optional<record::CpuCounters> counting;
  if (!counters.empty() || !metrics.empty()) counting.emplace(needed(counters, metrics));
  prepare_file(out, force);
  wishes.gpu = gpu == "on"    ? record::Wishes::Gpu::on
               : gpu == "off" ? record::Wishes::Gpu::off
                              : record::Wishes::Gpu::automatic;
  wishes.whole_graphs = graphs == "whole";
  const record::Window window(delay, duration > 0 ? std::optional(duration) : std::nullopt,
                              by_signal);
  record::Recorder recorder(out, command, wishes, window);
  if (counting) recorder.count(std::move(*counting), std::move(metrics));
  return recorder.run();
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
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "benanza-record: " << message << '\n';
  return status;
}
