// benanza-analyze report: every answer as one HTML page, and the bound's schedule as a trace.

#include <algorithm>
#include <memory>

#include "analysis/questions/bound/seen.h"
#include "analysis/questions/common/question.h"
#include "analysis/questions/common/row_marks.h"
#include "analysis/questions/findings/judge.h"
#include "analysis/questions/report/overview.h"
#include "analysis/questions/report/trace.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza::analysis {
namespace {

std::string heading_of(const Subject& subject) {
  return title(subject.graph) + ", " + std::string(to_string(subject.filter.precision));
}

/// What the report begins with: the first findings of one model, or of several those that gain most
/// of their model's time.
class FrontPage {
 public:
  void add(const std::string& heading, const Section& findings) {
    for (const Block& block : findings.blocks) {
      if (const auto* points = std::get_if<Points>(&block)) lists_.emplace_back(heading, *points);
    }
  }

  /// Empty if there is nothing to say.
  std::optional<Section> section() && {
    if (lists_.empty()) return std::nullopt;
    Section section{.heading = "Findings"};
    if (lists_.size() == 1) {
      section.add(std::move(lists_.front().second));
      return section;
    }
    Points first{.title = "What would help most, of each model's time",
                 .note = "The others are in the models' chapters."};
    for (auto& [heading, points] : lists_) {
      for (Points::Point& point : points.points) {
        if (point.weight <= 0) continue;
        point.head = heading + ": " + point.head;
        first.points.push_back(std::move(point));
      }
    }
    std::ranges::stable_sort(first.points, std::ranges::greater{}, &Points::Point::weight);
    if (first.points.size() > most_findings) first.points.resize(most_findings);
    if (first.points.empty()) return std::nullopt;
    section.add(std::move(first));
    return section;
  }

 private:
  std::vector<std::pair<std::string, Points>> lists_;
};

/// Adds the chapters of one model and their headlines; its findings to the front page, and to the
/// chapters if it is not the only one.
void add_chapters(const Subject& subject, const std::vector<Question>& questions, Page& page,
                  Overview& overview, FrontPage& front) {
  const std::string heading = heading_of(subject);
  overview.add_model(title(subject.graph), subject.filter.precision);
  for (const Question& question : questions) {
    if (question.section == nullptr) continue;
    std::optional<Section> section = question.section(subject);
    if (!section) continue;
    if (question.name == "findings") {
      front.add(heading, *section);
      if (subject.inputs.graphs.size() * subject.inputs.filters.size() == 1) continue;
    }
    if (question.name == "bound") {
      add_row_marks(*section, subject.graph, subject.measurements(), subject.filter,
                    subject.movement());
    }
    section->group = heading;
    section->heading = question.chapter.empty() ? question.name : question.chapter;
    if (!section->chapter.empty()) section->heading = section->chapter;
    for (const Headline& headline : section->headlines) overview.add(headline);
    page.sections.push_back(*std::move(section));
  }
}

struct ReportOptions {
  CommonFlags common;
  std::string tensor_cores = "fp16";
  std::string out;
  std::string trace;
};

std::string page_of(const Inputs& inputs, Precision tensor_cores) {
  std::vector<Question> asked = questions();
  std::ranges::stable_sort(asked, {}, &Question::place);
  Page page{.command = "report", .systems = inputs.results.systems, .note = inputs.left_out};
  Overview overview;
  FrontPage front;
  for (const Graph& graph : inputs.graphs) {
    for (const MeasurementFilter& filter : inputs.filters) {
      complete_times({.inputs = inputs,
                      .graph = graph,
                      .filter = filter,
                      .allow_missing = inputs.allow_missing});
      // Each chapter reports what it lacks itself.
      add_chapters({.inputs = inputs,
                    .graph = graph,
                    .filter = filter,
                    .allow_missing = true,
                    .tensor_cores = tensor_cores},
                   asked, page, overview, front);
    }
    if (auto compared = precisions_section(inputs, graph)) {
      page.sections.push_back(*std::move(compared));
    }
  }
  page.sections.insert(page.sections.begin(), std::move(overview).section());
  if (auto first = std::move(front).section()) {
    page.sections.insert(page.sections.begin(), *std::move(first));
  }
  return page_html(page, "Benanza report");
}

/// The trace of the only model. Throws Error if there are several.
std::string trace_of(const Inputs& inputs) {
  if (inputs.graphs.size() != 1 || inputs.filters.size() != 1) {
    throw Error("--trace is of one model at one precision: give one --graph and one --precision");
  }
  const Graph& graph = inputs.graphs.front();
  const auto times = complete_times({.inputs = inputs,
                                     .graph = graph,
                                     .filter = inputs.filters.front(),
                                     .allow_missing = inputs.allow_missing});
  const Profile* profile = inputs.profiles.empty() ? nullptr : &inputs.profiles.front();
  return trace_json(graph, times, inputs.movement, profile);
}

void report_answer(const ReportOptions& options) {
  if (options.out.empty() && options.trace.empty()) {
    throw Error("say where to write: --out FILE.html, --trace FILE.json");
  }
  const Precision tensor_cores = precision_of(options.tensor_cores, "--tensor-cores");
  const Inputs inputs = read_inputs(options.common);
  require_seen(inputs);
  // Both texts before any file, so that an error leaves no file behind.
  const std::string trace = options.trace.empty() ? "" : trace_of(inputs);
  const std::string page = options.out.empty() ? "" : page_of(inputs, tensor_cores);
  if (!options.out.empty()) {
    write_file(options.out, page);
    print(options.out + '\n');
  }
  if (!options.trace.empty()) {
    write_file(options.trace, trace);
    print(options.trace + '\n');
  }
}

Action ask_report(Flags& flags) {
  const auto options = std::make_shared<ReportOptions>();
  add_input_flags(flags, options->common);
  add_seen_flag(flags, options->common);
  add_sequence_flag(flags, options->common);
  add_plan_flag(flags, options->common);
  add_filter_flags(flags, options->common, "fp32");
  flags.add("--tensor-cores", options->tensor_cores, "Precision with Tensor Cores");
  flags.add("--out", options->out, "The page; it is self-contained", "HTML");
  flags.add("--trace", options->trace, "Chrome trace, for Perfetto", "JSON");
  return [options] { report_answer(*options); };
}

}  // namespace

Question report_question() {
  return {.name = "report",
          .help = "Every answer, with plots, as one HTML page; the bound's schedule as a trace",
          .ask = ask_report};
}

}  // namespace benanza::analysis
