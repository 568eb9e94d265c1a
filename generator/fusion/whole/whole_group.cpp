#include <algorithm>

#include "generator/fusion/fusion.h"
#include "generator/fusion/whole/whole.h"

namespace benanza::fusion {
namespace {

/// An instance normalization whose channels are groups of the image's channels.
struct Groups {
  std::size_t layer;
  InstanceNormalization shape;
  /// Extents of the image as the following layers see it.
  Dims image;
};

/// The last of the layers after `index` that pass on its result; it defines the extents.
const LoweredLayer* last_view(const Flow& flow, std::size_t index) {
  const LoweredLayer* view = nullptr;
  for (auto next = flow.reader(index); next && flow.passes_on(*next); next = flow.reader(*next)) {
    view = &flow.layer(*next);
  }
  return view;
}

std::optional<Groups> groups_at(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (layer.cost != Cost::measured || layer.calls.size() != 1) return std::nullopt;
  const auto* shape = std::get_if<InstanceNormalization>(&layer.calls[0].problem.shape);
  const LoweredLayer* view = shape == nullptr ? nullptr : last_view(flow, index);
  if (view == nullptr) return std::nullopt;
  const Dims& image = *view->outputs[0].shape;
  const Dims& input = shape->input;
  if (image.size() < 3 || image[0] != input[0] || image[1] == input[1] ||
      image[1] % input[1] != 0 || element_count(image) != element_count(input)) {
    return std::nullopt;
  }
  return Groups{index, *shape, image};
}

/// Makes the group's channels an axis of their own, so that there is one factor per channel.
InstanceNormalization with_channels(const Groups& groups) {
  InstanceNormalization shape = groups.shape;
  const std::int64_t count = shape.input[1];
  shape.input = groups.image;
  shape.input[1] /= count;
  shape.input.insert(shape.input.begin() + 1, count);
  return shape;
}

/// The layer that combines the chain's result with a constant of one value per channel.
struct PerChannel {
  std::vector<std::size_t> layers;
  BinaryKind kind;
  /// Extents of the constant, in the rank of the image.
  Dims extents;
  Read constant;
};

std::optional<PerChannel> per_channel(const Flow& flow, const Chain& chain, BinaryKind kind,
                                      const Dims& image) {
  const auto next = next_call(flow, chain);
  if (!next || next->layers.empty() || flow.layer(next->layer).calls.size() != 1) {
    return std::nullopt;
  }
  const auto* binary = std::get_if<Binary>(&next->call.problem.shape);
  if (binary == nullptr || binary->kind != kind || binary->output() != image) return std::nullopt;
  const Source& source = next->call.operands[1 - next->operand];
  const Read* read = flow.read(next->layer, source);
  Dims expected(image.size(), 1);
  expected[1] = image[1];
  const Dims& extents = next->operand == 0 ? binary->b : binary->a;
  if (read == nullptr || !read->constant || extents != expected) return std::nullopt;
  return PerChannel{next->layers, kind, extents, *read};
}

/// Adds an operator of the group normalization's factors and terms alone as one call, for libraries
/// that have no call for the whole.
void add_factors_and_terms(const Groups& groups, const PerChannel& factor, const PerChannel& term,
                           std::vector<WholeOperator>& found) {
  Binary product{.kind = BinaryKind::mul, .a = groups.image, .b = factor.extents};
  product.constant_b = true;
  WholeOperator both{
      "scale_shift",
      {factor.layers.back()},
      with_step({product, {}},
                Combine{.kind = CombineKind::add, .y = term.extents, .constant = true}),
      {{.producer =
            factor.layers.size() > 1 ? factor.layers[factor.layers.size() - 2] : groups.layer},
       factor.constant,
       term.constant}};
  both.layers.insert(both.layers.end(), term.layers.begin(), term.layers.end());
  std::ranges::sort(both.layers);
  found.push_back(std::move(both));
}

}  // namespace

std::vector<WholeOperator> group_normalizations(const Flow& flow) {
  std::vector<WholeOperator> found;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    const auto groups = groups_at(flow, index);
    if (!groups) continue;
    Chain chain{.pattern = {}, .layers = {index}, .problem = {with_channels(*groups), {}}};
    const Dims image = groups->image;
    const auto factor = per_channel(flow, chain, BinaryKind::mul, image);
    if (!factor) continue;
    chain.layers.insert(chain.layers.end(), factor->layers.begin(), factor->layers.end());
    const auto term = per_channel(flow, chain, BinaryKind::add, image);
    if (!term) continue;
    chain.layers.insert(chain.layers.end(), term->layers.begin(), term->layers.end());
    for (const PerChannel* one : {&*factor, &*term}) {
      const auto y = refitted(one->extents, image, output(chain.problem));
      const CombineKind kind = one->kind == BinaryKind::mul ? CombineKind::mul : CombineKind::add;
      chain.problem =
          with_step(std::move(chain.problem), Combine{.kind = kind, .y = *y, .constant = true});
    }
    add_factors_and_terms(*groups, *factor, *term, found);
    std::ranges::sort(chain.layers);
    WholeOperator whole{"groupnorm", chain.layers, chain.problem, {}};
    for (const Source& source : flow.layer(index).calls[0].operands) {
      const Read* read = flow.read(index, source);
      whole.operands.push_back(read == nullptr ? Read{} : *read);
    }
    whole.operands.push_back(factor->constant);
    whole.operands.push_back(term->constant);
    found.push_back(std::move(whole));
  }
  return found;
}

}  // namespace benanza::fusion
