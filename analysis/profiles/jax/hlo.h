#pragma once

#include <map>
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

/// A part and what its key does not tell: why it has no problem ("products of f64"), or in what the
/// problem is other than the part ("products of bf16 with results of f32"). The remark is empty if
/// the problem is the part, or if the part is of no known kind.
struct ToldPart {
  Part part{};
  std::string remark{};
};

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
  /// the part (a dilated input, a product over several axes or of other types than f32, f16 and
  /// bf16). Of other instructions, the one part of pointwise_part().
  std::vector<Part> parts(std::string_view name) const;
  /// The same parts, with what their keys do not tell.
  std::vector<ToldPart> told_parts(std::string_view name) const;
  /// The instructions of the computation named after `mark`, "calls=" or "to_apply=", in order; the
  /// last one is its result. Empty if there is none.
  std::vector<const Instruction*> called(const Instruction& instruction,
                                         std::string_view mark) const;
  /// The program's name: "jit_net"; empty if the text lacks it.
  const std::string& name() const { return name_; }
  /// The instructions that the program runs itself and that do a convolution or a product.
  std::vector<std::string> products() const;
  /// The precisions at which convolutions and products may run: "fp32" and "tf32" where the text
  /// leaves the choice; "fp64", which no suite measures.
  std::set<std::string> product_precisions() const;
  std::size_t size() const { return instructions_.size(); }

 private:
  void add_products(const Instruction& instruction, int depth, std::vector<ToldPart>& parts) const;

  std::string name_;
  /// Name of the computation that is the program.
  std::string entry_;
  std::map<std::string, Instruction, std::less<>> instructions_;
  /// Names of the instructions of each computation.
  std::map<std::string, std::vector<std::string>, std::less<>> computations_;
};

}  // namespace benanza::analysis::jax
