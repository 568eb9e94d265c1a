// Compares layers, multiply-adds and parameters of every model, as the generator computes them,
// with published numbers: the tables of the paper's models, summed up here row by row, and the
// parameters in the documentation of MXNet's model zoo.

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/base/file.h"
#include "generator/emit/summary.h"
#include "generator/onnx/import.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

std::vector<std::string> split_fields(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// "8x5x5": 200; 1 for a scalar, whose shape is empty.
std::int64_t product(const std::string& shape, std::size_t from = 0) {
  std::int64_t result = 1;
  const std::vector<std::string> extents = split_fields(shape, 'x');
  for (std::size_t axis = from; axis < extents.size(); ++axis) result *= std::stoll(extents[axis]);
  return result;
}

struct Sizes {
  std::int64_t rows = 0;
  std::int64_t layers = 0;
  std::int64_t macs = 0;
  std::int64_t parameters = 0;
};

/// Sums of a table as it was published, without corrections. Rows of the same name are outputs of
/// one layer. A convolution has its filter's channels times kernel multiply-adds per output
/// element, a matrix product its row. Parameters are tensors that a row reads and no row writes,
/// except for `image`, the model's input, and a Reshape's second input, which is a shape.
Sizes table_sizes(const std::string& id, const std::string& image) {
  std::ifstream file(std::string(BENANZA_ZOO_TABLES) + "/" + id + ".tsv");
  EXPECT_TRUE(file) << id;
  Sizes sizes;
  std::set<std::string> layers;
  std::set<std::string> made{image};
  std::map<std::string, std::int64_t> read;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split_fields(line, '\t');
    const std::string& type = fields.at(1);
    const std::vector<std::string> inputs = split_fields(fields.at(2), ';');
    const std::vector<std::string> shapes = split_fields(fields.at(4), ';');
    ++sizes.rows;
    layers.insert(fields.at(0));
    for (const std::string& output : split_fields(fields.at(3), ';')) made.insert(output);
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      if (type == "Reshape" && index == 1) continue;
      read[inputs[index]] = index < shapes.size() ? product(shapes[index]) : 1;
    }
    const std::int64_t outputs = product(split_fields(fields.at(5), ';').at(0));
    if (type == "Conv") sizes.macs += outputs * product(shapes.at(1), 1);
    if (type == "Gemm") sizes.macs += outputs * product(shapes.at(0), 1);
  }
  for (const auto& [name, elements] : read) sizes.parameters += made.contains(name) ? 0 : elements;
  sizes.layers = static_cast<std::int64_t>(layers.size());
  return sizes;
}

Sizes table_sizes(const Model& model) {
  return table_sizes(model.id, build(model, {}).graph().input(0).name());
}

LoweredGraph graph_of(const Model& model) {
  return onnx::import_model(build(model, {}), model.id, {}, model.id);
}

TEST(Sizes, LayersAreThoseOfThePapersTables) {
  for (const Model& model : models()) {
    const LoweredGraph graph = graph_of(model);
    const auto layers = std::ranges::count_if(
        graph.layers, [](const LoweredLayer& layer) { return layer.op != "ConstantOfShape"; });
    EXPECT_EQ(layers, table_sizes(model).layers) << model.id;
  }
}

TEST(Sizes, MultiplyAddsAreThoseOfThePapersTables) {
  for (const Model& model : models()) {
    std::int64_t expected = table_sizes(model).macs;
    // The table leaves the last pool unpadded: 12 x 12, but the original has 13 x 13. It is
    // followed by 3x3 convolutions from 512 to 1024 and from 1024 to 1024 channels, and a 1x1 to
    // 125.
    if (model.id == "tiny_yolo_v2") {
      expected += (13 * 13 - 12 * 12) * (9 * 512 * 1024 + 9 * 1024 * 1024 + 1024 * 125);
    }
    EXPECT_EQ(emit::macs(graph_of(model)), static_cast<double>(expected)) << model.id;
  }
}

TEST(Sizes, ParametersAreThoseOfThePapersTables) {
  for (const Model& model : models()) {
    const std::int64_t expected = table_sizes(model).parameters;
    EXPECT_EQ(graph_of(model).parameters, expected) << model.id;
    EXPECT_EQ(size(model).parameters, expected) << model.id;
  }
}

/// "Gluon Model Zoo", table of models in the documentation of MXNet 1.x; the statistics of batch
/// normalization count.
TEST(Sizes, ParametersAreThoseThatMxnetPublished) {
  const std::map<std::string, std::int64_t> published{
      {"mobilenet_v2", 3'539'136},  {"resnet101_v1", 44'695'144}, {"resnet101_v2", 44'639'412},
      {"resnet152_v1", 60'404'072}, {"resnet152_v2", 60'329'140}, {"resnet18_v1", 11'699'112},
      {"resnet18_v2", 11'695'796},  {"resnet34_v1", 21'814'696},  {"resnet34_v2", 21'811'380},
      {"resnet50_v1", 25'629'032},  {"resnet50_v2", 25'595'060},  {"squeezenet_v1.1", 1'235'496},
      {"vgg16", 138'357'544},       {"vgg16_bn", 138'374'440},    {"vgg19", 143'667'240},
      {"vgg19_bn", 143'689'256},
  };
  for (const auto& [id, parameters] : published)
    EXPECT_EQ(graph_of(find(id)).parameters, parameters);
}

TEST(Sizes, EveryLayerIsMeasuredMovedOrFree) {
  for (const Model& model : models()) {
    for (const LoweredLayer& layer : graph_of(model).layers) {
      EXPECT_NE(layer.cost, Cost::unsupported) << model.id << " " << layer.name << layer.reason;
    }
  }
}

/// The paper's 5,754 layers count the second output of a Dropout as a layer, eight times.
TEST(Sizes, SumToThePapersLayers) {
  std::int64_t rows = 0;
  std::int64_t layers = 0;
  for (const Model& model : models()) {
    const Sizes sizes = table_sizes(model);
    rows += sizes.rows;
    layers += sizes.layers;
  }
  EXPECT_EQ(rows, 5754);
  EXPECT_EQ(layers, 5754 - 8);
}

/// An original file is little more than its weights, four bytes each: no parameters are missing.
TEST(Originals, AreAsLargeAsTheirParameters) {
  std::map<std::string, std::int64_t> bytes;
  const std::vector<std::string> lines = split_fields(read_file(BENANZA_ZOO_ORIGINALS), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split_fields(lines[i], '\t');
    bytes[fields.at(0)] = std::stoll(fields.at(1));
  }
  EXPECT_EQ(bytes.size(), models().size());
  for (const Model& model : models()) {
    const std::int64_t weights = 4 * size(model).parameters;
    EXPECT_GT(bytes[model.id], weights) << model.id;
    EXPECT_LT(bytes[model.id] - weights, 300'000) << model.id;
  }
}

}  // namespace
}  // namespace benanza::zoo
