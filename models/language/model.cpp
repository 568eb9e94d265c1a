#include "models/language/model.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "models/language/graph.h"

namespace benanza::language {
namespace {

using ::onnx::TensorProto;

constexpr std::int64_t most_verified = 16;

class ModelWriter {
 public:
  ModelWriter(const Decoder& decoder, const Pass& pass, const std::string& name, bool separate)
      : decoder_(decoder),
        pass_(pass),
        graph_(name),
        layers_(graph_, decoder, pass, separate),
        name_(name) {}

  Written write() && {
    embed();
    for (std::size_t i = 0; i < decoder_.layers.size(); ++i) {
      add_layer(static_cast<std::int64_t>(i), decoder_.layers[i]);
    }
    add_head();
    describe();
    const std::int64_t parameters = graph_.parameters();
    const std::int64_t weight_bytes = graph_.weight_bytes();
    return {graph_.take(), parameters, weight_bytes, layers_.cache()};
  }

 private:
  Tensor norm(const std::string& name, const Tensor& x) {
    return rms_norm(graph_, name, x, decoder_.epsilon);
  }
  Tensor plus(const std::string& name, const Tensor& a, const Tensor& b) {
    return elementwise(graph_, "Add", name, a, b);
  }

  Tensor look_up(const std::string& name, std::int64_t words, std::int64_t length) {
    const Tensor table = graph_.parameter(name + ".weight", {words, length}, 0.5F);
    if (name == "model.embed_tokens") table_ = table;
    return graph_.add("Gather", name, {table, tokens_}, {pass_.batch, pass_.tokens, length});
  }

  /// Each GPU has a part of the words.
  void embed() {
    const std::int64_t ranks = pass_.tensor_parallel;
    tokens_ = graph_.input("input_ids", TensorProto::INT64, {pass_.batch, pass_.tokens});
    x_ = look_up("model.embed_tokens", share(decoder_.vocabulary, ranks, "words"), decoder_.hidden);
    x_ = all_reduce(graph_, "model.embed_tokens.all_reduce", x_, ranks);
    if (decoder_.scaled_embedding) {
      x_ = scaled(graph_, "model.embed_tokens.scale", x_,
                  std::sqrt(static_cast<float>(decoder_.hidden)));
    }
    if (decoder_.layer_embedding > 0) embed_layers();
  }

  /// (look-up * sqrt(size) + norm(projection of the embedding / sqrt(hidden))) / sqrt(2)
  void embed_layers() {
    const std::int64_t size = decoder_.layer_embedding;
    const auto count = static_cast<std::int64_t>(decoder_.layers.size());
    Tensor words = look_up("model.embed_tokens_per_layer", decoder_.layer_vocabulary, count * size);
    words = scaled(graph_, "model.embed_tokens_per_layer.scale", words,
                   std::sqrt(static_cast<float>(size)));
    Tensor y = multiply(graph_, {}, x_,
                        {.name = "model.per_layer_model_projection", .columns = count * size});
    y = scaled(graph_, "model.per_layer_model_projection.scale", y,
               1 / std::sqrt(static_cast<float>(decoder_.hidden)));
    y = reshaped(graph_, "model.per_layer_projection.heads", y,
                 {pass_.batch, pass_.tokens, count, size});
    y = norm("model.per_layer_projection_norm", y);
    y = reshaped(graph_, "model.per_layer_projection.rows", y, words.dims);
    y = scaled(graph_, "model.per_layer_inputs.scale", plus("model.per_layer_inputs", y, words),
               std::sqrt(0.5F));
    of_layers_ =
        split(graph_, "model.per_layer_inputs.split", y, Dims(decoder_.layers.size(), size));
  }

  Tensor attention(const std::string& name, std::int64_t i, const Layer& layer, const Tensor& x) {
    if (const auto* latent = std::get_if<LatentAttention>(&layer.attention)) {
      return layers_.attention(name, x, *latent);
    }
    return layers_.attention(name, x, std::get<Attention>(layer.attention), i);
  }

  Tensor feed_forward(const std::string& name, const Layer& layer, const Tensor& x,
                      const Tensor& residual) {
    if (const auto* dense = std::get_if<FeedForward>(&layer.feed_forward)) {
      return layers_.feed_forward(name + ".mlp", x, *dense);
    }
    const auto& experts = std::get<Experts>(layer.feed_forward);
    if (!experts.beside) return layers_.experts(name + ".mlp", x, experts, x);
    Tensor router = residual;
    if (experts.scaled_router) {
      router = rms_norm(graph_, name + ".router.norm", router, decoder_.epsilon, false);
      router = elementwise(graph_, "Mul", name + ".router.scaled", router,
                           graph_.parameter(name + ".router.scale", {decoder_.hidden}, 1));
      graph_.parameter(name + ".router.per_expert_scale", {experts.count}, 1);
    }
    const Tensor dense = norm(name + ".post_feedforward_layernorm_1",
                              layers_.feed_forward(name + ".mlp", x, *experts.beside));
    const Tensor chosen =
        norm(name + ".post_feedforward_layernorm_2",
             layers_.experts(name + ".moe", norm(name + ".pre_feedforward_layernorm_2", residual),
                             experts, router));
    return plus(name + ".feed_forward_sum", dense, chosen);
  }

  void add_layer(std::int64_t i, const Layer& layer) {
    const std::string name = "model.layers." + std::to_string(i);
    const bool behind = decoder_.norms_behind;
    Tensor y = attention(name + ".self_attn", i, layer, norm(name + ".input_layernorm", x_));
    if (behind) y = norm(name + ".post_attention_layernorm", y);
    x_ = plus(name + ".attention_sum", x_, y);
    const Tensor residual = x_;
    y = norm(name + (behind ? ".pre_feedforward_layernorm" : ".post_attention_layernorm"), x_);
    y = feed_forward(name, layer, y, residual);
    if (behind) y = norm(name + ".post_feedforward_layernorm", y);
    x_ = plus(name + ".sum", x_, y);
    if (!of_layers_.empty()) add_layer_embedding(name, of_layers_[static_cast<std::size_t>(i)]);
    if (decoder_.layer_factors) x_ = scaled(graph_, name + ".layer_scalar", x_, 1);
  }

  void add_layer_embedding(const std::string& name, const Tensor& words) {
    Tensor y =
        multiply(graph_, pass_.weights, x_,
                 {.name = name + ".per_layer_input_gate", .columns = decoder_.layer_embedding});
    y = unary(graph_, "Gelu", name + ".per_layer_act_fn", y);
    auto& attribute = zoo::add_attribute(graph_.last(), "approximate");
    attribute.set_type(::onnx::AttributeProto::STRING);
    attribute.set_s("tanh");
    y = elementwise(graph_, "Mul", name + ".per_layer_input", y, words);
    y = multiply(graph_, pass_.weights, y,
                 {.name = name + ".per_layer_projection", .columns = decoder_.hidden});
    x_ = plus(name + ".per_layer_sum", x_, norm(name + ".post_per_layer_input_norm", y));
  }

  void take_last_token() {
    const bool all = pass_.phase == Phase::extend && pass_.tokens <= most_verified;
    if (pass_.tokens == 1 || all) return;
    x_ = graph_.add("Slice", "last_token",
                    {x_, graph_.integers("last_token.starts", {-1}),
                     graph_.integers("last_token.ends", {std::numeric_limits<std::int64_t>::max()}),
                     graph_.integers("last_token.axes", {1})},
                    {pass_.batch, 1, decoder_.hidden});
  }

  void add_head() {
    take_last_token();
    x_ = norm("model.norm", x_);
    const std::int64_t words = table_.dims[0];
    Tensor logits;
    if (decoder_.tied) {
      logits = graph_.add("FusedMatMul", "lm_head", {x_, table_}, {x_.dims[0], x_.dims[1], words});
      graph_.last().set_domain("com.microsoft");
      zoo::set(graph_.last(), "transB", std::int64_t{1});
    } else {
      const WeightType type =
          pass_.weights.block > 0 && !pass_.float_head ? pass_.weights : WeightType{};
      logits = multiply(graph_, type, x_, {.name = "lm_head", .columns = words});
    }
    graph_.output(capped(graph_, "logits_cap", logits, decoder_.logit_cap), TensorProto::FLOAT);
  }

  void describe() {
    graph_.describe("model", name_);
    graph_.describe("phase", std::string(to_string(pass_.phase)));
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::int64_t>>{
             {"batch", pass_.batch},
             {"past", pass_.past},
             {"new", pass_.tokens},
             {"tensor_parallel", pass_.tensor_parallel},
             {"weight_bytes", graph_.weight_bytes()},
             {"cache_bytes_per_token", layers_.cache().per_token},
             {"cache_bytes_fixed", layers_.cache().fixed},
             {"layers", static_cast<std::int64_t>(decoder_.layers.size())},
             {"hidden", decoder_.hidden}}) {
      graph_.describe(key, std::to_string(value));
    }
    graph_.describe("weights", to_string(pass_.weights));
    graph_.describe("cache", pass_.cache == CacheType::fp8 ? "fp8" : "bf16");
  }

  const Decoder& decoder_;
  const Pass& pass_;
  Graph graph_;
  LayerWriter layers_;
  std::string name_;
  Tensor tokens_;
  Tensor table_;
  Tensor x_;
  std::vector<Tensor> of_layers_;
};

void check(const Pass& pass) {
  if (pass.phase == Phase::prefill && pass.past != 0) {
    throw Error("--past " + std::to_string(pass.past) +
                ": a prefill has no past; use --phase extend");
  }
  if (pass.phase == Phase::decode && pass.tokens != 1) {
    throw Error("--new " + std::to_string(pass.tokens) +
                ": a decode step takes one token; use --phase extend for several");
  }
  if (pass.phase != Phase::prefill && pass.past == 0) {
    throw Error("--past 0: give the tokens before this step, or --phase prefill");
  }
}

bool has_latent_attention(const Decoder& decoder) {
  return !decoder.layers.empty() &&
         std::holds_alternative<LatentAttention>(decoder.layers.front().attention);
}

}  // namespace

Written write(const Decoder& decoder, const Pass& pass, const std::string& name, bool separate) {
  check(pass);
  if (pass.cache == CacheType::fp8 && has_latent_attention(decoder)) {
    throw Error("--cache fp8: latent rows are kept in bf16");
  }
  return ModelWriter(decoder, pass, name, separate).write();
}

}  // namespace benanza::language
