#pragma once

#include <CLI/CLI.hpp>

#include <memory>

namespace benanza {

/// `benanza-zoo llm`: a forward pass of a language model, from its configuration.
class LlmCommand {
 public:
  explicit LlmCommand(CLI::App& app);
  ~LlmCommand();

  bool chosen() const;
  /// Throws Error.
  void run() const;

 private:
  struct Options;
  CLI::App* command_;
  std::unique_ptr<Options> options_;
};

}  // namespace benanza
