// benanza-analyze joint: every subset of the optimisations as one table.

#include "analysis/questions/joint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ranges>
#include <tuple>

#include "analysis/model/fusion.h"
#include "analysis/model/whole.h"
#include "analysis/profiles/latency.h"
#include "analysis/questions/common/question.h"
#include "analysis/render/table.h"
#include "core/base/error.h"

namespace benanza::analysis {
namespace {

constexpr std::array members{&Optimisations::parallel, &Optimisations::algorithms,
                             &Optimisations::fusion, &Optimisations::tensor_cores};
constexpr std::array<std::string_view, members.size()> names{"parallel", "algorithms", "fusion",
                                                             "Tensor Cores"};

std::size_t count(const Optimisations& on) {
  std::size_t set = 0;
  for (const auto member : members) set += on.*member ? 1 : 0;
  return set;
}

MeasurementFilter filter_with(const Optimisations& on, MeasurementFilter filter,
                              Precision tensor_core_precision) {
  filter.policy = on.algorithms ? AlgorithmPolicy::fastest : AlgorithmPolicy::heuristic;
  filter.fused_calls = on.fusion;
  if (on.tensor_cores) {
    filter.fallback = filter.precision;
    filter.precision = tensor_core_precision;
  }
  return filter;
}

/// Both bounds, and the times if any lacks a measurement.
struct Solved {
  double sequential = 0;
  double parallel = 0;
  std::vector<LayerTime> incomplete{};
};

Solved solve(const std::vector<Layer>& layers, const std::vector<LayerTime>& times,
             Movement movement) {
  const std::vector<double> seconds = counted_seconds(times, movement);
  return {.sequential = sequential_seconds(seconds),
          .parallel = critical_path(layers, seconds).seconds};
}

Solved solve(const Graph& graph, const MeasurementSet& measurements,
             const MeasurementFilter& filter, const std::vector<std::size_t>& left_out, bool fusion,
             Movement movement) {
  std::vector<LayerTime> times = operator_times(graph, measurements, filter, movement);
  leave_out(times, left_out);
  Solved solved;
  if (fusion) {
    std::vector<LayerTime> fusions = fusion_times(graph, measurements, filter);
    std::vector<LayerTime> alone = layer_times(graph, measurements, filter);
    leave_out(alone, left_out);
    // All bounds cover the same layers, so exclude fusions with a layer that the other bounds lack.
    std::vector<std::size_t> wholes;
    for (std::size_t index = 0; index < fusions.size(); ++index) {
      const std::vector<std::size_t>& members = graph.fusions[index].layers;
      const auto lacks = [&](std::size_t layer) { return lacks_time(times[layer], movement); };
      if (std::ranges::any_of(members, lacks)) fusions[index].status = LayerStatus::unsupported;
      if (times[members.back()].does == members) wholes.push_back(index);
    }
    const Cover cover = fusion_cover(graph, alone, fusions, movement);
    const auto solved_with = [&](const std::vector<std::size_t>& used) {
      const FusedGraph fused = fused_graph(graph, alone, fusions, used);
      return solve(fused.graph.layers, fused.times, movement);
    };
    solved = solved_with(cover.pieces);
    solved.parallel =
        solved_with(parallel_fusions(graph, alone, fusions, movement, cover, wholes)).parallel;
    // Missing measurements of a fusion are listed under its first layer.
    for (std::size_t index = 0; index < fusions.size(); ++index) {
      std::vector<Gap>& gaps = times[graph.fusions[index].layers.front()].gaps;
      gaps.insert(gaps.end(), fusions[index].gaps.begin(), fusions[index].gaps.end());
    }
  } else {
    solved = solve(graph.layers, times, movement);
  }
  const bool complete =
      std::ranges::all_of(times, [](const LayerTime& time) { return time.gaps.empty(); });
  if (!complete) solved.incomplete = std::move(times);
  return solved;
}

/// 1 if nothing was measured.
double joint_speed_up(double before, double after) { return after > 0 ? before / after : 1; }

/// The speed-ups of every subset for one of several models.
struct JointColumn {
  std::string heading{};
  JointAnswer answer{};
};

/// "parallel + fusion"; the last optimisation is called `last`.
std::string joined(const Optimisations& on, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!(on.*members[i])) continue;
    if (!text.empty()) text += " + ";
    text += i + 1 < members.size() ? names[i] : last;
  }
  return text.empty() ? "none" : text;
}

/// On processors a lower precision is called by its name.
std::string name_of(const Optimisations& on, const JointAnswer& answer) {
  return joined(on, answer.of_gpu ? names.back() : to_string(answer.tensor_core_precision));
}

/// From no optimisation to all, adding one at a time.
Waterfall waterfall(const JointAnswer& answer, Precision without) {
  const auto milliseconds = [&](const Optimisations& on) {
    const std::string name = to_string(on);
    return std::ranges::find_if(answer.rows,
                                [&](const JointRow& row) { return to_string(row.on) == name; })
               ->seconds *
           1e3;
  };
  Waterfall plot{.title = "What the optimisations gain, one after the other", .unit = "ms"};
  if (answer.measured_seconds) {
    plot.steps.emplace_back(answer.framework + ", measured", *answer.measured_seconds * 1e3);
  }
  Optimisations on;
  plot.steps.emplace_back("the library's algorithms", milliseconds(on));
  on.algorithms = true;
  plot.steps.emplace_back("best algorithms", milliseconds(on));
  on.fusion = true;
  plot.steps.emplace_back("fusion", milliseconds(on));
  if (answer.tensor_core_precision != without) {
    on.tensor_cores = true;
    plot.steps.emplace_back(
        answer.of_gpu ? fmt::format("Tensor Cores ({})", to_string(answer.tensor_core_precision))
                      : std::string(to_string(answer.tensor_core_precision)),
        milliseconds(on));
  }
  on.parallel = true;
  plot.steps.emplace_back("parallel layers", milliseconds(on));
  plot.steps.emplace_back("all together", milliseconds(on));
  return plot;
}

Section joint_section(const Graph& graph, const MeasurementFilter& filter,
                      const JointAnswer& answer, Movement movement) {
  Section section = model_section(graph, filter, movement);
  const bool has_tensor_cores = answer.tensor_core_precision != filter.precision;
  if (has_tensor_cores) {
    section.facts["tensor_core_precision"] = to_string(answer.tensor_core_precision);
  }
  section.facts["measured_seconds"] = answer.measured_seconds;
  const JointRow& plain = answer.rows.front();
  const JointRow& all = answer.rows.back();
  section.add(
      fmt::format("without any: {:.3f} ms (layers one after the other, each call as the library's "
                  "heuristic picks it, {})",
                  plain.seconds * 1e3, to_string(filter.precision)));
  section.add(fmt::format(
      "all of them: {:.3f} ms, {:.2f} times as fast; each alone, multiplied: {:.2f}; they compose "
      "to {:.0f}% of that",
      all.seconds * 1e3, all.speed_up, all.composed_speed_up,
      100 * all.speed_up / all.composed_speed_up));
  if (answer.measured_seconds) {
    section.add(fmt::format("measured: {:.3f} ms", *answer.measured_seconds * 1e3));
  }
  if (!answer.incomplete.empty()) {
    section.add("PARTIAL: measurements are missing; the bounds may not compare");
  }
  add_left_out(section, graph, answer.left_out, answer.partial || !answer.incomplete.empty());
  section.add(waterfall(answer, filter.precision));
  using Row = JointRow;
  const Table<Row> table{
      {"optimisations", "optimisations", [&](const Row& row) { return name_of(row.on, answer); }},
      {std::string(sum_names(filter).sum) + " ms", "seconds", milli, &Row::seconds},
      {"speed-up", "speed_up", times, &Row::speed_up},
      {"each alone, multiplied", "composed_speed_up", times, &Row::composed_speed_up},
      {"composes", "composes", percent,
       [](const Row& row) { return row.speed_up / row.composed_speed_up; }},
      {"over measured", "speed_up_over_measured", times,
       [&](const Row& row) { return quotient(answer.measured_seconds, row.seconds); }}};
  section.add(table.sheet(
      answer.rows,
      {.name = "subsets",
       .caption =
           has_tensor_cores
               ? fmt::format("{}{} instead of {}", answer.of_gpu ? "Tensor Cores: " : "",
                             to_string(answer.tensor_core_precision), to_string(filter.precision))
               : "all combinations"}));
  section.headlines.push_back({.title = "all optimisations ms", .cell = cell(all.seconds, milli)});
  return section;
}

Section joint_summary(const std::vector<JointColumn>& columns) {
  Section section;
  section.heading = "speed-up over none, by model and batch";
  section.facts["summary"] = true;
  const std::vector<JointRow>& subsets = columns.front().answer.rows;
  Table<std::size_t> table{{"optimisations", "optimisations", [&](std::size_t row) {
                              return name_of(subsets[row].on, columns.front().answer);
                            }}};
  for (const JointColumn& column : columns) {
    table.add({column.heading, column.heading, times,
               [&](std::size_t row) { return column.answer.rows[row].speed_up; }});
  }
  section.add(table.sheet(std::views::iota(std::size_t{0}, subsets.size()), {.name = "speed_ups"}));
  return section;
}

/// `with`: the precision with Tensor Cores; if it is the subject's, there are no subsets with them.
JointAnswer joint_answer(const Subject& subject, Precision with) {
  JointAnswer answer =
      joint(subject.graph, subject.measurements(), subject.filter, with, subject.movement());
  if (!subject.allow_missing) {
    require_complete(
        subject.graph, answer.incomplete,
        fmt::format("{} and {}", to_string(subject.filter.precision), to_string(with)));
  }
  answer.of_gpu = !are_of_processors(subject.inputs.results);
  if (with == subject.filter.precision) {
    std::erase_if(answer.rows, [](const JointRow& row) { return row.on.tensor_cores; });
  }
  if (const Profile* profile = latency_profile(subject)) {
    answer.measured_seconds = model_latency(*profile)->seconds;
    answer.framework = framework_name(*profile, subject.filter);
  }
  return answer;
}

std::optional<Section> joint_in_report(const Subject& subject) {
  const bool measured = is_measured_at(subject.tensor_cores, subject);
  const Precision with = measured ? subject.tensor_cores : subject.filter.precision;
  return joint_section(subject.graph, subject.filter, joint_answer(subject, with),
                       subject.movement());
}

struct JointOptions {
  CommonFlags common;
  std::string tensor_cores;
};

/// fp16 if nothing is said; empty without a GPU.
std::optional<Precision> tensor_core_precision(const JointOptions& options,
                                               const Results& results) {
  if (!options.tensor_cores.empty()) return precision_of(options.tensor_cores, "--tensor-cores");
  return are_of_processors(results) ? std::nullopt : std::optional(Precision::fp16);
}

Action ask_joint(Flags& flags) {
  const auto options = std::make_shared<JointOptions>();
  options->common.rows = "all";
  add_common_flags(flags, options->common);
  flags.add("--tensor-cores", options->tensor_cores,
            "Precision with Tensor Cores, or a lower one on processors (default: fp16 on GPUs)",
            "PRECISION");
  return [options] {
    if (!options->tensor_cores.empty()) precision_of(options->tensor_cores, "--tensor-cores");
    const Inputs inputs = read_inputs(options->common);
    const std::optional<Precision> asked = tensor_core_precision(*options, inputs.results);
    std::vector<JointColumn> columns;
    Page page = page_of("joint", inputs, [&](const Subject& subject) {
      const Precision with = asked.value_or(subject.filter.precision);
      if (asked == subject.filter.precision) {
        throw Error("--tensor-cores " + std::string(to_string(with)) +
                    ": is the precision without Tensor Cores, too; say another --precision");
      }
      JointAnswer given = joint_answer(subject, with);
      Section section = joint_section(subject.graph, subject.filter, given, subject.movement());
      columns.push_back({section.heading, std::move(given)});
      return section;
    });
    if (columns.size() > 1) page.sections.push_back(joint_summary(columns));
    print(page, inputs);
  };
}

}  // namespace

std::array<Optimisations, 16> optimisation_subsets() {
  std::array<Optimisations, 16> subsets;
  for (std::size_t bits = 0; bits < subsets.size(); ++bits) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      subsets[bits].*members[i] = (bits >> i & 1U) != 0;
    }
  }
  std::ranges::stable_sort(subsets, {}, count);
  return subsets;
}

std::string to_string(const Optimisations& optimisations) {
  return joined(optimisations, names.back());
}

JointAnswer joint(const Graph& graph, const MeasurementSet& measurements,
                  const MeasurementFilter& filter, Precision tensor_core_precision,
                  Movement movement) {
  JointAnswer answer{.tensor_core_precision = tensor_core_precision};
  std::vector<std::vector<LayerTime>> alternatives;
  for (const Optimisations& on : optimisation_subsets()) {
    if (on.parallel) continue;
    alternatives.push_back(operator_times(
        graph, measurements, filter_with(on, filter, tensor_core_precision), movement));
  }
  answer.left_out = one_sided_layers(alternatives, movement);
  answer.partial = std::ranges::any_of(
      alternatives, [=](const auto& times) { return is_partial(times, movement); });
  // With and without parallel layers, a subset differs only in the choice of bound.
  std::map<std::tuple<bool, bool, bool>, Solved> solved;
  const auto seconds = [&](const Optimisations& on) {
    const auto [place, added] = solved.try_emplace({on.algorithms, on.fusion, on.tensor_cores});
    if (added) {
      place->second = solve(graph, measurements, filter_with(on, filter, tensor_core_precision),
                            answer.left_out, on.fusion, movement);
      if (answer.incomplete.empty()) answer.incomplete = place->second.incomplete;
    }
    return on.parallel ? place->second.parallel : place->second.sequential;
  };
  const double plain = seconds({});
  for (const Optimisations& on : optimisation_subsets()) {
    JointRow row{.on = on, .seconds = seconds(on)};
    row.speed_up = joint_speed_up(plain, row.seconds);
    for (const auto member : members) {
      if (!(on.*member)) continue;
      Optimisations alone;
      alone.*member = true;
      row.composed_speed_up *= joint_speed_up(plain, seconds(alone));
    }
    answer.rows.push_back(row);
  }
  return answer;
}

Question joint_question() {
  return {.name = "joint",
          .help = "Parallel layers, best algorithms, fusion and Tensor Cores together",
          .section = joint_in_report,
          .ask = ask_joint,
          .chapter = "together",
          .place = 20};
}

}  // namespace benanza::analysis
