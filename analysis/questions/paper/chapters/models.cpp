// The models, and what of them the libraries support.

#include <variant>

#include "analysis/questions/paper/study.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

constexpr const char* costs[] = {"measured", "part", "movement", "free", "unsupported", "missing"};

bool is_product(const Problem& problem) {
  const auto& shape = problem.shape;
  return std::holds_alternative<Convolution>(shape) ||
         std::holds_alternative<Deconvolution>(shape) || std::holds_alternative<Gemm>(shape) ||
         std::holds_alternative<Recurrent>(shape) || std::holds_alternative<Attention>(shape);
}

/// Multiply-accumulates: half of the FLOPs of what multiplies.
double products_flops(const Graph& graph) {
  double flops = 0;
  for (const Layer& layer : graph.layers) {
    for (const std::string& text : layer.problems) {
      const Problem problem = parse(text);
      if (is_product(problem)) flops += work(problem, Precision::fp32).flops;
    }
  }
  return flops;
}

std::optional<Section> section(const Study& study) {
  if (study.models.empty()) return std::nullopt;
  const auto models = study.at(study.precisions().front());
  Section section;
  section.add(
      "Layers are ONNX nodes that are no constants. Multiply-accumulates are those of "
      "convolutions, "
      "matrix products and recurrences; weights are those that products read.");
  Sheet sheet{.name = "models",
              .caption = "The models",
              .columns = {{"model", "model"},
                          {"layers", "layers", true},
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
    if (graph.compulsory) weights = static_cast<double>(graph.compulsory->weights.elements);
    const double macs = products_flops(graph) / 2;
    const auto millions = [](std::optional<double> value) {
      Cell cell = ratio_cell(value ? std::optional(*value / 1e6) : std::nullopt);
      if (value) cell.value = *value;
      return cell;
    };
    sheet.rows.push_back({text_cell(marked(*model)), count_cell(graph.layers.size()),
                          millions(macs), millions(weights), percent_cell(ratio(measured, flops))});
    std::vector<Cell> row{text_cell(model->name())};
    bars.categories.push_back(model->name());
    for (std::size_t i = 0; i < std::size(costs); ++i) {
      const auto layers =
          model->number("bound", "/coverage/" + std::string(costs[i]) + "/layers").value_or(0);
      row.push_back(count_cell(static_cast<std::size_t>(layers)));
      bars.series[i].values.push_back(layers);
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
