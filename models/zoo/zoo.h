#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/zoo/builder.h"

namespace benanza::zoo {

/// A model of the zoo. A file under families/ defines a function named like the file that returns
/// one or more models; the build collects them.
struct Model {
  /// The name that a user types; also the graph's name and the stem of the file's name.
  std::string id;
  /// The model's name in the paper's tables.
  std::string paper_name;
  std::function<void(ModelBuilder&)> build;
};

/// Every model, sorted by id.
std::vector<Model> models();

/// Throws Error naming the ids nearest to `id` if there is no such model.
Model find(std::string_view id);

/// Throws Error unless 1 <= batch <= 65536.
::onnx::ModelProto build(const Model& model, const BuildOptions& options);

struct Size {
  /// Number of nodes that are not weights.
  std::int64_t layers = 0;
  /// Number of elements of all weights, including the statistics of batch normalization.
  std::int64_t parameters = 0;
};

Size size(const Model& model);

/// The models of all files under families/, concatenated. The build generates the definition from
/// the files in that folder.
std::vector<Model> families();

}  // namespace benanza::zoo
