#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/profile.h"

/// XLA's text of a compiled program: `jax.jit(f).lower(...).compile().as_text()`.
namespace benanza::analysis::jax {

struct Instruction {
  std::string name{};
  /// "f32". For a tuple, `type` and `dims` are those of its first element, which is the result of a
  /// library call; the others are its workspace.
  std::string type{};
  Dims dims{};
  /// "convolution", "dot", "fusion", "custom-call", ...
  std::string opcode{};
  std::vector<std::string> operands{};
  /// The text after the operands: "window={size=3x3 pad=1_1x1_1}, dim_labels=...".
  std::string attributes{};
};

/// The precision of elements of XLA's type "f32", "f16", "bf16", "f8e4m3fn" or "s8"; nullopt for
/// others, of which keys say nothing.
std::optional<Precision> precision_of_type(std::string_view type);

/// The instructions of all computations, by name. Names are unique in a program.
class Program {
 public:
  /// Skips lines that are not instructions.
  explicit Program(std::string_view text);

  /// Returns null if there is none.
  const Instruction* find(std::string_view name) const;
  /// Returns the convolutions and products of an instruction in order, including calls of cuDNN and
  /// cuBLAS and those in the computations that it calls. Zero padding by an instruction before a
  /// convolution becomes part of the convolution's pads. The key is empty if no problem describes
  /// the part (a dilated input, a product over several axes, doubles). Of other instructions, the
  /// one part of pointwise_part().
  std::vector<Part> parts(std::string_view name) const;
  /// The instructions of the computation named after `mark`, "calls=" or "to_apply=", in order; the
  /// last one is its result. Empty if there is none.
  std::vector<const Instruction*> called(const Instruction& instruction,
                                         std::string_view mark) const;
  /// The program's name: "jit_net"; empty if the text lacks it.
  const std::string& name() const { return name_; }
  /// The instructions that the program runs itself and that do a convolution or a product.
  std::vector<std::string> products() const;
  /// Element types of the operands of convolutions and products: "f32".
  std::set<std::string> product_types() const;
  std::size_t size() const { return instructions_.size(); }

 private:
  Part convolution(const Instruction& call) const;
  Part forward_or_gradient(const Instruction& call) const;
  /// Takes the problem from a product of types that no key has, and says why; otherwise states its
  /// precision.
  void account_for_types(const Instruction& call, Part& part) const;
  Part library_call(const Instruction& call) const;
  /// Returns the pad instruction if the value is nothing but a padded input, otherwise null.
  const Instruction* padding_of(const Instruction& value) const;
  void add_parts(const Instruction& instruction, int depth, std::vector<Part>& parts) const;

  std::string name_;
  /// Name of the computation that is the program.
  std::string entry_;
  std::map<std::string, Instruction, std::less<>> instructions_;
  /// Names of the instructions of each computation.
  std::map<std::string, std::vector<std::string>, std::less<>> computations_;
};

}  // namespace benanza::analysis::jax
