#include <onnx/onnx_pb.h>

#include "onnx/shapes/table.h"

namespace benanza::shapes {
namespace {

/// Every output that is like the first input.
std::vector<TensorFacts> like_first(const Site& site) { return {like_input(site, 0)}; }

std::vector<TensorFacts> truth(const Site& site) {
  return {{onnx::TensorProto::BOOL, site.input(0).shape}};
}

std::vector<TensorFacts> cast(const Site& site) {
  return {{static_cast<int>(site.node().integer("to", 0)), site.input(0).shape}};
}

std::vector<TensorFacts> cast_like(const Site& site) {
  return {{site.input(1).type, site.input(0).shape}};
}

}  // namespace

void register_same(ShapeTable& table) {
  for (const auto* op :
       {"ImageScaler", "Mish", "Gelu", "Swish", "BitwiseNot", "GroupNormalization",
        "RMSNormalization", "RotaryEmbedding", "SimplifiedLayerNormalization", "ScatterElements",
        "ScatterND", "Affine", "ParametricSoftplus", "Scale", "ScaledTanh", "ThresholdedRelu"}) {
    table.add(op, like_first);
  }
  for (const auto* op : {"IsInf", "IsNaN"}) table.add(op, truth, 18);
  table.add("Cast", cast, 18);
  table.add("CastLike", cast_like, 18);
  for (const auto* op :
       {"BiasGelu", "FastGelu", "Gelu", "QuickGelu", "RotaryEmbedding", "GroupNorm",
        "QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax", "Trilu"}) {
    table.add(std::string("com.microsoft.") + op, like_first);
  }
}

}  // namespace benanza::shapes
