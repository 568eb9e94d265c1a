#include <algorithm>

#include "suites/cublas/cublas_primitive.h"
#include "suites/cublas/lt_algorithm.h"
#include "suites/cublas/lt_matmul.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"

namespace benanza::cublas {
namespace {

constexpr int listed = 8;

/// The list depends on whether there is a bias, not on its address.
std::vector<LtChoice> choices(Library& library, const Problem& problem, Precision precision,
                              const void* bias) {
  LtMatmul matmul(problem, precision);
  if (problem.epilogue.bias) matmul.set_bias(bias);
  return heuristics(library.lt(), matmul, precision, library.lt_workspace_bytes(), listed);
}

/// A placeholder for the bias before operands exist: aligned like every allocation, never read.
const void* no_bias(Library& library) { return library.cuda().workspace(1)->data(); }

LtChoice choice_named(Library& library, const Product& product, const harness::Variant& variant) {
  auto list = choices(library, product.problem(), variant.precision, no_bias(library));
  const auto found = std::find_if(list.begin(), list.end(), [&](const LtChoice& choice) {
    return choice.name == variant.algorithm;
  });
  if (found == list.end()) {
    throw std::runtime_error("cuBLASLt does not list " + variant.algorithm +
                             " for this problem and workspace");
  }
  return *found;
}

class LtProduct : public CublasPrimitive {
 public:
  LtProduct(Library& library, const harness::Variant& variant, Product product,
            const LtChoice& choice)
      : CublasPrimitive(library, variant, std::move(product), choice.workspace_bytes),
        matmul_(this->product().problem(), variant.precision),
        choice_(choice) {
    if (const auto bias = bias_operand(variant.problem)) matmul_.set_bias(input(*bias));
    residual_ = residual_operand(variant.problem);
  }

  /// The library scales the products but not the residual, so the residual is stored scaled.
  void upload(std::size_t index, std::span<const float> values) override {
    if (index != residual_ || matmul_.alpha() == 1) return CublasPrimitive::upload(index, values);
    std::vector<float> scaled(values.begin(), values.end());
    for (float& value : scaled) value *= matmul_.alpha();
    CublasPrimitive::upload(index, scaled);
  }

  void run() override {
    const float alpha = matmul_.alpha() * product().factor;
    const float beta = matmul_.beta();
    const void* residual = residual_ ? input(*residual_) : matmul_.unread_at(output());
    check(cublasLtMatmul(library().lt(), matmul_.operation(), &alpha, factor(first_operand),
                         matmul_.first(), factor(second_operand), matmul_.second(), &beta, residual,
                         matmul_.residual(), output(), matmul_.result(), &choice_.algorithm,
                         workspace(), static_cast<std::size_t>(choice_.workspace_bytes), stream()),
          "cublasLtMatmul");
  }

 protected:
  Facts library_facts() override {
    Facts facts{{"heuristic_rank", static_cast<double>(choice_.rank)}};
    if (const auto claim = claims_tensor_cores(choice_.algorithm)) {
      facts["tensor_core_claimed"] = *claim;
    }
    return facts;
  }

 private:
  LtMatmul matmul_;
  LtChoice choice_;
  std::optional<std::size_t> residual_;
};

std::vector<harness::Algorithm> algorithms(Library& library, const Product& product,
                                           const harness::Variant& prototype) {
  std::vector<harness::Algorithm> names;
  for (LtChoice& choice :
       choices(library, product.problem(), prototype.precision, no_bias(library))) {
    names.push_back(std::move(choice.name));
  }
  return names;
}

}  // namespace

/// cublasLtMatmul() with each of the first algorithms of its heuristic list.
void register_lt(SolverTable& table) {
  add(table,
      {.algorithms = algorithms,
       .create =
           [](Library& library, Product product, const harness::Variant& variant) {
             const LtChoice choice = choice_named(library, product, variant);
             return std::make_unique<LtProduct>(library, variant, std::move(product), choice);
           },
       .owns = [](const harness::Algorithm& algorithm) { return algorithm.starts_with("lt."); }});
}

}  // namespace benanza::cublas
