// The models, and which of their layers the libraries support.

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "analysis/questions/paper/study.h"
#include "analysis/render/table.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

/// A model of the paper. `layers`: non-constant nodes, each once, in the tables of its models (the
/// paper's 5,754 also count eight second outputs of Dropout nodes).
struct PaperModel {
  std::string_view id;
  std::string_view task;
  int layers = 0;
};

constexpr PaperModel all[] = {
    {"alexnet", "classification", 24},
    {"arcface", "face recognition", 412},
    {"caffenet", "classification", 24},
    {"densenet121", "classification", 910},
    {"duc", "segmentation", 355},
    {"emotion_ferplus", "emotion recognition", 52},
    {"googlenet", "classification", 143},
    {"inception_v1", "classification", 144},
    {"inception_v2", "classification", 509},
    {"mnist", "digit recognition", 12},
    {"mobilenet_v2", "classification", 155},
    {"rcnn_ilsvrc13", "object detection", 23},
    {"resnet101_v1", "classification", 345},
    {"resnet101_v2", "classification", 344},
    {"resnet152_v1", "classification", 515},
    {"resnet152_v2", "classification", 514},
    {"resnet18_v1", "classification", 69},
    {"resnet18_v2", "classification", 69},
    {"resnet34_v1", "classification", 125},
    {"resnet34_v2", "classification", 125},
    {"resnet50_v1", "classification", 175},
    {"resnet50_v2", "classification", 174},
    {"shufflenet", "classification", 203},
    {"squeezenet_v1.1", "classification", 66},
    {"tiny_yolo_v2", "object detection", 32},
    {"vgg16", "classification", 41},
    {"vgg16_bn", "classification", 54},
    {"vgg19", "classification", 47},
    {"vgg19_bn", "classification", 63},
    {"zfnet512", "classification", 22},
};

/// Looks a model up by its benanza-zoo name; null if it is not in the paper.
const PaperModel* paper_model(std::string_view id) {
  const auto* const found = std::ranges::find(all, id, &PaperModel::id);
  return found == std::end(all) ? nullptr : found;
}

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

/// Empty if the file does not say. A training step reads and writes its parameters, so none counts
/// as a weight.
std::optional<double> weights_of(const StudiedModel* model) {
  const auto& compulsory = model->subject().graph.compulsory;
  if (!compulsory || compulsory->weights.elements <= 0) return std::nullopt;
  return static_cast<double>(compulsory->weights.elements);
}

double products_of_a_sample(const StudiedModel* model) {
  const Graph& graph = model->subject().graph;
  return products_flops(graph) / 2 / static_cast<double>(graph.batch.value_or(1));
}

std::optional<double> measured_share(const StudiedModel* model) {
  double flops = 0;
  for (const LayerStatus status : layer_statuses) {
    const std::string word(to_string(status));
    flops += model->number("bound", "/coverage/" + word + "/flops").value_or(0);
  }
  return quotient(model->number("bound", "/coverage/measured/flops"), flops);
}

Sheet models_sheet(const std::vector<const StudiedModel*>& models) {
  using Row = const StudiedModel*;
  const Table<Row> table{
      {"model", "model",
       [](Row model) { return model->model() + (model->is_partial() ? " ?" : ""); }},
      {"task", "task",
       [](Row model) {
         const PaperModel* const known = paper_model(model->model());
         return known ? std::optional(known->task) : std::nullopt;
       }},
      {"layers", "layers",
       [](Row model) {
         std::size_t layers = 0;
         for (const auto& [cost, count] : layers_by_cost(*model)) layers += count;
         return layers;
       }},
      {"in the paper", "paper_layers",
       [](Row model) {
         const PaperModel* const known = paper_model(model->model());
         return known ? std::optional(known->layers) : std::nullopt;
       }},
      {"MACs, millions", "macs", mega, products_of_a_sample},
      {"weights, millions", "weights", mega, weights_of},
      {"FLOPs measured", "measured_flops_share", percent, measured_share}};
  return table.sheet(models, {.name = "models", .caption = "The models", .all_rows = true});
}

void add_support(Section& section, const std::vector<const StudiedModel*>& models) {
  struct Row {
    std::string model;
    std::map<std::string, std::size_t> layers;
  };
  std::vector<Row> rows;
  for (const StudiedModel* model : models) rows.push_back({model->model(), layers_by_cost(*model)});
  Table<Row> table{{"model", "model", &Row::model}};
  Bars plot{.title = "Layers by what they cost: measured calls, moving data, free, unsupported",
            .decimals = 0,
            .stacked = true};
  for (const Row& row : rows) plot.categories.push_back(row.model);
  for (const LayerStatus status : layer_statuses) {
    const std::string word(to_string(status));
    const auto count = [word](const Row& row) {
      const auto found = row.layers.find(word);
      return found == row.layers.end() ? std::size_t{0} : found->second;
    };
    table.add({word, word + "_layers", count});
    Series& series = plot.series.emplace_back(Series{.name = word});
    for (const Row& row : rows) series.values.emplace_back(static_cast<double>(count(row)));
  }
  section.add(std::move(plot));
  section.add(table.sheet(
      rows, {.name = "support", .caption = "Layers by what they cost", .all_rows = true}));
}

std::optional<Section> paper_models_section(const Study& study) {
  if (study.models.empty()) return std::nullopt;
  const auto models = distinct(study.at(study.precisions().front()));
  Section section;
  section.add(
      "Layers are ONNX nodes that are no constants; in the paper: of the model of that name there. "
      "Multiply-accumulates are those of convolutions, matrix products and recurrences, of one "
      "sample; weights are those that products read.");
  section.add(models_sheet(models));
  add_support(section, models);
  if (const auto note = note_on_marks(models)) section.add(*note);
  return section;
}

}  // namespace

Chapter models_chapter() {
  return {.title = "The models", .section = paper_models_section, .place = 10};
}

}  // namespace benanza::analysis
