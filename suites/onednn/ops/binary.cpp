#include <stdexcept>
#include <utility>

#include "suites/harness/primitive.h"
#include "suites/onednn/operators.h"
#include "suites/onednn/prelu.h"

namespace benanza::onednn {
namespace {

dnnl::algorithm algorithm(BinaryKind kind) {
  switch (kind) {
    case BinaryKind::add:
      return dnnl::algorithm::binary_add;
    case BinaryKind::sub:
      return dnnl::algorithm::binary_sub;
    case BinaryKind::mul:
      return dnnl::algorithm::binary_mul;
    case BinaryKind::div:
      return dnnl::algorithm::binary_div;
    case BinaryKind::max:
      return dnnl::algorithm::binary_max;
    case BinaryKind::min:
      return dnnl::algorithm::binary_min;
    case BinaryKind::eq:
      return dnnl::algorithm::binary_eq;
    case BinaryKind::ne:
      return dnnl::algorithm::binary_ne;
    case BinaryKind::lt:
      return dnnl::algorithm::binary_lt;
    case BinaryKind::le:
      return dnnl::algorithm::binary_le;
    case BinaryKind::gt:
      return dnnl::algorithm::binary_gt;
    case BinaryKind::ge:
      return dnnl::algorithm::binary_ge;
    case BinaryKind::power:
      throw Unsupported("oneDNN's pow takes one exponent for all elements");
    case BinaryKind::prelu:
      break;
  }
  throw std::logic_error("not a binary primitive");
}

bool commutes(BinaryKind kind) {
  return kind == BinaryKind::add || kind == BinaryKind::mul || kind == BinaryKind::max ||
         kind == BinaryKind::min;
}

/// The library is faster where it broadcasts its second source: operands that may swap do.
Plan plan_binary(const Binary& shape, const Setting& setting) {
  Argument a{DNNL_ARG_SRC_0, floats(shape.a)};
  Argument b{DNNL_ARG_SRC_1, floats(shape.b)};
  Dims first = shape.a;
  Dims second = shape.b;
  const Dims out = shape.output();
  if (first != out && commutes(shape.kind)) {
    std::swap(a.id, b.id);
    std::swap(first, second);
  }
  const dnnl::binary::desc descriptor(algorithm(shape.kind), setting.tensor(first),
                                      setting.tensor(second), setting.tensor(out));
  return {.offer = offer<dnnl::binary>(descriptor, setting.attributes(), setting.engine()),
          .operands = {a, b},
          .result = {DNNL_ARG_DST, floats(out)}};
}

}  // namespace

Solver solver(const Binary& shape, const Problem&) {
  return solver_of_one(channel_layouts(shape.output()), [shape](const Setting& setting) {
    return shape.kind == BinaryKind::prelu ? plan_prelu(shape, setting)
                                           : plan_binary(shape, setting);
  });
}

}  // namespace benanza::onednn
