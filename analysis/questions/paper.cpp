// benanza-analyze paper: the paper's tables and figures from this machine's results.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "analysis/model/whole.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/deepbench/published.h"
#include "analysis/questions/paper/study.h"
#include "analysis/render/svg.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

namespace fs = std::filesystem;

/// "Speed-up by layer fusion, fp32" -> "speed_up_by_layer_fusion_fp32"; of a long title the first
/// words.
std::string file_name(std::string_view title) {
  constexpr std::size_t longest = 60;
  std::string name;
  for (const char c : title) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  if (name.size() > longest) name.resize(std::min(longest, name.find_last_of('_', longest)));
  while (name.ends_with('_')) name.pop_back();
  return name;
}

std::string csv_of(const Sheet& sheet) {
  Section section{.csv_facts = {}};
  section.csv = sheet;
  Page page{.command = "paper"};
  page.sections.push_back(std::move(section));
  return page_csv(page);
}

/// Files of a folder; remove_others() deletes .csv and .svg files not written.
class FileSet {
 public:
  explicit FileSet(fs::path folder) : folder_(std::move(folder)) { make_directories(folder_); }
  void write(const std::string& name, const std::string& text) {
    write_file(folder_ / name, text);
    written_.insert(name);
  }
  void remove_others() const {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      const bool is_ours = name.ends_with(".csv") || name.ends_with(".svg");
      if (is_ours && !written_.contains(name)) fs::remove(entry.path());
    }
  }

 private:
  fs::path folder_;
  std::set<std::string> written_;
};

/// Writes index.html, tables/<name>.csv and figures/<number>_<title>.svg into `folder`, creating it
/// if needed, and removes other .csv and .svg files in tables/ and figures/. Deterministic: equal
/// studies give identical bytes. Throws Error if no chapter has data or a file cannot be written.
void write_paper(const Study& study, const std::string& title, const fs::path& folder) {
  std::vector<Chapter> all = chapters();
  std::ranges::stable_sort(all, {}, &Chapter::place);
  Page page{
      .command = "paper", .systems = study.inputs.results.systems, .note = study.inputs.left_out};
  const std::string caption = conditions(study);
  for (const Chapter& chapter : all) {
    std::optional<Section> section = chapter.of(study);
    if (!section) continue;
    section->heading = chapter.title;
    if (section->plot_caption.empty()) section->plot_caption = caption;
    page.sections.push_back(*std::move(section));
  }
  if (page.sections.empty()) throw Error("paper: no chapter has data for these models");

  make_directories(folder);
  FileSet tables(folder / "tables");
  FileSet figures(folder / "figures");
  int number = 0;
  for (const Section& section : page.sections) {
    for (const Block& block : section.blocks) {
      std::visit(
          [&]<class T>(const T& one) {
            if constexpr (std::is_same_v<T, Sheet>) {
              if (!one.name.empty()) tables.write(one.name + ".csv", csv_of(one));
            } else if constexpr (requires { svg_file(one, section.plot_caption); }) {
              const std::string picture = svg_file(one, section.plot_caption);
              if (!picture.empty()) {
                figures.write(fmt::format("{:02}_{}.svg", ++number, file_name(one.title)), picture);
              }
            }
          },
          block);
    }
  }
  tables.remove_others();
  figures.remove_others();
  write_file(folder / "index.html", page_html(page, title));
}

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
