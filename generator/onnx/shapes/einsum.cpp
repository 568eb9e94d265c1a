#include <map>

#include "core/base/error.h"
#include "generator/onnx/equation.h"
#include "generator/onnx/shapes/table.h"

/// The installed schema tells the rank of an Einsum's result alone.
namespace benanza::onnx::shapes {
namespace {

std::vector<TensorFacts> einsum(const Site& site) {
  const Equation equation = read_equation(site);
  std::map<int, std::int64_t> extents;
  for (std::size_t index = 0; index < equation.operands.size(); ++index) {
    const Dims& dims = site.shape(index);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      std::int64_t& extent = extents.emplace(equation.operands[index][axis], 1).first->second;
      if (extent == 1) {
        extent = dims[axis];
      } else if (dims[axis] != 1 && dims[axis] != extent) {
        throw Error("an axis of " + std::to_string(extent) + " is one of " +
                    std::to_string(dims[axis]) + " in another place");
      }
    }
  }
  Dims dims;
  for (const int label : equation.result) dims.push_back(extents.at(label));
  return {{site.input(0).type, dims}};
}

}  // namespace

void register_einsum(ShapeTable& table) { table.add("Einsum", einsum); }

}  // namespace benanza::onnx::shapes
