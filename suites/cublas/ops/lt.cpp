#include <algorithm>

#include "suites/cublas/cublas_primitive.h"
#include "suites/cublas/lt_algorithm.h"
#include "suites/cublas/lt_matmul.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"

namespace benanza::cublas {
namespace {

constexpr int listed = 8;
constexpr std::string_view as_given = "lt.";
/// Before the rest of an algorithm's name: the weights are stored transposed.
constexpr std::string_view transposed = "lt.wt.";

std::string_view prefix(Weights weights) {
  return weights == Weights::transposed ? transposed : as_given;
}

/// The list depends on whether there is a bias, not on its address.
std::vector<LtChoice> choices(Library& library, const Problem& problem, Precision precision,
                              Weights weights, const void* bias) {
  LtMatmul matmul(problem, precision, weights);
  if (problem.epilogue.bias) matmul.set_bias(bias);
  auto list = heuristics(library.lt(), matmul.descriptors(), precision,
                         library.lt_workspace_bytes(), listed);
  for (LtChoice& choice : list) choice.name.replace(0, as_given.size(), prefix(weights));
  return list;
}

/// A placeholder for the bias before operands exist: aligned like every allocation, never read.
const void* no_bias(Library& library) { return library.cuda().workspace(1)->data(); }

LtChoice choice_named(Library& library, const Product& product, const harness::Variant& variant,
                      Weights weights) {
  auto list = choices(library, product.problem(), variant.precision, weights, no_bias(library));
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
  LtProduct(Library& library, const harness::Variant& variant, Product product, Weights weights,
            const LtChoice& choice)
      : CublasPrimitive(library, variant, std::move(product), choice.workspace_bytes, weights),
        matmul_(this->product().problem(), variant.precision, weights),
        choice_(choice),
        is_ranked_(weights == Weights::as_given) {
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
    Facts facts;
    if (is_ranked_) facts["heuristic_rank"] = static_cast<double>(choice_.rank);
    if (const auto claim = claims_tensor_cores(choice_.algorithm)) {
      facts["tensor_core_claimed"] = *claim;
    }
    return facts;
  }

 private:
  LtMatmul matmul_;
  LtChoice choice_;
  /// The heuristic's choice is the one for the weights as they are given.
  bool is_ranked_;
  std::optional<std::size_t> residual_;
};

std::vector<harness::Algorithm> algorithms(Library& library, const Product& product,
                                           const harness::Variant& prototype, Weights weights) {
  if (weights == Weights::transposed) {
    const bool is_free = std::holds_alternative<Gemm>(prototype.problem.shape) &&
                         product.gemm.constant_b && element_bytes(prototype.precision) > 1;
    if (!is_free) throw harness::Unsupported("the second factor's place in memory is given");
  }
  std::vector<harness::Algorithm> names;
  for (LtChoice& choice :
       choices(library, product.problem(), prototype.precision, weights, no_bias(library))) {
    names.push_back(std::move(choice.name));
  }
  return names;
}

ProductSolver solver(Weights weights) {
  return {.algorithms =
              [=](Library& library, const Product& product, const harness::Variant& prototype) {
                return algorithms(library, product, prototype, weights);
              },
          .create =
              [=](Library& library, Product product, const harness::Variant& variant) {
                const LtChoice choice = choice_named(library, product, variant, weights);
                return std::make_unique<LtProduct>(library, variant, std::move(product), weights,
                                                   choice);
              },
          .owns =
              [=](const harness::Algorithm& algorithm) {
                return algorithm.starts_with(as_given) &&
                       algorithm.starts_with(transposed) == (weights == Weights::transposed);
              }};
}

}  // namespace

/// cublasLtMatmul() with each of the first algorithms of its heuristic lists: for weights as they
/// are given, and stored transposed.
void register_lt(SolverTable& table) {
  add(table, solver(Weights::as_given));
  add(table, solver(Weights::transposed));
}

}  // namespace benanza::cublas
