#include "suites/onednn/plans/beside.h"

#include "suites/harness/primitive.h"

namespace benanza::onednn {
namespace {

Implementation reorder(const dnnl::engine& engine, const Memory::desc& from,
                       const Memory::desc& to) {
  return Implementation(
      dnnl::reorder::primitive_desc(engine, from, engine, to, dnnl::primitive_attr()));
}

}  // namespace

Beside applied(const VariantContext& context, const Eltwise& function) {
  return [engine = context.engine(), function](const Memory::desc& format) {
    const auto& [algorithm, alpha, beta] = function;
    return api::implementation_of<dnnl::eltwise_forward>(engine, dnnl::primitive_attr(),
                                                         dnnl::prop_kind::forward_inference,
                                                         algorithm, format, format, alpha, beta);
  };
}

Beside moved_from(const VariantContext& context, const Memory::desc& outside) {
  return [engine = context.engine(), outside](const Memory::desc& format) {
    return reorder(engine, outside, format);
  };
}

Beside moved_to(const VariantContext& context, const Memory::desc& outside) {
  return [engine = context.engine(), outside](const Memory::desc& format) {
    return reorder(engine, format, outside);
  };
}

namespace {

constexpr std::size_t most_repeated = 3;
constexpr std::size_t most_axes = 5;

/// `source` and `target`: n, c, and one to three axes that a nearest resampling scales.
Repetition resampled(const VariantContext& context, Layout layout, const Dims& source,
                     const Dims& target) {
  const VariantContext own(context.engine(), context.precision(), layout);
  const VariantContext values(context.engine(), Precision::fp32, layout);
  return {api::implementation_of<dnnl::resampling_forward>(
              context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
              dnnl::algorithm::resampling_nearest, own.tensor(source), own.tensor(target)),
          values.tensor(source), values.tensor(target)};
}

/// Throws Unsupported unless axes that differ have one element and are among those that are scaled,
/// `last` of which lie behind the others.
void check_repeated(const Dims& source, const Dims& target, std::size_t last) {
  const std::size_t end = source.size() - last;
  for (std::size_t axis = 0; axis < source.size(); ++axis) {
    if (source[axis] == target[axis]) continue;
    const bool is_scaled = axis < end && axis + most_repeated >= end;
    if (source[axis] != 1 || !is_scaled) {
      throw harness::Unsupported(
          "oneDNN's resampling repeats the last three axes of a dense tensor only");
    }
  }
  if (source.size() > most_axes) {
    throw harness::Unsupported("oneDNN's resampling has five axes at most");
  }
}

}  // namespace

Repetition repetition(const VariantContext& context, Dims source, Dims target) {
  check_repeated(source, target, 0);
  const std::size_t rank = source.size();
  const std::size_t leading = rank > most_repeated ? most_axes - rank : 2;
  source.insert(source.begin(), leading, 1);
  target.insert(target.begin(), leading, 1);
  // The library takes a single element for one with channels last.
  const Layout layout = element_count(source) == 1 ? Layout::nhwc : Layout::nchw;
  return resampled(context, layout, source, target);
}

Repetition repetition_of_pixels(const VariantContext& context, const Dims& source,
                                const Dims& target) {
  check_repeated(source, target, 1);
  const auto pixels = [](const Dims& dims) {
    Dims moved(dims.begin(), dims.end() - 1);
    // Threads share all but the last of the scaled axes.
    if (moved.size() < most_repeated) moved.push_back(1);
    if (moved.size() <= most_repeated) moved.insert(moved.begin(), 1);
    moved.insert(moved.begin() + 1, dims.back());
    return moved;
  };
  return resampled(context, Layout::nhwc, pixels(source), pixels(target));
}

}  // namespace benanza::onednn
