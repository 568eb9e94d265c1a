#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>

#include "generator/onnx/fold/table.h"
#include "generator/onnx/whole.h"

namespace benanza::onnx::fold {
namespace {

using ::onnx::AttributeProto;

std::vector<Literal> constant(const Site& site) {
  const Node& node = site.node();
  if (const AttributeProto* value = node.find("value"); value != nullptr && value->has_t()) {
    const auto literal = read_literal(value->t());
    return literal ? std::vector<Literal>{*literal} : std::vector<Literal>{};
  }
  if (const AttributeProto* value = node.find("value_int")) return {std::vector{value->i()}};
  if (const auto values = node.integers("value_ints")) return {*values};
  if (const AttributeProto* value = node.find("value_float")) {
    return {std::vector<double>{value->f()}};
  }
  if (const auto values = node.reals("value_floats")) {
    return {std::vector<double>(values->begin(), values->end())};
  }
  return {};
}

std::vector<Literal> constant_of_shape(const Site& site) {
  Literal value = std::vector<double>{0};
  if (const AttributeProto* stated = site.node().find("value"); stated != nullptr) {
    const auto literal = read_literal(stated->t());
    if (!literal) return {};
    value = *literal;
  }
  const auto count = static_cast<std::size_t>(element_count(site.output_shape(0)));
  return {std::visit(
      [&](const auto& values) -> Literal {
        return std::decay_t<decltype(values)>(count, values.empty() ? 0 : values.front());
      },
      value)};
}

std::vector<Literal> shape(const Site& site) {
  const Dims& dims = site.shape(0);
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto bound = [&](std::string_view name, std::int64_t fallback) {
    const std::int64_t value = site.node().integer(name, fallback);
    return std::clamp(value < 0 ? value + rank : value, std::int64_t{0}, rank);
  };
  const std::int64_t start = bound("start", 0);
  const std::int64_t end = std::max(start, bound("end", rank));
  return {Dims(dims.begin() + start, dims.begin() + end)};
}

std::vector<Literal> size(const Site& site) { return {Dims{element_count(site.shape(0))}}; }

std::vector<Literal> same(const Site& site) { return {site.literal(0)}; }

/// `value` with `digits` significant bits; below 2^least the bits end at 2^(least - digits + 1).
double rounded(double value, int digits, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int shift = digits - 1 - std::max(std::ilogb(value), least);
  return std::ldexp(std::nearbyint(std::ldexp(value, shift)), -shift);
}

double rounded(double value, int type) {
  if (type == ::onnx::TensorProto::DOUBLE) return value;
  value = static_cast<float>(value);
  if (type == ::onnx::TensorProto::BFLOAT16) return rounded(value, 8, -126);
  if (type != ::onnx::TensorProto::FLOAT16) return value;
  value = rounded(value, 11, -14);
  return std::abs(value) > 65504 ? std::copysign(HUGE_VAL, value) : value;
}

std::vector<Literal> cast(const Site& site) {
  const int type = site.output(0).type;
  return {std::visit(
      [&](const auto& values) -> Literal {
        if (is_floating(type)) {
          std::vector<double> reals(values.begin(), values.end());
          for (double& value : reals) value = rounded(value, type);
          return reals;
        }
        Dims integers;
        for (const auto value : values) {
          const auto real = static_cast<double>(value);
          if (type == ::onnx::TensorProto::BOOL) {
            integers.push_back(value != 0);
          } else if (std::abs(real) <= 0x1p62) {
            integers.push_back(static_cast<std::int64_t>(value));
          } else {
            throw NotExpressible("a value that not every integer type holds");
          }
        }
        return integers;
      },
      site.literal(0))};
}

}  // namespace

void register_constant(FoldTable& table) {
  table.add("Constant", constant);
  table.add("ConstantOfShape", constant_of_shape);
  table.add("Shape", shape, FoldNeeds::shapes);
  table.add("Size", size, FoldNeeds::shapes);
  table.add("Cast", cast);
  table.add("CastLike", cast);
  for (const auto* op : {"Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
    table.add(op, same);
  }
}

}  // namespace benanza::onnx::fold
