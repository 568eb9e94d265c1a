#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <string>
#include <vector>

namespace benanza::zoo {

/// A layer in the notation of the tables of the paper's models; shapes as "1x64x56x56".
struct Row {
  std::string name;
  /// The table's term: Conv, BatchNorm, Pooling, ElementWise, ...
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
/// with semicolons) and corrects the peculiarities of the tool that wrote it:
/// - a layer with two outputs has a row for each: drops the second row;
/// - output_shapes of a BatchNorm include its weights' shapes: keeps only the first shape;
/// - a Flatten has its input's shape: makes it batch x everything else;
/// - a Transpose (all exchange axes 1 and 2) shows axis 2 twice: exchanges the axes;
/// - an Unsqueeze shows one of the two axes it adds: adds the other one;
/// - for the target of a Reshape, the shape column holds the target itself. If that contains a
///   batch of 1 and infers nothing, the zoo writes -1, so that the model works for any batch;
/// - what a Reshape infers (-1) is shown as something else (1, or the extent of one axis): computes
///   it;
/// - a pool that shrinks an image by 1 (2x2 with stride 1: the last one of Tiny YOLO v2) is padded
///   in the original, whose grid is 13x13: keeps the image's size;
/// - layers after one of these get the corrected shape.
Table read_table(const std::filesystem::path& path);

/// The layers of a model, without its weights, with shapes inferred by ONNX. Throws if ONNX's
/// checker or its strict shape inference rejects the model. ImageScaler, which today's ONNX does
/// not support, is passed to them as Identity.
Table describe(const ::onnx::ModelProto& model);

/// One line for each row that differs, in row order.
std::vector<std::string> differences(const Table& expected, const Table& actual);

}  // namespace benanza::zoo
