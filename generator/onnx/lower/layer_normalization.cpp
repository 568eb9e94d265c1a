#include "core/base/error.h"
#include "generator/onnx/broadcast.h"
#include "generator/onnx/lowering.h"

namespace benanza::onnx::lower {
namespace {

/// Where scale and bias are among the inputs; 0 where the operator has none.
struct Places {
  std::size_t scale = 1;
  std::size_t bias = 2;
};

/// Rows end where `axis` begins. `source`: what is normalized, of the extents of input 0. A scale
/// or bias that is not one value for every place in a row follows as a call of its own.
void normalize(const Site& site, Source source, std::int64_t axis, float epsilon, bool rms,
               Places places, std::vector<Call>& calls) {
  const Dims& dims = site.shape(0);
  const auto middle = dims.begin() + axis;
  LayerNormalization shape{.rows = element_count({dims.begin(), middle}),
                           .length = element_count({middle, dims.end()}),
                           .epsilon = epsilon,
                           .root_mean_square = rms};
  const auto given = [&](std::size_t place) { return place > 0 && site.has_input(place); };
  const auto fits = [&](std::size_t place) {
    return !given(place) || element_count(site.shape(place)) == shape.length;
  };
  const bool inside = fits(places.scale) && fits(places.bias);
  shape.scale = inside && given(places.scale);
  shape.bias = inside && given(places.bias);
  std::vector<Source> operands{source};
  if (shape.scale) operands.push_back(from_input(static_cast<int>(places.scale)));
  if (shape.bias) operands.push_back(from_input(static_cast<int>(places.bias)));
  calls.push_back(call(shape, operands));
  if (inside) return;
  const auto follow = [&](BinaryKind kind, std::size_t place) {
    if (!given(place)) return;
    const Source last = from_call(static_cast<int>(calls.size()) - 1);
    calls.push_back(elementwise_call(
        kind, {dims, false, last},
        {site.shape(place), site.input(place).constant, from_input(static_cast<int>(place))}));
  };
  follow(BinaryKind::mul, places.scale);
  follow(BinaryKind::add, places.bias);
}

void check_outputs(const Site& site, std::size_t first, std::size_t last) {
  for (std::size_t index = first; index <= last; ++index) {
    if (site.has_output(index)) throw NotExpressible("hands out its statistics");
  }
}

std::int64_t stated_axis(const Site& site) {
  return Site::axis(site.node().integer("axis", -1), site.shape(0).size());
}

template <bool rms>
Lowered plain(const Site& site) {
  check_outputs(site, 1, 2);
  std::vector<Call> calls;
  normalize(site, from_input(0), stated_axis(site), site.node().real("epsilon", 1e-5F), rms,
            rms ? Places{1, 0} : Places{1, 2}, calls);
  return measured(std::move(calls));
}

/// The sum of input and skip, and of a bias where there is one, then normalized. The sum itself is
/// the last output.
template <bool rms>
Lowered skip_normalization(const Site& site) {
  check_outputs(site, 1, 2);
  const Dims& dims = site.shape(0);
  if (dims.empty()) throw Error("an input without axes");
  std::vector<Call> calls{elementwise_call(BinaryKind::add, {dims, false, from_input(0)},
                                           {site.shape(1), site.input(1).constant, from_input(1)})};
  const std::size_t bias = rms ? 3 : 4;
  if (site.has_input(bias)) {
    calls.push_back(elementwise_call(
        BinaryKind::add, {dims, false, from_call(0)},
        {site.shape(bias), site.input(bias).constant, from_input(static_cast<int>(bias))}));
  }
  const auto last = static_cast<int>(calls.size()) - 1;
  calls.back().output = site.has_output(3) ? 3 : 0;
  normalize(site, from_call(last), static_cast<std::int64_t>(dims.size()) - 1,
            site.node().real("epsilon", rms ? 1e-5F : 1e-12F), rms,
            rms ? Places{2, 0} : Places{2, 3}, calls);
  return measured(std::move(calls));
}

}  // namespace

void register_layer_normalization(LoweringTable& table) {
  table.add("LayerNormalization", plain<false>);
  table.add("RMSNormalization", plain<true>);
  table.add("SimplifiedLayerNormalization", plain<true>);
  table.add("com.microsoft.SkipLayerNormalization", skip_normalization<false>);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", skip_normalization<true>);
}

}  // namespace benanza::onnx::lower
