// The models, and which of their layers the libraries support.

#include <algorithm>
#include <map>
#include <variant>

#include "analysis/questions/paper/study.h"
#include "analysis/questions/paper/zoo.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr const char* costs[] = {"measured", "part", "movement", "free", "unsupported", "missing"};

/// Multiply-accumulates are half of them.
double products_flops(const Graph& graph) {
  double flops = 0;
  for (const Layer& layer : graph.layers) {
    for (const std::string& text : layer.problems) flops += product_flops(parse(text));
  }
  return flops;
}

/// Some files store weights as initializers, others as Constant nodes.
bool is_constant(std::string_view op) { return op == "Constant" || op == "ConstantOfShape"; }

/// Each model once, at its first batch size.
std::vector<const StudiedModel*> distinct(const std::vector<const StudiedModel*>& models) {
  std::vector<const StudiedModel*> found;
  for (const StudiedModel* model : models) {
    const bool known = std::ranges::any_of(
        found, [&](const StudiedModel* one) { return one->model() == model->model(); });
    if (!known) found.push_back(model);
  }
  return found;
}

/// Number of layers by kind of cost, without constants.
std::map<std::string, std::size_t> layers_by_cost(const StudiedModel& model) {
  std::map<std::string, std::size_t> counts;
  const auto& facts = model.facts("bound");
  if (!facts.is_object() || !facts.contains("layers")) return counts;
  for (const auto& layer : facts["layers"]) {
    if (!is_constant(layer.value("op", ""))) ++counts[layer.value("standing", "")];
  }
  return counts;
}

std::optional<Section> section(const Study& study) {
  if (study.models.empty()) return std::nullopt;
  const auto models = distinct(study.at(study.precisions().front()));
  Section section;
  section.add(
      "Layers are ONNX nodes that are no constants; in the paper: of the model of that name there. "
      "Multiply-accumulates are those of convolutions, matrix products and recurrences, of one "
      "sample; weights are those that products read.");
  Sheet sheet{.name = "models",
              .caption = "The models",
              .columns = {{"model", "model"},
                          {"task", "task"},
                          {"layers", "layers", true},
                          {"in the paper", "paper_layers", true},
                          {"MACs, millions", "macs", true},
                          {"weights, millions", "weights", true},
                          {"FLOPs measured", "measured_flops_share", true}},
              .all_rows = true};
  Sheet support{.name = "support",
                .caption = "Layers by what they cost",
                .columns = {{"model", "model"}},
                .all_rows = true};
  Bars bars{.title = "Layers by what they cost: measured calls, moving data, free, unsupported",
            .decimals = 0,
            .stacked = true};
  for (const char* cost : costs) {
    support.columns.push_back({cost, std::string(cost) + "_layers", true});
    bars.series.push_back({.name = cost});
  }
  for (const StudiedModel* model : models) {
    const Graph& graph = model->subject().graph;
    double flops = 0;
    for (const char* cost : costs) {
      flops += model->number("bound", "/coverage/" + std::string(cost) + "/flops").value_or(0);
    }
    const auto measured = model->number("bound", "/coverage/measured/flops");
    std::optional<double> weights;
    // A training step reads and writes its parameters, so none counts as a weight.
    if (graph.compulsory && graph.compulsory->weights.elements > 0) {
      weights = static_cast<double>(graph.compulsory->weights.elements);
    }
    const double macs = products_flops(graph) / 2 / static_cast<double>(graph.batch.value_or(1));
    const auto millions = [](std::optional<double> value) {
      Cell cell = ratio_cell(value ? std::optional(*value / 1e6) : std::nullopt);
      if (value) cell.value = *value;
      return cell;
    };
    std::map<std::string, std::size_t> counts = layers_by_cost(*model);
    std::size_t layers = 0;
    for (const auto& [cost, count] : counts) layers += count;
    const std::string name = model->model() + (model->is_partial() ? " ?" : "");
    const PaperModel* const known = paper_model(model->model());
    sheet.rows.push_back(
        {text_cell(name), known ? text_cell(std::string(known->task)) : Cell{"-", nullptr},
         count_cell(layers),
         known ? count_cell(static_cast<std::size_t>(known->layers)) : Cell{"-", nullptr},
         millions(macs), millions(weights), percent_cell(ratio(measured, flops))});
    std::vector<Cell> row{text_cell(model->model())};
    bars.categories.push_back(model->model());
    for (std::size_t i = 0; i < std::size(costs); ++i) {
      const std::size_t count = counts[costs[i]];
      row.push_back(count_cell(count));
      bars.series[i].values.push_back(static_cast<double>(count));
    }
    support.rows.push_back(std::move(row));
  }
  section.add(std::move(sheet));
  section.add(std::move(bars));
  section.add(std::move(support));
  if (const auto note = note_on_marks(models)) section.add(*note);
  return section;
}

}  // namespace

Chapter models_chapter() { return {.title = "The models", .section = section, .place = 10}; }

}  // namespace benanza::analysis
