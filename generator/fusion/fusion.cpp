#include "generator/fusion/fusion.h"

#include <array>

#include "generator/fusion/attention.h"

namespace benanza::fusion {
namespace {

constexpr std::array<ChainStep, 4> steps{with_bias, with_batch_normalization, with_residual,
                                         with_activation};

/// A layer without work whose one result is its first input, element by element.
bool passes_on(const LoweredLayer& layer, std::size_t producer, std::int64_t elements) {
  return layer.cost == Cost::free && !layer.constant && layer.outputs.size() == 1 &&
         !layer.reads.empty() && layer.reads[0].producer == producer && layer.outputs[0].shape &&
         element_count(*layer.outputs[0].shape) == elements;
}

/// Which operand of the call reads `source`.
template <class Matches>
std::optional<std::size_t> operand_that(const Call& call, Matches matches) {
  for (std::size_t index = 0; index < call.operands.size(); ++index) {
    if (matches(call.operands[index])) return index;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Chain> product_chain(const Flow& flow, std::size_t index) {
  const LoweredLayer& layer = flow.layer(index);
  if (layer.cost != Cost::measured || layer.calls.empty()) return std::nullopt;
  const Shape& shape = layer.calls.front().problem.shape;
  Chain chain{.pattern = "", .layers = {index}, .problem = {shape, {}}};
  chain.takes_all_calls = layer.calls.size() == 1;
  if (std::holds_alternative<Convolution>(shape)) {
    chain.pattern = "conv";
  } else if (std::holds_alternative<Deconvolution>(shape)) {
    chain.pattern = "deconv";
  } else if (const auto* gemm = std::get_if<Gemm>(&shape);
             gemm != nullptr && gemm->batch_a.empty()) {
    chain.pattern = "gemm";
  } else {
    return std::nullopt;
  }
  return chain;
}

std::optional<NextCall> next_call(const Flow& flow, const Chain& chain) {
  const std::size_t last = chain.layers.back();
  if (!chain.takes_all_calls) {
    // Only a product's own second call: bias or addend of the same node.
    const LoweredLayer& layer = flow.layer(last);
    if (layer.calls.size() != 2) return std::nullopt;
    const Call& call = layer.calls[1];
    const auto operand = operand_that(call, [](const Source& source) {
      return source.kind == Source::Kind::call && source.index == 0;
    });
    if (!operand) return std::nullopt;
    return NextCall{call, {}, last, *operand};
  }
  const std::int64_t elements = element_count(output(chain.problem));
  std::vector<std::size_t> passed;
  std::size_t producer = last;
  std::optional<std::size_t> reader = flow.reader(producer);
  while (reader && passes_on(flow.layer(*reader), producer, elements)) {
    passed.push_back(*reader);
    producer = *reader;
    reader = flow.reader(producer);
  }
  if (!reader) return std::nullopt;
  const LoweredLayer& layer = flow.layer(*reader);
  if (layer.cost != Cost::measured || layer.calls.size() != 1 || layer.outputs.size() != 1) {
    return std::nullopt;
  }
  const auto operand = operand_that(layer.calls[0], [&](const Source& source) {
    return flow.comes_from(*reader, source, producer);
  });
  if (!operand) return std::nullopt;
  passed.push_back(*reader);
  return NextCall{layer.calls[0], std::move(passed), *reader, *operand};
}

Chain extended(Chain chain, const NextCall& next, const std::string& name) {
  chain.pattern += '_' + name;
  chain.layers.insert(chain.layers.end(), next.layers.begin(), next.layers.end());
  chain.takes_all_calls = true;
  return chain;
}

std::vector<Fusion> find_fusions(const std::vector<LoweredLayer>& layers) {
  const Flow flow(layers);
  std::vector<Fusion> fusions;
  for (std::size_t index = 0; index < flow.size(); ++index) {
    std::optional<Chain> chain = product_chain(flow, index);
    if (!chain) continue;
    for (const ChainStep step : steps) {
      if (auto longer = step(flow, *chain)) {
        chain = std::move(longer);
        fusions.push_back(
            {chain->pattern, chain->layers, key(chain->problem), chain->keeps_residual});
      }
    }
  }
  for (Fusion& stack : recurrent_stacks(flow)) fusions.push_back(std::move(stack));
  for (const auto find : {attention_layers, attention_patterns}) {
    for (Fusion& fusion : find(flow)) fusions.push_back(std::move(fusion));
  }
  return fusions;
}

}  // namespace benanza::fusion
