#include <onnx/onnx_pb.h>

#include <algorithm>

#include "core/base/error.h"
#include "generator/onnx/shapes/table.h"

namespace benanza::onnx {

Dims broadcast_dims(const Dims& a, const Dims& b) {
  Dims dims(std::max(a.size(), b.size()), 1);
  for (const Dims* operand : {&a, &b}) {
    const std::size_t leading = dims.size() - operand->size();
    for (std::size_t axis = 0; axis < operand->size(); ++axis) {
      std::int64_t& extent = dims[leading + axis];
      if (extent == 1) {
        extent = (*operand)[axis];
      } else if ((*operand)[axis] != 1 && (*operand)[axis] != extent) {
        throw Error(join(a, 'x') + " and " + join(b, 'x') + " do not broadcast");
      }
    }
  }
  return dims;
}

namespace shapes {
namespace {

std::vector<TensorFacts> broadcast(const Site& site) {
  Dims dims = site.shape(0);
  for (std::size_t index = 1; index < site.input_count(); ++index) {
    dims = broadcast_dims(dims, site.shape(index));
  }
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> compare(const Site& site) {
  return {{::onnx::TensorProto::BOOL, broadcast(site)[0].shape}};
}

}  // namespace

void register_broadcast(ShapeTable& table) {
  for (const auto* op : {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) table.add(op, broadcast);
  table.add("Equal", compare, 18);
}

}  // namespace shapes
}  // namespace benanza::onnx
