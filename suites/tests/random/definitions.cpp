#include "suites/tests/random/definitions.h"

#include <stdexcept>
#include <variant>

#include "generator/onnx/model/tensor.h"
#include "suites/tests/random/definition_call.h"

namespace benanza::definitions {
namespace {

const Functions& functions() {
  static const Functions table = [] {
    Functions all;
    add_elementwise(all);
    add_sums(all);
    add_moves(all);
    return all;
  }();
  return table;
}

}  // namespace

std::int64_t count(const Dims& dims) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : dims) elements *= extent;
  return elements;
}

bool advance(Dims& index, const Dims& dims) {
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    if (++index[axis] < dims[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

Dims broadcast_index(const Dims& index, const Dims& dims) {
  Dims own(dims.size());
  const std::size_t leading = index.size() - dims.size();
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    own[axis] = dims[axis] == 1 ? 0 : index[leading + axis];
  }
  return own;
}

double Tensor::at(const Dims& index) const {
  std::int64_t flat = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) flat = flat * dims[axis] + index[axis];
  return values.at(static_cast<std::size_t>(flat));
}

Tensor stored(const ::onnx::TensorProto& proto) {
  using Type = ::onnx::TensorProto;
  const int type = proto.data_type();
  const bool is_known = type == Type::FLOAT || type == Type::DOUBLE || type == Type::BOOL ||
                        type == Type::INT32 || type == Type::INT64;
  const auto literal = is_known ? onnx::read_values(proto) : std::nullopt;
  if (!literal) throw std::invalid_argument("tensor " + proto.name() + " has other numbers");
  Tensor tensor{{proto.dims().begin(), proto.dims().end()}, {}};
  std::visit([&](const auto& values) { tensor.values.assign(values.begin(), values.end()); },
             *literal);
  return tensor;
}

bool is_defined(const std::string& op_type) { return functions().contains(op_type); }

void evaluate(const ::onnx::ModelProto& model, std::map<std::string, Tensor>& values) {
  int opset = 0;
  for (const auto& import : model.opset_import()) {
    if (import.domain().empty()) opset = static_cast<int>(import.version());
  }
  for (const auto& tensor : model.graph().initializer()) values[tensor.name()] = stored(tensor);
  for (const auto& node : model.graph().node()) {
    const auto function = functions().find(node.op_type());
    if (function == functions().end() || node.output_size() != 1) {
      throw std::invalid_argument("no definition of " + node.op_type());
    }
    // Broadcasting before opset 7 has attributes of its own.
    if (opset < 7 && node.input_size() > 1)
      throw std::invalid_argument("opset " + std::to_string(opset));
    if (node.input_size() > 2 && (node.op_type() == "Max" || node.op_type() == "Min")) {
      throw std::invalid_argument("more than two operands");
    }
    NodeCall call{node, {}, opset};
    for (const std::string& name : node.input()) {
      call.inputs.push_back(name.empty() ? nullptr : &values.at(name));
    }
    values[node.output(0)] = function->second(call);
  }
}

}  // namespace benanza::definitions
