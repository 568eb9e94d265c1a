// benanza-analyze paper: the paper's tables and figures from this machine's results.

#include <memory>

#include "analysis/model/whole.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/deepbench/published.h"
#include "analysis/questions/paper/artifact.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

struct PaperOptions {
  CommonFlags common;
  std::string tensor_cores = "fp16";
  std::string title = "Lower-bound latency, and what keeps frameworks from it";
  std::string out;
  std::vector<std::string> collectives;
  std::vector<std::string> recordings;
};

void paper_answer(const PaperOptions& options) {
  if (options.out.empty()) throw Error("say where to write: --out FOLDER");
  if (options.common.cold) {
    throw Error("--cold: the paper is of bounds, and sums of cold calls are none: leave it out");
  }
  const Precision tensor_cores = precision_of(options.tensor_cores, "--tensor-cores");
  const Inputs inputs = read_inputs(options.common);
  Study study{.inputs = inputs, .models = {}, .lists = {}, .collectives = {}};
  if (!options.collectives.empty()) {
    const Results results = read_results({options.collectives.begin(), options.collectives.end()});
    study.collectives = collective_curves(results.measurements, Precision::fp32, "");
  }
  study.recordings = read_recordings(options.recordings);
  for (const MeasurementFilter& filter : inputs.filters) {
    for (const Graph& graph : inputs.graphs) {
      complete_times({.inputs = inputs,
                      .graph = graph,
                      .filter = filter,
                      .allow_missing = inputs.allow_missing});
      auto& studied = is_list(graph) ? study.lists : study.models;
      studied.emplace_back(inputs, graph, filter, tensor_cores);
    }
  }
  write_paper(study, options.title, options.out);
  print(options.out + "/index.html\n");
}

Action ask_paper(Flags& flags) {
  const auto options = std::make_shared<PaperOptions>();
  add_input_flags(flags, options->common);
  add_filter_flags(flags, options->common, "fp32");
  add_sequence_flag(flags, options->common);
  flags.add("--tensor-cores", options->tensor_cores, "Precision with Tensor Cores");
  flags.add("--collectives", options->collectives,
            "Results of bench_nccl or bench_mpi: training steps on several GPUs", "FILE|DIR|DB");
  flags.add("--recordings", options->recordings,
            "Files of benanza-record: flat profiles of programs", "RECORDING");
  flags.add("--title", options->title, "Title of the document");
  flags.add("--out", options->out, "Folder for index.html, tables/ and figures/", "FOLDER");
  return [options] { paper_answer(*options); };
}

}  // namespace

Question paper_question() {
  return {.name = "paper",
          .help = "The paper's tables and figures: one HTML document, CSV and SVG files",
          .ask = ask_paper};
}

}  // namespace benanza::analysis
