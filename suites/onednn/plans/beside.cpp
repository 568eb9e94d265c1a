#include "suites/onednn/plans/beside.h"

#include <utility>

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

Repetition repetition(const VariantContext& context, Dims source, Dims target) {
  constexpr std::size_t most_scaled = 3;
  constexpr std::size_t most = 5;
  const std::size_t rank = source.size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (source[axis] == target[axis]) continue;
    if (source[axis] != 1 || (rank > most_scaled && axis < rank - most_scaled)) {
      throw harness::Unsupported(
          "oneDNN's resampling repeats the last three axes of a dense tensor only");
    }
  }
  if (rank > most) throw harness::Unsupported("oneDNN's resampling has five axes at most");
  // n, c, and one to three scaled axes.
  const std::size_t leading = rank > most_scaled ? most - rank : 2;
  source.insert(source.begin(), leading, 1);
  target.insert(target.begin(), leading, 1);
  auto call = api::implementation_of<dnnl::resampling_forward>(
      context.engine(), context.attributes(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::resampling_nearest, context.plain(source), context.plain(target));
  return {std::move(call), std::move(source), std::move(target)};
}

}  // namespace benanza::onednn
