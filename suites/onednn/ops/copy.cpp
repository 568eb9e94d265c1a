#include <algorithm>

#include "suites/harness/primitive.h"
#include "suites/onednn/plans/beside.h"
#include "suites/onednn/ways.h"

namespace benanza::onednn {
namespace {

/// A reorder between two strided views of the same type.
Plan plan_reorder(const Copy& shape, const VariantContext& context) {
  return {.implementation = Implementation(dnnl::reorder::primitive_desc(
              context.engine(), context.strided(shape.dims, shape.from), context.engine(),
              context.strided(shape.dims, shape.to), context.attributes())),
          .operands = {{DNNL_ARG_FROM, floats(shape.dims, shape.from)}},
          .result = {DNNL_ARG_TO, floats(shape.dims, shape.to)}};
}

bool has_gaps(const Dims& dims, const Dims& strides) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) last += (dims[axis] - 1) * strides[axis];
  return last + 1 > element_count(dims);
}

/// Found by verification on version 3.7.2: between two views with gaps, elements are missing.
std::string misses_elements(const Plan& plan) {
  const std::string name = plan.implementation.name();
  if (dnnl_version()->major != 3 || dnnl_version()->minor != 7) return "";
  if (!name.starts_with("jit_direct_copy")) return "";
  return "oneDNN 3.7's " + name + " writes wrong elements between two views with gaps";
}

/// Repeats elements with a nearest resampling of axes of extent 1.
Plan plan_repetition(const Copy& shape, const VariantContext& context) {
  Dims source = shape.dims;
  for (std::size_t axis = 0; axis < source.size(); ++axis) {
    if (shape.from[axis] == 0) source[axis] = 1;
  }
  const Dims strides = dense_strides(source);
  for (std::size_t axis = 0; axis < source.size(); ++axis) {
    if (shape.from[axis] != 0 && shape.from[axis] != strides[axis]) {
      throw harness::Unsupported(
          "oneDNN's resampling repeats the last three axes of a dense tensor only");
    }
  }
  if (shape.to != dense_strides(shape.dims)) {
    throw harness::Unsupported(
        "oneDNN's reorder reads no element twice, its resampling writes no view");
  }
  const Repetition call = repetition(context, source, shape.dims);
  return {.implementation = call.call,
          .operands = {{DNNL_ARG_SRC, floats(call.source)}},
          .result = {DNNL_ARG_DST, floats(call.target)}};
}

}  // namespace

void register_copy(WayTable& table) {
  table.add(family_of<Copy>(
      [](const Copy&) { return std::vector{Layout::plain}; },
      [](const Copy& shape, const Problem&, const VariantContext& context) {
        const bool repeats = std::find(shape.from.begin(), shape.from.end(), 0) != shape.from.end();
        Attempt way{.prefix = "", .plan = [=] {
                      return repeats ? plan_repetition(shape, context)
                                     : plan_reorder(shape, context);
                    }};
        if (has_gaps(shape.dims, shape.from) && has_gaps(shape.dims, shape.to)) {
          way.defect = misses_elements;
        }
        return std::vector<Attempt>{way};
      }));
}

}  // namespace benanza::onednn
