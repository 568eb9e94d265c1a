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

/// Extents of what a copy that repeats elements reads and writes.
struct Repeated {
  Dims source;
  Dims target;
};

/// Throws Unsupported unless both are dense.
Repeated repeated(const Copy& shape) {
  Repeated ends{shape.dims, shape.dims};
  for (std::size_t axis = 0; axis < shape.dims.size(); ++axis) {
    if (shape.from[axis] == 0) ends.source[axis] = 1;
  }
  const Dims strides = dense_strides(ends.source);
  for (std::size_t axis = 0; axis < shape.dims.size(); ++axis) {
    if (shape.from[axis] != 0 && shape.from[axis] != strides[axis]) {
      throw harness::Unsupported(
          "oneDNN's resampling repeats the last three axes of a dense tensor only");
    }
  }
  if (shape.to != dense_strides(shape.dims)) {
    throw harness::Unsupported(
        "oneDNN's reorder reads no element twice, its resampling writes no view");
  }
  return ends;
}

Plan plan_resampling(const Repetition& call) {
  return {.implementation = call.call,
          .operands = {{DNNL_ARG_SRC, call.source}},
          .result = {DNNL_ARG_DST, call.target}};
}

/// A tensor of ones times the elements, which are broadcast.
Plan plan_ones(Repeated ends, const VariantContext& context) {
  // Rows with an element each: their axis becomes axis 1, which is fast.
  if (ends.source.size() == 2 && ends.source.back() == 1) {
    ends.source.insert(ends.source.begin(), 1);
    ends.target.insert(ends.target.begin(), 1);
  }
  const Memory::desc target = context.plain(ends.target);
  return {.implementation = api::implementation_of<dnnl::binary>(
              context.engine(), context.attributes(), dnnl::algorithm::binary_mul, target,
              context.plain(ends.source), target),
          .operands = {{DNNL_ARG_SRC_1, floats(ends.source)}},
          .result = {DNNL_ARG_DST, floats(ends.target)},
          .fills = {{DNNL_ARG_SRC_0, 1}}};
}

std::vector<Attempt> repetitions(const Copy& shape, const VariantContext& context) {
  const auto row_major = [=] {
    const auto [source, target] = repeated(shape);
    return plan_resampling(repetition(context, source, target));
  };
  const auto pixels = [=] {
    const auto [source, target] = repeated(shape);
    return plan_resampling(repetition_of_pixels(context, source, target));
  };
  const auto ones = [=] { return plan_ones(repeated(shape), context); };
  std::vector<Attempt> ways{{.prefix = "ones.", .plan = ones}};
  if (shape.from.back() != 0 && shape.dims.size() > 1) {
    ways.push_back({.prefix = "pixels.", .plan = pixels});
  }
  ways.push_back({.prefix = "", .plan = row_major});
  return ways;
}

}  // namespace

void register_copy(WayTable& table) {
  table.add(family_of<Copy>(
      [](const Copy&) { return std::vector{Layout::plain}; },
      [](const Copy& shape, const Problem&, const VariantContext& context) {
        const bool repeats = std::find(shape.from.begin(), shape.from.end(), 0) != shape.from.end();
        if (repeats) return repetitions(shape, context);
        Attempt way{.prefix = "", .plan = [=] { return plan_reorder(shape, context); }};
        if (has_gaps(shape.dims, shape.from) && has_gaps(shape.dims, shape.to)) {
          way.defect = misses_elements;
        }
        return std::vector<Attempt>{way};
      }));
}

}  // namespace benanza::onednn
