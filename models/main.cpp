// benanza-zoo - writes the models of the zoo as ONNX files.

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/program/program_flags.h"
#include "models/language/config.h"
#include "models/language/family.h"
#include "models/language/model.h"
#include "models/zoo/zoo.h"

namespace {

using namespace benanza;

/// Throws Error if `path` is no regular file's, or the model has 2 GiB or more.
void save(const ::onnx::ModelProto& model, const std::string& path) {
  // write_file() renames over its target, which would destroy a device or a pipe.
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw Error(path + ": is not a regular file; give the path of a file to write");
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    throw Error(path + ": cannot serialize the model; it is too large for protobuf");
  }
  write_file(path, bytes);
}

/// `benanza-zoo llm`: a forward pass of a language model, from its configuration.
class LlmCommand {
 public:
  explicit LlmCommand(CLI::App& app);
  bool chosen() const { return command_->parsed(); }
  /// Throws Error.
  void run() const;

 private:
  struct Options {
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

  CLI::App* command_;
  Options options_;
};

LlmCommand::LlmCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "llm",
          "Write one forward pass of a language model, from its config.json, without weights")) {
  Options& o = options_;
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

void LlmCommand::run() const {
  const Options& o = options_;
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

void print_list() {
  fmt::print("{:<20} {:<20} {:>7} {:>12}\n", "id", "paper's name", "layers", "parameters");
  for (const zoo::Model& model : zoo::models()) {
    const zoo::Size size = zoo::size(model);
    fmt::print("{:<20} {:<20} {:>7} {:>12}\n", model.id, model.paper_name, size.layers,
               size.parameters);
  }
}

void write_model(const std::string& id, const std::string& path, const zoo::BuildOptions& options) {
  save(zoo::build(zoo::find(id), options), path);
}

int run(int argc, char** argv) {
  CLI::App app("Writes a model of the zoo as an ONNX file.", "benanza-zoo");
  bool list = false;
  std::string name;
  std::string path;
  std::string weights = "none";
  zoo::BuildOptions options;
  std::uint64_t seed = 0;
  app.add_flag("--list", list, "Show every model: id, name in the paper, layers, parameters");
  app.add_option("NAME", name, "Id of the model");
  app.add_option("-o,--output", path, "File to write (NAME.onnx)");
  app.add_option("--batch", options.batch, "Batch size (1)");
  app.add_option("--weights", weights,
                 "none: weights are constants made at run time, the file is small (the default); "
                 "random: weights are stored")
      ->check(CLI::IsMember({"none", "random"}));
  CLI::Option* seed_option = app.add_option("--seed", seed, "Seed of random weights (0)");
  const LlmCommand llm(app);
  add_program_flags(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; see benanza-zoo --help");
  }
  if (llm.chosen()) {
    llm.run();
    return 0;
  }
  if (list) {
    print_list();
    return 0;
  }
  if (name.empty()) {
    throw Error("no model given; benanza-zoo --list shows them all");
  }
  if (weights == "random") {
    options.seed = seed;
  } else if (!seed_option->empty()) {
    throw Error("--seed needs --weights random");
  }
  write_model(name, path.empty() ? name + ".onnx" : path, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "benanza-zoo: {}\n", error.what());
    return 1;
  }
}
