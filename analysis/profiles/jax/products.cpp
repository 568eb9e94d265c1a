#include "analysis/profiles/jax/products.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/profiles/jax/arithmetic.h"
#include "analysis/profiles/jax/convolution.h"
#include "analysis/profiles/jax/library_epilogue.h"
#include "analysis/profiles/jax/text.h"
#include "core/base/text.h"
#include "core/problem/problem.h"

namespace benanza::analysis::jax {
namespace {

using text::between;

/// The batch and contracting axes of a product's operand.
struct Axes {
  Dims batch{};
  Dims over{};
};

/// An operand's batch, its free extent and its contracted one, and whether the latter comes first.
/// side_of() is empty if there are more than these.
struct Side {
  Dims batch{};
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  bool sum_first = false;
};
std::optional<Side> side_of(const Dims& dims, const Axes& axes) {
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto at = [&](std::int64_t axis) { return dims[static_cast<std::size_t>(axis)]; };
  Side side;
  for (const std::int64_t axis : axes.batch) {
    if (axis < 0 || axis >= rank) return std::nullopt;
    side.batch.push_back(at(axis));
  }
  if (axes.over.size() != 1 || dims.size() != axes.batch.size() + 2) return std::nullopt;
  const std::int64_t over = axes.over.front();
  if (over < 0 || over >= rank) return std::nullopt;
  side.sum = at(over);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool is_batch = std::ranges::find(axes.batch, axis) != axes.batch.end();
    if (is_batch || axis == over) continue;
    side.rows = at(axis);
    side.sum_first = over < axis;
  }
  return side.rows > 0 ? std::optional(side) : std::nullopt;
}

/// Empty for products over several axes, and of several rows.
std::optional<Gemm> gemm_of(const Dims& a, const Axes& axes_a, const Dims& b, const Axes& axes_b) {
  const auto left = side_of(a, axes_a);
  const auto right = side_of(b, axes_b);
  if (!left || !right || left->batch != right->batch) return std::nullopt;
  Gemm gemm;
  gemm.m = left->rows;
  gemm.k = left->sum;
  gemm.n = right->rows;
  gemm.transpose_a = left->sum_first;
  gemm.transpose_b = !right->sum_first;
  gemm.batch_a = gemm.batch_b = left->batch;
  return gemm;
}

/// Returns the value of "name={1}"; empty if absent.
Dims list(const Instruction& instruction, std::string_view name) {
  const std::string mark = ' ' + std::string(name) + "={";
  return numbers(between(instruction.attributes, mark, "}"), ',').value_or(Dims{});
}

/// Returns the value of "name":["0","1"] in the backend configuration of a library call.
Dims setting(const Instruction& instruction, std::string_view name) {
  const std::string mark = '"' + std::string(name) + "\":[";
  std::string text(between(instruction.attributes, mark, "]"));
  std::erase(text, '"');
  return numbers(text, ',').value_or(Dims{});
}

/// One product, convolution or call while it is read.
class ProductReader {
 public:
  ProductReader(const Program& program, const Instruction& call, bool is_inside)
      : program_(program), call_(call), is_inside_(is_inside), a_(operand(0)), b_(operand(1)) {}

  ToldPart matrix_product(const Axes& axes_a, const Axes& axes_b) const {
    ToldPart told{.part = {.op = "MatMul", .output = call_.dims}};
    const auto done = what_is_done(told);
    if (!done) return told;
    const auto gemm = gemm_of(a_->dims, axes_a, b_->dims, axes_b);
    if (!gemm)
      return without_problem(std::move(told), "products over several axes or with vectors");
    told.part.problem = key_of(*gemm, *done);
    return told;
  }

  /// A forward convolution or one of its gradients; labels and window are always the forward
  /// pass'.
  ToldPart convolution() const {
    const std::string_view target = target_of(call_);
    const bool of_input = target == "__cudnn$convBackwardInput";
    const bool of_kernel = target == "__cudnn$convBackwardFilter";
    ToldPart told{.part = {.op = of_input ? "ConvTranspose" : "Conv"}};
    const auto labels = labels_of(call_);
    const Instruction* const image = of_input ? &call_ : a_;
    const Instruction* const kernel = of_kernel ? &call_ : b_;
    if (!labels || image == nullptr || kernel == nullptr) return told;
    const auto y = in_order(of_input    ? labels->input
                            : of_kernel ? labels->kernel
                                        : labels->output,
                            call_.dims, of_kernel ? 'o' : 'b', of_kernel ? 'i' : 'f');
    if (y) told.part.output = *y;
    const auto done = what_is_done(told);
    if (!done) return told;
    const auto w = in_order(labels->kernel, kernel->dims, 'o', 'i');
    if (w && (of_input || of_kernel)) {
      set_gradient(told.part, *labels, *image, *w, of_kernel);
    } else if (w && y) {
      set_problem(told.part, *labels, *image, *w, *done);
    }
    if (told.part.problem.empty()) told.remark = "convolutions of these windows or groups";
    return told;
  }

 private:
  const Instruction* operand(std::size_t at) const {
    return at < call_.operands.size() ? program_.find(call_.operands[at]) : nullptr;
  }

  static ToldPart without_problem(ToldPart told, std::string why) {
    told.remark = std::move(why);
    return told;
  }

  /// Empty if no problem has the arithmetic, or what is done to the result; then `told` says why.
  std::optional<Epilogue> what_is_done(ToldPart& told) const {
    if (a_ == nullptr || b_ == nullptr) {
      told.remark = "products of operands that the text lacks";
      return std::nullopt;
    }
    told.remark = arithmetic_refusal(call_, *a_, *b_);
    for (const Instruction* const factor : {a_, b_}) {
      if (is_inside_ && told.remark.empty()) told.remark = unpacking_refusal(program_, *factor);
    }
    LibraryEpilogue done;
    if (call_.opcode == "custom-call") done = library_epilogue(call_);
    if (told.remark.empty()) told.remark = done.refusal;
    if (!told.remark.empty()) return std::nullopt;
    if (call_.type != a_->type) {
      told.remark = "products of " + a_->type + " with results of " + call_.type;
    }
    return done.epilogue;
  }

  /// Returns the pad instruction if the value is nothing but an input padded with zeros, otherwise
  /// null.
  const Instruction* padding_of(const Instruction& value) const {
    const auto pads_with_zeros = [&](const Instruction& pad) {
      if (pad.opcode != "pad" || pad.operands.size() != 2) return false;
      const Instruction* const fill = program_.find(pad.operands[1]);
      return fill != nullptr && fill->opcode == "constant" && fill->operands.size() == 1 &&
             text::number<float>(fill->operands.front()) == 0;
    };
    if (value.opcode == "pad") return pads_with_zeros(value) ? &value : nullptr;
    if (value.opcode != "fusion") return nullptr;
    // The last instruction is the result; the others are its parameter and a zero.
    const std::vector<const Instruction*> inside = program_.called(value, "calls=");
    if (inside.size() != 3 || !pads_with_zeros(*inside.back())) return nullptr;
    const Instruction* const input = program_.find(inside.back()->operands.front());
    return input != nullptr && input->opcode == "parameter" ? inside.back() : nullptr;
  }

  /// The image as the convolution reads it, without the padding by an instruction before.
  std::pair<const Instruction*, Pads> unpadded(const Labels& labels,
                                               const Instruction& image) const {
    if (const Instruction* const padding = padding_of(image)) {
      const auto around = image_pads(between(padding->attributes, " padding=", ", "), labels.input);
      const Instruction* const inner = program_.find(padding->operands.front());
      if (around && inner != nullptr) return {inner, *around};
    }
    return {&image, Pads{Dims(image.dims.size()), Dims(image.dims.size())}};
  }

  void set_problem(Part& part, const Labels& labels, const Instruction& image, const Dims& w,
                   const Epilogue& done) const {
    const auto [inner, pads] = unpadded(labels, image);
    const auto x = in_order(labels.input, inner->dims, 'b', 'f');
    if (!x) return;
    const auto transposed = transposed_convolution(call_, *x, w);
    if (transposed && transposed->output() == part.output) {
      part.op = "ConvTranspose";
      part.problem = key_of(*transposed, done);
    } else if (const auto gradient = filter_gradient(call_, *x, w, part.output);
               gradient && done == Epilogue{}) {
      part.problem = key_of(*gradient);
    } else if (const auto forward = convolution_of(call_, *x, w, pads);
               forward && forward->output() == part.output) {
      part.problem = key_of(*forward, done);
    }
  }

  /// Of cuDNN's gradients, the forward pass' output is an operand.
  void set_gradient(Part& part, const Labels& labels, const Instruction& image, const Dims& w,
                    bool of_kernel) const {
    const auto [inner, pads] =
        of_kernel ? unpadded(labels, image)
                  : std::pair(&image, Pads{Dims(image.dims.size()), Dims(image.dims.size())});
    const auto x = in_order(labels.input, inner->dims, 'b', 'f');
    const auto y = in_order(labels.output, (of_kernel ? b_ : a_)->dims, 'b', 'f');
    const auto forward = x ? convolution_of(call_, *x, w, pads) : std::nullopt;
    if (!forward || !y || forward->output() != *y) return;
    part.problem =
        of_kernel ? key_of(ConvolutionFilterGradient{*forward}) : key_of(data_gradient(*forward));
  }

  const Program& program_;
  const Instruction& call_;
  bool is_inside_;
  const Instruction* a_;
  const Instruction* b_;
};

/// A call of cuDNN, cuBLAS or cuBLASLt.
std::optional<ToldPart> library_part(const ProductReader& reader, const Instruction& call) {
  const std::string_view target = target_of(call);
  // Weights in another order.
  if (target.starts_with("__cudnn$convReorder")) return std::nullopt;
  if (target.starts_with("__cudnn$conv")) return reader.convolution();
  if (!target.starts_with("__cublas$") || target == "__cublas$triangularSolve") {
    return std::nullopt;
  }
  return reader.matrix_product(
      {setting(call, "lhs_batch_dimensions"), setting(call, "lhs_contracting_dimensions")},
      {setting(call, "rhs_batch_dimensions"), setting(call, "rhs_contracting_dimensions")});
}

}  // namespace

std::optional<ToldPart> product_part(const Program& program, const Instruction& instruction,
                                     bool is_inside) {
  const ProductReader reader(program, instruction, is_inside);
  if (instruction.opcode == "convolution") return reader.convolution();
  if (instruction.opcode == "custom-call") return library_part(reader, instruction);
  if (instruction.opcode != "dot") return std::nullopt;
  return reader.matrix_product(
      {list(instruction, "lhs_batch_dims"), list(instruction, "lhs_contracting_dims")},
      {list(instruction, "rhs_batch_dims"), list(instruction, "rhs_contracting_dims")});
}

}  // namespace benanza::analysis::jax
