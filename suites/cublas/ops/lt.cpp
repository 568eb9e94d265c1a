#include <algorithm>

#include "suites/cublas/lt_algorithm.h"
#include "suites/cublas/lt_matmul.h"
#include "suites/cublas/solvers.h"
#include "suites/cublas/status.h"

namespace benanza::cublas {
namespace {

constexpr int listed = 8;

/// The list depends on whether there is a bias, not on where it lies.
std::vector<LtChoice> choices(Library& library, const Problem& problem, Precision precision,
                              const void* bias) {
  LtMatmul matmul(problem, precision);
  if (problem.epilogue.bias) matmul.set_bias(bias);
  return heuristics(library.lt(), matmul, precision, library.lt_workspace_bytes(), listed);
}

/// Stands for a bias while no operand exists: aligned like every allocation, never read.
const void* no_bias(Library& library) { return library.cuda().workspace(1)->data(); }

LtChoice choice_named(Library& library, const Variant& variant) {
  auto list = choices(library, variant.problem, variant.precision, no_bias(library));
  const auto found = std::find_if(list.begin(), list.end(), [&](const LtChoice& choice) {
    return choice.name == variant.algorithm;
  });
  if (found == list.end()) {
    throw std::runtime_error("cuBLASLt does not list " + variant.algorithm +
                             " for this problem and workspace");
  }
  return *found;
}

class LtProduct : public CudaPrimitive {
 public:
  LtProduct(Library& library, const Variant& variant, const LtChoice& choice)
      : CudaPrimitive(library.cuda(), input_formats(variant.problem, variant.precision),
                      output_format(variant.problem, variant.precision), choice.workspace_bytes),
        library_(library),
        matmul_(variant.problem, variant.precision),
        choice_(choice) {
    if (const auto bias = bias_operand(variant.problem)) matmul_.set_bias(input(*bias));
    residual_ = residual_operand(variant.problem);
  }

  /// The library scales the products but not the residual: it is stored scaled.
  void upload(std::size_t index, std::span<const float> values) override {
    if (index != residual_ || matmul_.alpha() == 1) return CudaPrimitive::upload(index, values);
    std::vector<float> scaled(values.begin(), values.end());
    for (float& value : scaled) value *= matmul_.alpha();
    CudaPrimitive::upload(index, scaled);
  }

  void run() override {
    const float alpha = matmul_.alpha();
    const float beta = matmul_.beta();
    const void* residual = residual_ ? input(*residual_) : matmul_.unread_at(output());
    check(cublasLtMatmul(library_.lt(), matmul_.operation(), &alpha, input(first_operand),
                         matmul_.first(), input(second_operand), matmul_.second(), &beta, residual,
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
  Library& library_;
  LtMatmul matmul_;
  LtChoice choice_;
  std::optional<std::size_t> residual_;
};

std::vector<Algorithm> algorithms(Library& library, const Problem& problem, Precision precision) {
  std::vector<Algorithm> names;
  for (LtChoice& choice : choices(library, problem, precision, no_bias(library))) {
    names.push_back(std::move(choice.name));
  }
  return names;
}

std::unique_ptr<CudaPrimitive> create(Library& library, const Variant& variant) {
  return std::make_unique<LtProduct>(library, variant, choice_named(library, variant));
}

}  // namespace

const Solver lt{"lt", algorithms, create};

}  // namespace benanza::cublas
