#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"

namespace benanza::onnx::shapes {
namespace {

/// Every output that is like the first input.
std::vector<TensorFacts> like_first(const Site& site) { return {like_input(site, 0)}; }

std::vector<TensorFacts> truth(const Site& site) {
  return {{::onnx::TensorProto::BOOL, site.input(0).shape}};
}

std::vector<TensorFacts> cast(const Site& site) {
  return {{static_cast<int>(site.node().integer("to", 0)), site.input(0).shape}};
}

std::vector<TensorFacts> cast_like(const Site& site) {
  return {{site.input(1).type, site.input(0).shape}};
}

/// Without the axes of extent 1, or without those that are named.
std::vector<TensorFacts> squeeze(const Site& site) {
  const Dims& dims = site.shape(0);
  const std::optional<Dims> axes = site.argument("axes", 1);
  std::vector<bool> gone(dims.size(), false);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) gone[axis] = !axes && dims[axis] == 1;
  for (const std::int64_t stated : axes.value_or(Dims{})) {
    const auto axis = static_cast<std::size_t>(Site::axis(stated, dims.size()));
    if (dims[axis] != 1) {
      throw Error("axis " + std::to_string(stated) + " has an extent of " +
                  std::to_string(dims[axis]) + ", not 1");
    }
    gone[axis] = true;
  }
  Dims kept;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (!gone[axis]) kept.push_back(dims[axis]);
  }
  return {{site.input(0).type, kept}};
}

}  // namespace

void register_same(ShapeTable& table) {
  for (const auto* op : {"ImageScaler", "Mish", "Gelu", "Swish", "BitwiseNot", "GroupNormalization",
                         "RMSNormalization", "RotaryEmbedding", "SimplifiedLayerNormalization",
                         "ScatterElements", "ScatterND", "Affine", "ParametricSoftplus", "Scale",
                         "ScaledTanh", "ThresholdedRelu", "SwiGLU", "CumProd", "TensorScatter"}) {
    table.add(op, like_first);
  }
  for (const auto* op : {"IsInf", "IsNaN"}) table.add(op, truth, 18);
  for (const auto* op : {"Cast", "BitCast"}) table.add(op, cast, 18);
  table.add("CastLike", cast_like, 18);
  table.add("Squeeze", squeeze);
  for (const auto* op :
       {"BiasGelu", "FastGelu", "Gelu", "QuickGelu", "RotaryEmbedding", "GroupNorm",
        "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "Trilu"}) {
    table.add(std::string("com.microsoft.") + op, like_first);
  }
}

}  // namespace benanza::onnx::shapes
