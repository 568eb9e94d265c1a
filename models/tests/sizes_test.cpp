// Layers, multiply-adds and parameters of every model, as the generator sees them, beside what the
// paper's tables give: sizes.tsv holds both. They differ where the tables count a Dropout's second
// output as a layer, and in Tiny YOLO v2, whose last pool the tables leave unpadded
// (layer_table.h).

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <sstream>

#include "core/base/file.h"
#include "generator/emit/summary.h"
#include "generator/onnx/import.h"
#include "models/zoo/zoo.h"

namespace benanza::zoo {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

std::int64_t product(const std::vector<std::string>& extents, std::size_t from) {
  std::int64_t result = 1;
  for (std::size_t axis = from; axis < extents.size(); ++axis) {
    result *= std::stoll(extents[axis]);
  }
  return result;
}

struct Sizes {
  std::int64_t layers = 0;
  std::int64_t macs = 0;
};

/// Of a table as it was published, without any correction: its rows, and the products of its
/// convolutions (output elements times what one sums) and matrix products.
Sizes table_sizes(const std::string& id) {
  std::ifstream file(std::string(BENANZA_ZOO_TABLES) + "/" + id + ".tsv");
  EXPECT_TRUE(file) << id;
  Sizes sizes;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, '\t');
    ++sizes.layers;
    if (fields.at(1) != "Conv" && fields.at(1) != "Gemm") {
      continue;
    }
    const std::vector<std::string> inputs = split(fields.at(4), ';');
    const std::int64_t outputs = product(split(fields.at(5), 'x'), 0);
    sizes.macs += outputs * (fields.at(1) == "Conv" ? product(split(inputs.at(1), 'x'), 1)
                                                    : product(split(inputs.at(0), 'x'), 1));
  }
  return sizes;
}

/// As the generator counts: nodes that are no constants, and its own multiply-adds.
std::string row(const Model& model) {
  const LoweredGraph graph = onnx::import_model(build(model, {}), model.id, {}, model.id);
  const auto layers = std::ranges::count_if(
      graph.layers, [](const LoweredLayer& layer) { return layer.op != "ConstantOfShape"; });
  const Sizes table = table_sizes(model.id);
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", model.id, model.paper_name, layers,
                     table.layers, static_cast<std::int64_t>(emit::macs(graph)), table.macs,
                     graph.parameters);
}

TEST(Sizes, AreThoseOfThePaper) {
  std::string actual = "model\tpaper\tlayers\tpaper_layers\tmacs\tpaper_macs\tparameters\n";
  for (const Model& model : models()) {
    actual += row(model);
  }
  EXPECT_EQ(actual, read_file(BENANZA_ZOO_SIZES));
}

TEST(Sizes, EveryLayerIsMeasuredMovedOrFree) {
  for (const Model& model : models()) {
    for (const LoweredLayer& layer :
         onnx::import_model(build(model, {}), model.id, {}, model.id).layers) {
      EXPECT_NE(layer.cost, Cost::unsupported) << model.id << " " << layer.name << layer.reason;
    }
  }
}

/// The paper's 5,754 layers count the second output of a Dropout as a layer, nine times.
TEST(Sizes, SumToThePapersLayers) {
  std::int64_t layers = 0;
  for (const Model& model : models()) {
    layers += table_sizes(model.id).layers;
  }
  EXPECT_EQ(layers, 5754);
}

/// An original is little but its weights, four bytes each: the parameters are all there.
TEST(Originals, AreAsLargeAsTheirParameters) {
  std::map<std::string, std::int64_t> bytes;
  const std::vector<std::string> lines = split(read_file(BENANZA_ZOO_ORIGINALS), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i], '\t');
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
