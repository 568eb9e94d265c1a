#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

namespace benanza::zoo {

/// A layer as the tables of the paper's models write it; shapes as "1x64x56x56".
struct Row {
  std::string name;
  /// The tables' word: Conv, BatchNorm, Pooling, ElementWise, ...
  std::string type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> input_shapes;
  /// Of the first output.
  std::string output_shape;

  bool operator==(const Row&) const = default;
};

using Table = std::vector<Row>;

std::string to_string(const Row& row);

/// Reads a table (tab-separated: name, type, inputs, outputs, input_shapes, output_shapes; lists
/// with semicolons) and undoes the habits of the tool that wrote it:
/// - a layer of two outputs has a row for each: the second row goes;
/// - output_shapes of a BatchNorm repeat its weights: only the first shape stays;
/// - a Flatten passes its input's shape on: here it is batch x everything else;
/// - a Transpose (all exchange axes 1 and 2) shows axis 2 twice: here it is exchanged;
/// - an Unsqueeze shows one of the two axes it adds: here it shows both;
/// - for the target of a Reshape the shape column shows the target itself. Where that spells out a
///   batch of 1 and infers nothing, the zoo writes -1, so that the model works for any batch;
/// - what a Reshape infers (-1) shows as something else (1, or the extent of one axis): here it is
///   what is left;
/// - a pool that shrinks an image by 1 (2x2, sliding by 1: the last one of Tiny YOLO v2) is padded
///   in the original, whose grid is 13x13: here the image keeps its size;
/// - layers behind one of these follow the corrected shape.
Table read_table(const std::filesystem::path& path);

/// The layers of a model, without its weights, with shapes inferred by ONNX. Throws if ONNX's
/// checker or its strict shape inference finds fault with the model; they see an ImageScaler, which
/// today's ONNX does not know, as an Identity.
Table describe(const ::onnx::ModelProto& model);

/// One line for each row that differs, in the order of the rows.
std::vector<std::string> differences(const Table& expected, const Table& actual);

}  // namespace benanza::zoo
