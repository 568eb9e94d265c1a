// Language models from configurations: their parameters against those that transformers makes,
// sizes against published ones, bytes and FLOPs of a layer by hand.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/error.h"
#include "generator/onnx/import.h"
#include "models/language/config.h"
#include "models/language/family.h"
#include "models/language/model.h"

namespace benanza::language {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path data = BENANZA_LANGUAGE_CONFIGS;

Decoder decoder_of(const std::string& name) {
  return read_decoder(Config::read((data / (name + ".json")).string()));
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(data)) {
    if (entry.path().extension() == ".tsv") found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

/// How often each shape occurs; matrices as (smaller, larger), since files differ in what is
/// transposed.
using Shapes = std::map<std::string, int>;

void count(Shapes& shapes, std::vector<std::int64_t> dims) {
  std::ranges::sort(dims);
  std::string text;
  for (const std::int64_t extent : dims) text += (text.empty() ? "" : "x") + std::to_string(extent);
  ++shapes[text];
}

Shapes shapes_of_transformers(const std::string& name) {
  std::ifstream file(data / (name + ".tsv"));
  std::string line;
  std::getline(file, line);
  Shapes shapes;
  while (std::getline(file, line)) {
    std::istringstream extents(line.substr(line.find('\t') + 1));
    std::vector<std::int64_t> dims;
    for (std::string extent; std::getline(extents, extent, 'x');)
      dims.push_back(std::stoll(extent));
    count(shapes, dims);
  }
  return shapes;
}

Shapes shapes_of_graph(const ::onnx::ModelProto& model) {
  std::map<std::string, std::vector<std::int64_t>> constants;
  for (const auto& tensor : model.graph().initializer()) {
    constants[tensor.name()] = {tensor.int64_data().begin(), tensor.int64_data().end()};
  }
  Shapes shapes;
  for (const auto& node : model.graph().node()) {
    if (node.op_type() != "ConstantOfShape" || node.name().starts_with("constants/")) continue;
    count(shapes, constants.at(node.input(0)));
  }
  return shapes;
}

class EveryFamily : public ::testing::TestWithParam<std::string> {};

// A whole prompt: behind a past, latent attention has its expansion in two halves.
TEST_P(EveryFamily, HasTheParametersThatTransformersMakes) {
  const Decoder decoder = decoder_of(GetParam());
  const Pass pass{.phase = Phase::prefill, .tokens = 8};
  // Phi's code merges q, k and v, gate and up as servers do.
  const Written written = write(decoder, pass, "m", GetParam() != "phi3");
  const Shapes expected = shapes_of_transformers(GetParam());
  EXPECT_GT(expected.size(), 4U);
  EXPECT_EQ(shapes_of_graph(written.model), expected);
}

TEST_P(EveryFamily, IsMeasuredWhollyInEveryPhase) {
  const Decoder decoder = decoder_of(GetParam());
  for (const Pass& pass :
       {Pass{.phase = Phase::prefill, .batch = 2, .tokens = 12}, Pass{.batch = 2, .past = 150},
        Pass{.phase = Phase::extend, .batch = 2, .past = 150, .tokens = 3},
        Pass{.batch = 4, .past = 9, .weights = {WeightType::Kind::int8}},
        Pass{.batch = 4, .past = 9, .weights = {WeightType::Kind::fp8}},
        Pass{.batch = 4, .past = 9, .weights = {WeightType::Kind::int4_blocks, 16}},
        Pass{.batch = 1, .past = 9, .tensor_parallel = 2}}) {
    const LoweredGraph graph = onnx::import_model(write(decoder, pass, "m").model, "m", {}, {});
    for (const LoweredLayer& layer : graph.layers) {
      EXPECT_NE(layer.cost, Cost::unsupported)
          << to_string(pass.phase) << ' ' << to_string(pass.weights) << ' ' << layer.name << ": "
          << layer.reason;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Language, EveryFamily, ::testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

struct Published {
  const char* name;
  std::int64_t parameters;
};

// Sums of the published checkpoints' tensors; of DeepSeek-V3 without the 14,848 corrections of the
// routers, which are no parameters of the model.
TEST(Language, HasThePublishedNumberOfParameters) {
  for (const auto& [name, parameters] : {Published{"llama-3.1-8b", 8030261248},
                                         {"gpt-oss-20b", 20914757184},
                                         {"deepseek-v3", 671026419200 - 14848}}) {
    const Written written = write(
        read_decoder(Config::read((data / "published" / (std::string(name) + ".json")).string())),
        {.past = 1023}, name);
    EXPECT_EQ(written.parameters, parameters) << name;
    EXPECT_EQ(written.weight_bytes, 2 * parameters) << name;
  }
}

Written published(const std::string& name, const Pass& pass, std::size_t layers) {
  Decoder decoder = read_decoder(Config::read((data / "published" / (name + ".json")).string()));
  decoder.layers.erase(decoder.layers.begin(), decoder.layers.end() - static_cast<long>(layers));
  return write(decoder, pass, name);
}

TEST(Language, CountsTheBytesOfCaches) {
  // 32 layers, keys and values, 8 heads of 128, 2 bytes
  EXPECT_EQ(published("llama-3.1-8b", {.past = 9}, 32).cache.per_token, 32 * 2 * 8 * 128 * 2);
  EXPECT_EQ(published("llama-3.1-8b", {.past = 9, .cache = CacheType::fp8}, 32).cache.per_token,
            32 * 2 * 8 * 128);
  // On 16 GPUs two hold the same head.
  EXPECT_EQ(published("llama-3.1-8b", {.past = 9, .tensor_parallel = 16}, 32).cache.per_token,
            32 * 2 * 1 * 128 * 2);
  // Half of the layers keep 128 tokens at most.
  EXPECT_EQ(published("gpt-oss-20b", {.past = 9}, 24).cache.per_token, 12 * 2 * 8 * 64 * 2);
  EXPECT_EQ(published("gpt-oss-20b", {.past = 9}, 24).cache.fixed, 12 * 2 * 8 * 64 * 2 * 128);
  // One latent row of 512 + 64, on every GPU
  EXPECT_EQ(published("deepseek-v3", {.past = 9, .tensor_parallel = 2}, 61).cache.per_token,
            61 * 576 * 2);
}

// Phi-4-mini: a window of 262,144 in sequences of 131,072.
TEST(Language, KeepsAllTokensIfAWindowIsLongerThanAnySequence) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "wide_window.json";
  const auto cache = [&](int window) {
    std::ofstream(path) << R"({"model_type": "phi3", "vocab_size": 8, "hidden_size": 64,
        "intermediate_size": 64, "num_attention_heads": 2, "num_hidden_layers": 3,
        "max_position_embeddings": 100, "sliding_window": )"
                        << window << '}';
    return write(read_decoder(Config::read(path.string())), {.past = 9}, "m").cache;
  };
  // Three layers, keys and values, 64 elements of 2 bytes
  EXPECT_EQ(cache(99).fixed, 3 * 2 * 64 * 2 * 99);
  EXPECT_EQ(cache(99).per_token, 0);
  EXPECT_EQ(cache(100).fixed, 0);
  EXPECT_EQ(cache(100).per_token, 3 * 2 * 64 * 2);
  std::filesystem::remove(path);
}

TEST(Language, CountsTheBytesOfALayersWeightsOnOneOfTwoGpus) {
  // Embedding and head of half the words; norms whole.
  const std::int64_t ends = 129280 / 2 * 7168 * 2 + 7168;
  // q: 7168 x 1536, a norm, 1536 x 64 heads of 192; latent: 7168 x 576, a norm; of 64 heads
  // 512 x (128 + 128); 64 heads of 128 x 7168
  const std::int64_t attention =
      7168 * 1536 + 1536 + 1536 * 64 * 192 + 7168 * 576 + 512 + 64 * 512 * 256 + 64 * 128 * 7168;
  // 256 experts and the shared one, three matrices of 1024 columns; the router
  const std::int64_t experts = 257 * 3 * std::int64_t{1024} * 7168 + 7168 * 256;
  const Written deepseek = published("deepseek-v3", {.past = 9, .tensor_parallel = 2}, 1);
  EXPECT_EQ(deepseek.parameters, ends + attention + experts + 2 * 7168);

  // q, k, v of 32 + 2 * 4 heads of 64 with biases, sinks, 32 heads of 64 x 2880 with bias
  const std::int64_t gpt_attention = 2880 * 40 * 64 + 40 * 64 + 32 + 32 * 64 * 2880 + 2880;
  // 32 experts: 2880 x 2 * 1440 and 1440 x 2880 with biases; the router with its bias
  const std::int64_t gpt_experts = 32 * (2880 * 2880 + 2880 + 1440 * 2880 + 2880) + 2880 * 32 + 32;
  const Written gpt = published("gpt-oss-20b", {.past = 9, .tensor_parallel = 2}, 1);
  EXPECT_EQ(gpt.parameters, 201088 / 2 * 2880 * 2 + 2880 + gpt_attention + gpt_experts + 2 * 2880);
}

double product_flops_of(const Written& written, const std::string& part) {
  const LoweredGraph graph = onnx::import_model(written.model, "m", {}, {});
  double flops = 0;
  for (const LoweredLayer& layer : graph.layers) {
    if (layer.name.find(part) == std::string::npos) continue;
    for (const Call& call : layer.calls) flops += product_flops(call.problem);
  }
  return flops;
}

TEST(Language, CountsTheFlopsOfALayersProducts) {
  for (const std::int64_t ranks : {1, 2}) {
    const Pass pass{.past = 1023, .tensor_parallel = ranks};
    const std::int64_t heads = 128 / ranks;
    // One token: the products of the weights; 1024 rows of 576, twice for each head; the expansion
    // of queries and results, 128 x 512 for each head.
    const double expected =
        2.0 *
        static_cast<double>(7168 * 1536 + 1536 * heads * 192 + 7168 * 576 + heads * 128 * 7168 +
                            2 * heads * 1024 * 576 + 2 * heads * 128 * 512);
    EXPECT_EQ(product_flops_of(published("deepseek-v3", pass, 1), ".self_attn"), expected);
    // 8 of 256 experts and the shared one, the router, and the sum of 8 rows of 7168.
    const std::int64_t inner = 2048 / ranks;
    EXPECT_EQ(product_flops_of(published("deepseek-v3", pass, 1), ".mlp"),
              2.0 * static_cast<double>(9 * 3 * inner * 7168 + 7168 * 256 + 8 * 7168));
  }
}

TEST(Language, CountsTheFlopsOfGptOssLayers) {
  for (const std::int64_t ranks : {1, 2}) {
    const Written gpt = published("gpt-oss-20b", {.past = 1023, .tensor_parallel = ranks}, 2);
    const auto expected = [](std::int64_t terms) { return 2.0 * static_cast<double>(terms); };
    const std::int64_t heads = 64 / ranks;
    const std::int64_t weights = 2880 * (heads + 2 * 8 / ranks) * 64 + heads * 64 * 2880;
    // Scores and sums over the last 128 rows in the first layer, over 1024 in the second.
    EXPECT_EQ(product_flops_of(gpt, ".0.self_attn"), expected(weights + 2 * heads * 128 * 64));
    EXPECT_EQ(product_flops_of(gpt, ".1.self_attn"), expected(weights + 2 * heads * 1024 * 64));
    // 4 of 32 experts of 2880 columns, gate and up in one; the router, and the sum of 4 rows.
    const std::int64_t columns = 3 * 2880 / ranks;
    EXPECT_EQ(product_flops_of(gpt, ".0.mlp"), expected((4 * columns + 32 + 4) * 2880));
  }
}

/// Elements of the model's inputs that any way must read.
std::int64_t read_inputs(const Written& written) {
  return onnx::import_model(written.model, "m", {}, {}).compulsory.inputs.elements;
}

TEST(Language, ReadsTheCacheInEveryStep) {
  // 2 sequences, keys and values, 8 heads of 128, the 1023 rows that are there before
  EXPECT_EQ(read_inputs(published("llama-3.1-8b", {.batch = 2, .past = 1023}, 1)),
            2 * 2 * 8 * 128 * 1023);
  // One layer sees 127 rows before its own.
  EXPECT_EQ(read_inputs(published("gpt-oss-20b", {.past = 1023}, 2)), 2 * 8 * 64 * (1023 + 127));
  EXPECT_EQ(read_inputs(published("deepseek-v3", {.past = 1023}, 1)), 576 * 1023);
  EXPECT_EQ(read_inputs(published("llama-3.1-8b", {.phase = Phase::prefill, .tokens = 8}, 1)), 0);
}

TEST(Language, MergesTheProductsOfOneInput) {
  const Written merged = write(decoder_of("llama"), {.past = 9}, "m");
  const Written separate = write(decoder_of("llama"), {.past = 9}, "m", true);
  EXPECT_EQ(merged.parameters, separate.parameters);
  const auto products = [](const Written& written) {
    return std::ranges::count(written.model.graph().node(), "MatMul",
                              [](const auto& node) { return node.op_type(); });
  };
  EXPECT_EQ(products(merged), 4 * 4 + 1);
  EXPECT_EQ(products(separate), 4 * 7 + 1);
}

TEST(Language, SaysWhichPassItIs) {
  const Written written = write(decoder_of("mistral"),
                                {.batch = 3,
                                 .past = 200,
                                 .weights = {WeightType::Kind::int4_blocks, 32},
                                 .cache = CacheType::fp8},
                                "my-model");
  std::map<std::string, std::string> said;
  for (const auto& entry : written.model.metadata_props()) said[entry.key()] = entry.value();
  EXPECT_EQ(said["benanza.model"], "my-model");
  EXPECT_EQ(said["benanza.phase"], "decode");
  EXPECT_EQ(said["benanza.batch"], "3");
  EXPECT_EQ(said["benanza.past"], "200");
  EXPECT_EQ(said["benanza.new"], "1");
  EXPECT_EQ(said["benanza.weights"], "int4:32");
  EXPECT_EQ(said["benanza.cache"], "fp8");
  // 4 layers, keys and values, 2 heads of 8, 1 byte, at most 128 tokens
  EXPECT_EQ(said["benanza.cache_bytes_per_token"], "0");
  EXPECT_EQ(said["benanza.cache_bytes_fixed"], std::to_string(4 * 2 * 2 * 8 * 128));
}

TEST(Language, RefusesPassesThatDoNotSuit) {
  const Decoder llama = decoder_of("llama");
  const auto message = [](const Decoder& decoder, const Pass& pass) -> std::string {
    try {
      write(decoder, pass, "m");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(llama, {.past = 5, .tensor_parallel = 3}), HasSubstr("does not divide"));
  EXPECT_THAT(message(llama, {.past = 0}), HasSubstr("--phase prefill"));
  EXPECT_THAT(message(llama, {.phase = Phase::prefill, .past = 2, .tokens = 4}),
              HasSubstr("no past"));
  EXPECT_THAT(message(llama, {.past = 5, .tokens = 2}), HasSubstr("--phase extend"));
  EXPECT_THAT(message(decoder_of("deepseek_v3"), {.past = 5, .cache = CacheType::fp8}),
              HasSubstr("latent rows"));
}

TEST(Language, RefusesConfigurationsWithTheFileAndTheKey) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "config_test.json";
  const auto message = [&](const std::string& text) -> std::string {
    std::ofstream(path) << text;
    try {
      read_decoder(Config::read(path.string()));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(message("{"), HasSubstr("not JSON"));
  EXPECT_THAT(message("{}"), HasSubstr("model_type: is missing"));
  EXPECT_THAT(message(R"({"model_type": "bert"})"), HasSubstr("known are"));
  EXPECT_THAT(message(R"({"model_type": "llama"})"), HasSubstr("vocab_size: is missing"));
  EXPECT_THAT(message(R"({"model_type": "llama", "vocab_size": "8"})"),
              HasSubstr("vocab_size: give a whole number"));
  EXPECT_THAT(message(R"({"model_type": "llama", "vocab_size": 8, "hidden_size": 8,
                          "num_attention_heads": 3, "num_key_value_heads": 2})"),
              HasSubstr("does not divide"));
  std::filesystem::remove(path);
}

TEST(Language, ReadsHowTheFilesStoreTheirWeights) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "stored_weights.json";
  const auto stored = [&](const std::string& stated) {
    std::ofstream(path) << R"({"text_config": {"model_type": "llama"}, "quantization_config": )" +
                               stated + "}";
    return stored_weights(Config::read(path.string())).value();
  };
  const auto word = [&](const std::string& stated) {
    const StoredWeights found = stored(stated);
    return found.type ? to_string(*found.type) : "not " + found.what;
  };
  EXPECT_EQ(word(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})"), "fp8_block");
  EXPECT_EQ(word(R"({"quant_method": "fp8", "weight_block_size": null})"), "fp8");
  EXPECT_EQ(word(R"({"quant_method": "fp8", "weight_block_size": [64, 64]})"),
            "not fp8, blocks of 64x64");
  EXPECT_EQ(word(R"({"quant_method": "awq", "bits": 4, "group_size": 128})"), "int4:128");
  EXPECT_EQ(word(R"({"quant_method": "gptq", "bits": 8, "group_size": -1})"), "int8");
  EXPECT_EQ(word(R"({"quant_method": "gptq", "bits": 3, "group_size": 128})"),
            "not gptq, 3 bits, groups of 128");
  EXPECT_EQ(word(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights":
                     {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32}}}})"),
            "int4:32");
  EXPECT_EQ(word(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights":
                     {"num_bits": 8, "type": "float", "strategy": "channel"}}}})"),
            "fp8");
  EXPECT_EQ(word(R"({"quant_method": "modelopt", "quant_algo": "FP8"})"), "fp8");
  EXPECT_EQ(word(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})"), "not modelopt");
  EXPECT_EQ(word(R"({"quant_method": "bitsandbytes", "load_in_8bit": true})"), "int8");
  EXPECT_EQ(word(R"({"quant_method": "mxfp4", "modules_to_not_convert": []})"), "not mxfp4");
  EXPECT_FALSE(stored(R"({"quant_method": "awq"})").head);
  EXPECT_FALSE(stored(R"({"quant_method": "awq"})").fp8_cache);
  EXPECT_TRUE(stored(R"({"quant_method": "fp8",
                         "kv_cache_scheme": {"num_bits": 8, "type": "float"}})")
                  .fp8_cache);
  EXPECT_TRUE(stored(R"({"quant_method": "gptq", "lm_head": true})").head);
  std::ofstream(path) << R"({"model_type": "llama"})";
  EXPECT_FALSE(stored_weights(Config::read(path.string())));
  std::filesystem::remove(path);
}

// A head of 16 x 32 weights: 4 bits and a scale of 16 bits for 16, or floats of 16 bits.
TEST(Language, LeavesTheHeadOut) {
  Decoder decoder = decoder_of("llama");
  const auto bytes = [&](bool float_head) {
    const Pass pass{.past = 5, .weights = *parse_weight_type("int4:16"), .float_head = float_head};
    return write(decoder, pass, "m").weight_bytes;
  };
  ASSERT_FALSE(decoder.tied);
  const std::int64_t head = decoder.vocabulary * decoder.hidden;
  EXPECT_EQ(bytes(true) - bytes(false), head * 2 - head * (4 + 1) / 8);
}

TEST(Language, ReadsTheTextPartOfAConfigurationOfMore) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "text_config.json";
  std::ofstream(path) << R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
    "vocab_size": 32, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24,
    "num_hidden_layers": 6, "head_dim": 8}})";
  const Decoder decoder = read_decoder(Config::read(path.string()));
  ASSERT_EQ(decoder.layers.size(), 6U);
  EXPECT_EQ(std::get<Attention>(decoder.layers[4].attention).window, 4096);
  EXPECT_EQ(std::get<Attention>(decoder.layers[5].attention).window, 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace benanza::language
