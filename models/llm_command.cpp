#include "models/llm_command.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "models/language/config.h"
#include "models/language/family.h"
#include "models/language/model.h"
#include "models/language/stored_weights.h"
#include "models/save.h"

namespace benanza {

struct LlmCommand::Options {
  std::string config;
  std::string phase = "decode";
  std::int64_t batch = 1;
  std::optional<std::int64_t> past{};
  std::optional<std::int64_t> tokens{};
  std::int64_t tensor_parallel = 1;
  std::optional<std::string> weights{};
  std::optional<std::string> cache{};
  std::optional<std::int64_t> layers{};
  bool separate = false;
  std::string name;
  std::string output;
};

LlmCommand::LlmCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "llm",
          "Write one forward pass of a language model, from its config.json, without weights")),
      options_(std::make_unique<Options>()) {
  Options& o = *options_;
  const auto extent = CLI::Range(std::int64_t{1}, std::int64_t{1} << 24);
  command_->add_option("--config", o.config, "The model's config.json")->required();
  command_
      ->add_option("--phase", o.phase,
                   "prefill: a whole prompt; decode: one token of each sequence; extend: several "
                   "tokens behind earlier ones (decode)")
      ->check(CLI::IsMember({"prefill", "decode", "extend"}));
  command_->add_option("--batch", o.batch, "Sequences (1)")->check(CLI::Range(1, 65536));
  command_->add_option("--past", o.past, "Tokens of a sequence before this step (decode: 1023)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 24));
  command_->add_option("--new", o.tokens, "Tokens of a sequence in this step (prefill: 1024)")
      ->check(extent);
  command_
      ->add_option("--tensor-parallel", o.tensor_parallel,
                   "Write one GPU's share of so many, with the sums over all (1)")
      ->check(CLI::Range(1, 1024));
  command_->add_option(
      "--weights", o.weights,
      "bf16 (floats in the precision of a run), fp8, fp8_block (128 to a scale), "
      "int8, int8:32 or int4:32 (32 to a scale); default: what the configuration's "
      "quantization_config says, else bf16");
  command_
      ->add_option("--cache", o.cache,
                   "Keys and values: bf16 or fp8 (as quantization_config says, else bf16)")
      ->check(CLI::IsMember({"bf16", "fp8"}));
  command_->add_option("--layers", o.layers, "Only the first so many layers")->check(extent);
  command_->add_flag("--separate", o.separate,
                     "One product each for q, k, v, gate and up, as transformers has them");
  command_->add_option("--name", o.name,
                       "The model's name (of the configuration's file or folder)");
  command_->add_option("-o,--output", o.output, "File to write")->required();
}

LlmCommand::~LlmCommand() = default;

bool LlmCommand::chosen() const { return command_->parsed(); }

namespace {

std::string name_of(const std::string& config) {
  const std::filesystem::path path = std::filesystem::absolute(config);
  const std::string stem = path.stem().string();
  return stem == "config" ? path.parent_path().filename().string() : stem;
}

/// How the weights are stored: as asked for, or as the configuration says.
void set_weights(language::Pass& pass, const language::Config& config,
                 const std::optional<std::string>& asked) {
  if (asked) {
    const auto type = language::parse_weight_type(*asked);
    if (!type) {
      throw Error("--weights " + *asked +
                  ": give bf16, fp8, fp8_block, int8, or int8:BLOCK or int4:BLOCK with blocks of a "
                  "power of two from 16 to 1024");
    }
    pass.weights = *type;
    return;
  }
  const auto stored = language::stored_weights(config);
  if (!stored) return;
  if (!stored->type) {
    fmt::print(stderr,
               "benanza-zoo: warning: quantization_config: {}: such weights cannot be written, "
               "floats stand for them; --weights names others\n",
               stored->what);
    return;
  }
  pass.weights = *stored->type;
  pass.float_head = !stored->head;
  fmt::print("quantization_config: {}: weights as --weights {}, the head's {}\n", stored->what,
             to_string(pass.weights), pass.float_head ? "floats" : "too");
}

}  // namespace

void LlmCommand::run() const {
  const Options& o = *options_;
  const language::Config config = language::Config::read(o.config);
  language::Decoder decoder = language::read_decoder(config);
  if (o.layers) {
    if (*o.layers > static_cast<std::int64_t>(decoder.layers.size())) {
      throw Error(fmt::format("--layers {}: the model has {}", *o.layers, decoder.layers.size()));
    }
    decoder.layers.resize(static_cast<std::size_t>(*o.layers));
  }
  language::Pass pass{.phase = *language::parse_phase(o.phase),
                      .batch = o.batch,
                      .tensor_parallel = o.tensor_parallel};
  const bool prefill = pass.phase == language::Phase::prefill;
  if (pass.phase == language::Phase::extend && !o.tokens) {
    throw Error("--phase extend: say --new, the tokens of this step");
  }
  pass.past = o.past.value_or(prefill ? 0 : 1023);
  pass.tokens = o.tokens.value_or(prefill ? 1024 : 1);
  set_weights(pass, config, o.weights);
  const auto stored = language::stored_weights(config);
  const bool fp8_cache = o.cache ? *o.cache == "fp8" : stored && stored->fp8_cache;
  pass.cache = fp8_cache ? language::CacheType::fp8 : language::CacheType::plain;
  const std::string name = o.name.empty() ? name_of(o.config) : o.name;
  const language::Written written = language::write(decoder, pass, name, o.separate);
  save(written.model, o.output);
  fmt::print("{}: {} parameters, {:.3f} GB of weights, {} bytes of cache for a token{}\n", o.output,
             written.parameters, static_cast<double>(written.weight_bytes) / 1e9,
             written.cache.per_token,
             written.cache.fixed == 0
                 ? ""
                 : fmt::format(", and {} for the windows of a sequence", written.cache.fixed));
}

}  // namespace benanza
