#include "generator/onnx/attention.h"

#include <cmath>

#include "core/base/error.h"
#include "generator/onnx/broadcast.h"
#include "generator/onnx/product.h"

/// Attention by its parts; the fusion "attention" puts one call beside them. A mask of truth values
/// stands for the numbers that are added in its place.
namespace benanza::onnx::lower {
namespace {

struct Inputs {
  Heads q;
  Heads k;
  Heads v;
};

const Dims& rows(const Site& site, std::size_t index) {
  const Dims& dims = site.shape(index);
  if (dims.size() != 3) throw NotExpressible("an input of other than batch, length and heads");
  return dims;
}

std::int64_t head_count(const Site& site, std::string_view name, std::int64_t width) {
  const std::int64_t heads = site.node().integer(name, 0);
  if (heads < 1 || width % heads != 0) {
    throw Error("rows of " + std::to_string(width) + " do not divide into " +
                std::to_string(heads) + " heads");
  }
  return heads;
}

/// Input `index`: heads as they are where it has four axes, else side by side in the rows.
Heads heads_of(AttentionParts& parts, const Site& site, std::size_t index, std::string_view name) {
  const Source source = from_input(static_cast<int>(index));
  if (site.shape(index).size() == 4) return {site.shape(index), source};
  const Dims& dims = rows(site, index);
  const std::int64_t heads = head_count(site, name, dims[2]);
  return parts.split(dims[0], dims[1], heads, dims[2] / heads, source, dims[2]);
}

/// Keys and values of earlier runs, and where the node hands out all of them.
struct Past {
  std::size_t key;
  std::size_t value;
};

void append_past(AttentionParts& parts, const Site& site, Inputs& inputs, Past past) {
  if (!site.has_input(past.key) || !site.has_input(past.value)) return;
  const auto continued = [&](std::size_t index, const Heads& heads, int output) {
    return parts.append({site.shape(index), from_input(static_cast<int>(index))}, heads, output);
  };
  inputs.k = continued(past.key, inputs.k, 1);
  inputs.v = continued(past.value, inputs.v, 2);
}

ScoreMask mask_of(const Site& site, std::size_t index, const Inputs& inputs) {
  const Dims& dims = site.shape(index);
  if (dims.empty() || (dims.back() != 1 && dims.back() != inputs.k.dims[2])) {
    throw NotExpressible("a mask of " + join(dims, 'x') + " for " +
                         std::to_string(inputs.k.dims[2]) + " keys");
  }
  return {site.shape(index), site.input(index).constant, from_input(static_cast<int>(index))};
}

/// A triangle that the framework makes once.
ScoreMask triangle(const Inputs& inputs) {
  return {{inputs.q.dims[2], inputs.k.dims[2]}, true, from_attribute()};
}

/// Keys that are too far before or behind the query (opset 25).
bool has_window(const Site& site) {
  return site.node().integer("left_window_size", -1) >= 0 ||
         site.node().integer("right_window_size", -1) >= 0;
}

/// A band that the framework makes once; of a causal node, its lower half.
ScoreMask band(const Inputs& inputs) {
  ScoreMask mask = triangle(inputs);
  mask.source.index = 1;
  return mask;
}

float scale_of(const Site& site, const Inputs& inputs) {
  const float usual = 1 / std::sqrt(static_cast<float>(inputs.q.dims[3]));
  const float stated = site.node().real("scale", 0);
  return stated == 0 ? usual : stated;
}

void finish(AttentionParts& parts, const Site& site, const Inputs& inputs,
            const std::vector<ScoreMask>& masks, bool side_by_side) {
  const Heads result = parts.attend(inputs.q, inputs.k, inputs.v, scale_of(site, inputs), masks);
  if (side_by_side) parts.join(result);
}

/// The standard's operator.
Lowered attention(const Site& site) {
  if (site.node().real("softcap", 0) != 0) throw NotExpressible("scores with a soft cap");
  if (site.has_output(3)) throw NotExpressible("hands out its scores");
  if (site.has_input(6)) throw NotExpressible("lengths that are only known when the model runs");
  AttentionParts parts;
  Inputs inputs{heads_of(parts, site, 0, "q_num_heads"), heads_of(parts, site, 1, "kv_num_heads"),
                heads_of(parts, site, 2, "kv_num_heads")};
  append_past(parts, site, inputs, {4, 5});
  std::vector<ScoreMask> masks;
  if (site.has_input(3)) masks.push_back(mask_of(site, 3, inputs));
  if (has_window(site)) {
    masks.push_back(band(inputs));
  } else if (site.node().integer("is_causal", 0) != 0) {
    masks.push_back(triangle(inputs));
  }
  finish(parts, site, inputs, masks, site.shape(0).size() == 3);
  return std::move(parts).done();
}

/// Bias of q, k and v in one vector; a padding mask of keys; an addend of the scores.
Lowered multi_head_attention(const Site& site) {
  if (!site.has_input(1) || !site.has_input(2)) throw NotExpressible("q, k and v in one tensor");
  if (site.has_input(3)) throw NotExpressible("a bias of q, k and v");
  const Dims& q = rows(site, 0);
  AttentionParts parts;
  Inputs inputs{heads_of(parts, site, 0, "num_heads"), heads_of(parts, site, 1, "num_heads"),
                heads_of(parts, site, 2, "num_heads")};
  append_past(parts, site, inputs, {6, 7});
  std::vector<ScoreMask> masks;
  if (site.has_input(4)) {
    if (site.shape(4) != Dims{q[0], inputs.k.dims[2]}) {
      throw NotExpressible("a padding mask of " + join(site.shape(4), 'x'));
    }
    masks.push_back({{q[0], 1, 1, inputs.k.dims[2]}, site.input(4).constant, from_input(4)});
  }
  if (site.has_input(5)) masks.push_back(mask_of(site, 5, inputs));
  if (site.node().integer("unidirectional", 0) != 0) masks.push_back(triangle(inputs));
  finish(parts, site, inputs, masks, true);
  return std::move(parts).done();
}

/// The projection to q, k and v first, by one weight.
Lowered packed_attention(const Site& site) {
  if (site.has_input(4)) throw NotExpressible("keys and values of earlier runs in one tensor");
  if (site.node().integer("do_rotary", 0) != 0) throw NotExpressible("a rotation of q and k");
  const Dims& input = rows(site, 0);
  const Dims& weights = site.shape(1);
  if (weights.size() != 2) throw Error("weights of " + join(weights, 'x'));
  const Dims sizes = site.node().integers("qkv_hidden_sizes").value_or(Dims(3, weights[1] / 3));
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != weights[1]) {
    throw Error("q, k and v do not fill the rows of " + std::to_string(weights[1]));
  }
  AttentionParts parts;
  Source packed = parts.add(matmul_call(site, {0, 1}, false, false));
  if (site.has_input(2)) {
    packed = parts.add(elementwise_call(BinaryKind::add,
                                        {{input[0] * input[1], weights[1]}, false, packed},
                                        {site.shape(2), site.input(2).constant, from_input(2)}));
  }
  std::int64_t offset = 0;
  const auto next = [&](std::int64_t width) {
    const std::int64_t heads = head_count(site, "num_heads", width);
    const Heads found =
        parts.split(input[0], input[1], heads, width / heads, packed, weights[1], offset);
    offset += width;
    return found;
  };
  Inputs inputs;
  inputs.q = next(sizes[0]);
  inputs.k = next(sizes[1]);
  inputs.v = next(sizes[2]);
  std::vector<ScoreMask> masks;
  if (site.has_input(3)) {
    if (site.shape(3) != Dims{input[0], input[1]}) {
      throw NotExpressible("a mask of " + join(site.shape(3), 'x'));
    }
    masks.push_back({{input[0], 1, 1, input[1]}, site.input(3).constant, from_input(3)});
  }
  if (site.has_input(5)) masks.push_back(mask_of(site, 5, inputs));
  if (site.node().integer("unidirectional", 0) != 0) masks.push_back(triangle(inputs));
  finish(parts, site, inputs, masks, true);
  return std::move(parts).done();
}

/// Causal, with fewer heads of keys and values.
Lowered group_query_attention(const Site& site) {
  if (!site.has_input(1) || !site.has_input(2)) throw NotExpressible("q, k and v in one tensor");
  if (site.node().integer("do_rotary", 0) != 0) throw NotExpressible("a rotation of q and k");
  if (site.node().real("softcap", 0) != 0) throw NotExpressible("scores with a soft cap");
  if (site.node().integer("local_window_size", -1) > 0) throw NotExpressible("a window of keys");
  AttentionParts parts;
  Inputs inputs{heads_of(parts, site, 0, "num_heads"), heads_of(parts, site, 1, "kv_num_heads"),
                heads_of(parts, site, 2, "kv_num_heads")};
  append_past(parts, site, inputs, {3, 4});
  finish(parts, site, inputs, {triangle(inputs)}, true);
  return std::move(parts).done();
}

}  // namespace

void register_attention(LoweringTable& table) {
  table.add("Attention", attention);
  table.add("com.microsoft.MultiHeadAttention", multi_head_attention);
  table.add("com.microsoft.Attention", packed_attention);
  table.add("com.microsoft.GroupQueryAttention", group_query_attention);
}

}  // namespace benanza::onnx::lower
