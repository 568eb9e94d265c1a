#include "generator/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/program/program_flags.h"
#include "generator/onnx/operators/shared/experts.h"

namespace benanza {
namespace {

/// The flags as they were given.
struct Flags {
  std::vector<std::string> models;
  std::vector<std::string> lists;
  std::vector<std::string> recordings;
  std::vector<std::int64_t> batches;
  std::vector<std::string> dims;
  std::vector<std::string> inputs;
  std::string expert_load;
  std::vector<std::string> precisions{"fp32"};
  std::string out;
  std::string refused_list;
  std::string summary;
  std::string optimizer;
  bool sharing = false;
  bool pads = false;
  bool clean = false;
};

void add_sources(CLI::App& app, Flags& flags) {
  app.add_option("MODEL", flags.models, "ONNX files");
  app.add_option("--list", flags.lists,
                 "A list of problems, instead of or in addition to models: FOLDER/SET, a folder of "
                 "tables and the set of rows; may be repeated")
      ->type_name("FOLDER/SET")
      ->allow_extra_args(false);
  app.add_option("--recording", flags.recordings,
                 "Generate from benanza-record files instead of models")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--batch", flags.batches, "Batch sizes: dimension 0 of every input")
      ->delimiter(',')
      ->type_name("N[,N...]")
      ->allow_extra_args(false);
  app.add_option(
         "--dim", flags.dims,
         "Value of a dimension that the model leaves open: its name, or tensor and axis; or how "
         "often a Loop runs; may be repeated")
      ->type_name("NAME=N|TENSOR:AXIS=N|LOOP:rounds=N")
      ->allow_extra_args(false);
  app.add_option("--input", flags.inputs,
                 "Values of an input that decides what the model does, e.g. which branch an If "
                 "takes; may be repeated")
      ->type_name("NAME=VALUE[,VALUE...]")
      ->allow_extra_args(false);
  app.add_option("--expert-load", flags.expert_load,
                 "How many tokens each expert of a mixture gets (default: balanced)")
      ->type_name("balanced|power_law:ALPHA|N,N,...");
  app.add_option(
         "--precision", flags.precisions,
         "fp32, tf32, fp16, bf16, int8, fp8 (default: fp32; for a recording, each call's own)")
      ->delimiter(',')
      ->type_name("P[,P...]")
      ->allow_extra_args(false);
}

void add_outputs(CLI::App& app, Flags& flags) {
  app.add_flag("--training{sgd}", flags.optimizer,
               "Training steps instead of inference: forward, backward and update, with SGD and "
               "momentum, or with Adam (--training=adam)")
      ->check(CLI::IsMember({"sgd", "adam"}));
  app.add_flag("--padded", flags.pads,
               "Also measure products with weights and convolutions padded to sizes that fast "
               "kernels like, with the copies that this takes: fusions named padded");
  app.add_option("--out", flags.out,
                 "Folder for problems.cpp, tests.cmake and the graph.json files");
  app.add_flag("--clean", flags.clean,
               "Remove the graph files that the last call with this --out wrote and this one does "
               "not");
  app.add_option("--skip-refused", flags.refused_list,
                 "Write unreadable models to this file, one per line with path, tab and reason, "
                 "and succeed if at least one model was read")
      ->type_name("FILE");
  app.add_flag("--summary{brief}", flags.summary,
               "Print a table of each model's layers; =all lists operators that need no work, too; "
               "needs no --out");
  app.add_flag("--unique", flags.sharing,
               "Print how many problems all the models share; needs no --out");
}

void require_consistent(const CLI::App& app, const Flags& flags) {
  if (!flags.recordings.empty()) {
    if (!flags.models.empty() || !flags.lists.empty()) {
      throw Error("--recording: goes without models; call it once for each");
    }
    for (const char* option : {"--batch", "--dim", "--input", "--expert-load", "--training",
                               "--summary", "--unique", "--skip-refused", "--padded"}) {
      if (app.count(option) > 0) throw Error(std::string(option) + ": goes with models only");
    }
    if (flags.out.empty()) throw Error("--out DIR is missing");
    return;
  }
  if (!flags.summary.empty() && flags.summary != "brief" && flags.summary != "all") {
    throw Error("--summary=" + flags.summary + ": wants --summary or --summary=all");
  }
  if (flags.out.empty() && flags.summary.empty() && !flags.sharing) {
    throw Error("--out DIR is missing");
  }
  if (flags.models.empty() && flags.lists.empty()) {
    throw Error("MODEL is missing, or --list: see --help");
  }
}

GenerateOptions options_of(const Flags& flags) {
  GenerateOptions options{{flags.models.begin(), flags.models.end()}, flags.batches, {}};
  options.lists = {flags.lists.begin(), flags.lists.end()};
  for (const std::string& dim : flags.dims) options.dims.insert(parse_dim(dim));
  for (const std::string& input : flags.inputs) options.values.insert(parse_input(input));
  options.pads = flags.pads;
  if (!flags.expert_load.empty()) {
    onnx::require_expert_load(flags.expert_load);
    options.expert_load = flags.expert_load;
  }
  if (!flags.optimizer.empty()) {
    options.training =
        flags.optimizer == "adam" ? training::Optimizer::adam : training::Optimizer::sgd_momentum;
  }
  return options;
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CLI::App app(
      "Turns ONNX models, or the calls of recorded programs, into the problems that the benchmark "
      "suites measure.",
      "benanza-generate");
  Flags flags;
  add_sources(app, flags);
  add_outputs(app, flags);
  add_program_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    CommandLine answered;
    answered.exit_status = app.exit(success);
    return answered;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + ": see --help");
  }
  require_consistent(app, flags);
  CommandLine line{.options = options_of(flags),
                   .recordings = flags.recordings,
                   .precisions = parse_precisions(flags.precisions),
                   .out = flags.out,
                   .refused_list = flags.refused_list,
                   .shows_sharing = flags.sharing};
  if (!flags.recordings.empty() && app.count("--precision") == 0) line.precisions.clear();
  if (flags.clean) line.old_graphs = emit::OldGraphs::remove;
  if (!flags.summary.empty()) {
    line.summary = flags.summary == "all" ? emit::SummaryRows::all : emit::SummaryRows::brief;
  }
  return line;
}

std::pair<std::string, std::int64_t> parse_dim(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals != std::string::npos && equals > 0) {
    const auto value = text::number<std::int64_t>(std::string_view(text).substr(equals + 1));
    if (value && *value >= 0) return {text.substr(0, equals), *value};
  }
  throw Error("--dim " + text + ": wants NAME=N, N being a whole number");
}

std::pair<std::string, std::string> parse_input(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error("--input " + text + ": wants NAME=VALUE, or NAME=VALUE,VALUE,...");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<Precision> parse_precisions(const std::vector<std::string>& names) {
  std::vector<Precision> precisions;
  for (const std::string& name : names) {
    const auto precision = parse_precision(name);
    if (!precision) {
      throw Error("--precision " + name + ": wants fp32, tf32, fp16, bf16, int8 or fp8");
    }
    if (std::ranges::find(precisions, *precision) == precisions.end()) {
      precisions.push_back(*precision);
    }
  }
  return precisions;
}

}  // namespace benanza
