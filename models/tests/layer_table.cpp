#include "models/tests/layer_table.h"

#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace benanza::zoo {
namespace {

using Shapes = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  if (text.ends_with(separator)) {
    parts.emplace_back();
  }
  return parts;
}

template <class List>
std::string join(const List& parts, const char* separator) {
  std::ostringstream text;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    text << (part == parts.begin() ? "" : separator) << *part;
  }
  return text.str();
}

std::string table_type(const std::string& op_type) {
  static const std::map<std::string, std::string> words = {{"BatchNormalization", "BatchNorm"},
                                                           {"MaxPool", "Pooling"},
                                                           {"AveragePool", "Pooling"},
                                                           {"GlobalMaxPool", "GlobalPooling"},
                                                           {"GlobalAveragePool", "GlobalPooling"},
                                                           {"Add", "ElementWise"},
                                                           {"Sum", "ElementWise"},
                                                           {"Sub", "ElementWise"},
                                                           {"Mul", "ElementWise"},
                                                           {"Div", "ElementWise"},
                                                           {"LeakyRelu", "Relu"},
                                                           {"PRelu", "Relu"},
                                                           {"MatMul", "Gemm"},
                                                           {"ImageScaler", "Scale"}};
  const auto word = words.find(op_type);
  return word == words.end() ? op_type : word->second;
}

/// "1x2048x1x1" becomes "1x2048".
std::string flattened(const std::string& shape) {
  const std::vector<std::string> extents = split(shape, 'x');
  std::int64_t rest = 1;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    rest *= std::stoll(extents[axis]);
  }
  return extents.at(0) + "x" + std::to_string(rest);
}

/// "1x4x28x7x7" becomes "1x28x4x7x7".
std::string exchanged(const std::string& shape) {
  std::vector<std::string> extents = split(shape, 'x');
  std::swap(extents.at(1), extents.at(2));
  return join(extents, "x");
}

/// The result of a Reshape of `shape`: 0 in the target copies an extent, -1 is inferred.
std::string reshaped(const std::string& shape, const std::string& target) {
  const std::vector<std::string> from = split(shape, 'x');
  std::vector<std::string> to = split(target, 'x');
  std::int64_t rest = 1;
  for (const std::string& extent : from) {
    rest *= std::stoll(extent);
  }
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis] == "0") {
      to[axis] = from.at(axis);
    }
    if (to[axis] != "-1") {
      rest /= std::stoll(to[axis]);
    }
  }
  std::ranges::replace(to, "-1", std::to_string(rest));
  return join(to, "x");
}

/// The output of a layer that keeps extents of its input, after correction of the input.
std::string carried(const std::string& stated, const std::string& input,
                    const std::string& output) {
  const std::vector<std::string> before = split(stated, 'x');
  const std::vector<std::string> after = split(input, 'x');
  std::vector<std::string> extents = split(output, 'x');
  if (before.size() != after.size() || before.size() != extents.size()) {
    return output;
  }
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == before[axis]) {
      extents[axis] = after[axis];
    }
  }
  return join(extents, "x");
}

/// True if a pool makes an image smaller by 1 on both axes.
bool shrinks_by_one(const Row& row) {
  const std::vector<std::string> from = split(row.input_shapes.at(0), 'x');
  const std::vector<std::string> to = split(row.output_shape, 'x');
  return row.type == "Pooling" && std::stoll(from.at(2)) - std::stoll(to.at(2)) == 1 &&
         std::stoll(from.at(3)) - std::stoll(to.at(3)) == 1;
}

/// Corrects one row; `corrected` holds the tensors corrected so far.
void correct(Row& row, Shapes& corrected) {
  const std::string stated = row.input_shapes.at(0);
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    if (corrected.contains(row.inputs[i])) {
      row.input_shapes.at(i) = corrected[row.inputs[i]];
    }
  }
  const std::string before = row.output_shape;
  const std::string& input = row.input_shapes[0];
  if (row.type == "Flatten") {
    row.output_shape = flattened(row.output_shape);
  } else if (row.type == "Transpose") {
    row.output_shape = exchanged(input);
  } else if (row.type == "Unsqueeze") {
    row.output_shape += "x1";
  } else if (row.type == "Reshape") {
    std::string& target = row.input_shapes.at(1);
    if (target.find('-') == std::string::npos && target.starts_with("1x")) {
      target.replace(0, 1, "-1");
    }
    row.output_shape = reshaped(input, target);
  } else if (shrinks_by_one(row)) {
    row.output_shape = input;
  } else if (input != stated) {
    row.output_shape = carried(stated, input, row.output_shape);
  }
  if (row.output_shape != before) {
    corrected[row.outputs.at(0)] = row.output_shape;
  }
}

/// Replaces ImageScaler, so that today's ONNX can check the model and infer its shapes.
::onnx::ModelProto without_image_scaler(::onnx::ModelProto model) {
  for (::onnx::NodeProto& node : *model.mutable_graph()->mutable_node()) {
    if (node.op_type() == "ImageScaler") {
      node.set_op_type("Identity");
      node.clear_attribute();
    }
  }
  return model;
}

Shapes inferred_shapes(const ::onnx::GraphProto& graph) {
  Shapes shapes;
  for (const auto* values : {&graph.input(), &graph.output(), &graph.value_info()}) {
    for (const ::onnx::ValueInfoProto& value : *values) {
      std::vector<std::int64_t> extents;
      for (const auto& extent : value.type().tensor_type().shape().dim()) {
        extents.push_back(extent.dim_value());
      }
      shapes[value.name()] = join(extents, "x");
    }
  }
  for (const ::onnx::TensorProto& tensor : graph.initializer()) {
    shapes[tensor.name()] = join(tensor.dims(), "x");
    if (tensor.data_type() == ::onnx::TensorProto::INT64) {
      std::vector<std::int64_t> values(tensor.raw_data().size() / sizeof(std::int64_t));
      if (!values.empty()) {
        std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
      }
      shapes[tensor.name()] = join(values, "x");
    }
  }
  return shapes;
}

}  // namespace

std::string to_string(const Row& row) {
  return row.name + " " + row.type + " (" + join(row.inputs, ", ") + ") -> (" +
         join(row.outputs, ", ") + "), " + join(row.input_shapes, ", ") + " -> " + row.output_shape;
}

Table read_table(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  Table table;
  Shapes corrected;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, '\t');
    Row row{.name = fields.at(0),
            .type = fields.at(1),
            .inputs = split(fields.at(2), ';'),
            .outputs = split(fields.at(3), ';'),
            .input_shapes = split(fields.at(4), ';'),
            .output_shape = split(fields.at(5), ';').at(0)};
    correct(row, corrected);
    if (table.empty() || table.back() != row) {
      table.push_back(std::move(row));
    }
  }
  return table;
}

Table describe(const ::onnx::ModelProto& model) {
  ::onnx::ModelProto known = without_image_scaler(model);
  ::onnx::checker::check_model(known);
  const ::onnx::ShapeInferenceOptions strict(/*check_type=*/true, /*strict_mode=*/1);
  ::onnx::shape_inference::InferShapes(known, ::onnx::OpSchemaRegistry::Instance(), strict);
  const Shapes shapes = inferred_shapes(known.graph());
  Table table;
  for (const ::onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() == "ConstantOfShape") {
      continue;
    }
    Row row{.name = node.name(),
            .type = table_type(node.op_type()),
            .inputs = {node.input().begin(), node.input().end()},
            .outputs = {node.output().begin(), node.output().end()},
            .input_shapes = {},
            .output_shape = shapes.at(node.output(0))};
    for (const std::string& input : node.input()) {
      row.input_shapes.push_back(shapes.at(input));
    }
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> differences(const Table& expected, const Table& actual) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i) {
    const std::string want = i < expected.size() ? to_string(expected[i]) : "nothing";
    const std::string have = i < actual.size() ? to_string(actual[i]) : "nothing";
    if (want != have) {
      lines.push_back("layer " + std::to_string(i) + ": want " + want + "; have " + have);
    }
  }
  return lines;
}

}  // namespace benanza::zoo
