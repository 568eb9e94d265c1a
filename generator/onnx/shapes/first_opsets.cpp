#include <onnx/onnx_pb.h>

#include "core/base/error.h"
#include "generator/onnx/resize.h"
#include "generator/onnx/shapes/table.h"
#include "generator/onnx/views.h"

/// Operators whose first schemas, up to opset 6, infer nothing.
namespace benanza::onnx::shapes {
namespace {

/// What is combined with the first input does not widen it: broadcasting came with opset 7.
std::vector<TensorFacts> as_the_first(const Site& site) { return {like_input(site, 0)}; }

/// The type is a name.
std::vector<TensorFacts> cast_by_name(const Site& site) {
  ::onnx::TensorProto_DataType type = ::onnx::TensorProto::UNDEFINED;
  const std::string name = site.node().text("to", "");
  if (!::onnx::TensorProto_DataType_Parse(name, &type)) throw Error("no type is called " + name);
  return {{type, site.input(0).shape}};
}

std::vector<TensorFacts> joined(const Site& site) {
  Dims dims = site.shape(0);
  const auto axis =
      static_cast<std::size_t>(Site::axis(site.node().integer("axis", 1), dims.size()));
  for (std::size_t index = 1; index < site.input_count(); ++index) {
    const Dims& part = site.shape(index);
    if (part.size() != dims.size()) throw Error("joins tensors of different ranks");
    dims[axis] += part[axis];
  }
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> product(const Site& site) {
  const Dims& a = site.shape(0);
  const Dims& b = site.shape(1);
  if (a.size() != 2 || b.size() != 2) throw Error("multiplies matrices only");
  const bool turns_a = site.node().integer("transA", 0) != 0;
  const bool turns_b = site.node().integer("transB", 0) != 0;
  return {{site.input(0).type, Dims{a[turns_a ? 1 : 0], b[turns_b ? 0 : 1]}}};
}

/// The target is an attribute.
std::vector<TensorFacts> reshaped(const Site& site) {
  const Dims& from = site.shape(0);
  Dims dims = site.node().integers("shape").value_or(Dims{});
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    std::int64_t& extent = dims[axis];
    if (extent == 0 && axis < from.size()) extent = from[axis];
    if (extent < -1 || (extent == -1 && open != nullptr) || extent > max_tensor_elements) {
      throw Error("cannot have the shape " + join(dims, 'x'));
    }
    if (extent == -1) {
      open = &extent;
    } else if (__builtin_mul_overflow(known, extent, &known)) {
      throw Error("cannot have the shape " + join(dims, 'x'));
    }
  }
  if (open != nullptr && known > 0) *open = element_count(from) / known;
  if (open != nullptr && known == 0) *open = 0;
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> parts(const Site& site) {
  std::vector<TensorFacts> facts;
  for (std::size_t index = 0; index < site.output_count(); ++index) {
    facts.push_back({site.input(0).type, split_view(site, index).dims});
  }
  return facts;
}

std::vector<TensorFacts> padded(const Site& site) {
  Dims dims = site.shape(0);
  const Dims pads = pads_of_all_axes(site);
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    dims[axis] += pads[axis] + pads[axis + dims.size()];
  }
  return {{site.input(0).type, dims}};
}

std::vector<TensorFacts> enlarged(const Site& site) {
  return {{site.input(0).type, resize_request(site).output}};
}

}  // namespace

void register_first_opsets(ShapeTable& table) {
  for (const auto* op : {"Abs",
                         "Add",
                         "BatchNormalization",
                         "Ceil",
                         "Clip",
                         "Div",
                         "Dropout",
                         "Elu",
                         "Exp",
                         "Floor",
                         "HardSigmoid",
                         "LeakyRelu",
                         "InstanceNormalization",
                         "Log",
                         "Max",
                         "Mean",
                         "Min",
                         "Mul",
                         "Neg",
                         "PRelu",
                         "Reciprocal",
                         "Relu",
                         "Selu",
                         "Sigmoid",
                         "Sqrt",
                         "Sub",
                         "Sum",
                         "Tanh"}) {
    table.add(op, as_the_first, 1, 5);
  }
  table.add("Cast", cast_by_name, 1, 5);
  table.add("Concat", joined, 1, 3);
  table.add("Gemm", product, 1, 5);
  table.add("Reshape", reshaped, 1, 4);
  table.add("Split", parts, 1, 1);
  table.add("Pad", padded, 1, 1);
  table.add("Upsample", enlarged, 1, 6);
}

}  // namespace benanza::onnx::shapes
