#include <algorithm>
#include <utility>

#include "suites/cublas/products/lt_matmul.h"
#include "suites/cublas/ways.h"

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

class LtProduct {
 public:
  LtProduct(const Request& request, const Product& product, Weights weights, const LtChoice& choice)
      : library_(request.library),
        factors_(request, product),
        matmul_(product.problem(), request.variant.precision, weights),
        algorithm_(choice.algorithm),
        alpha_(matmul_.alpha() * product.factor),
        bias_(bias_operand(request.variant.problem)),
        residual_(residual_operand(request.variant.problem)) {}

  /// The library scales the products but not the residual, so the residual is stored scaled.
  std::vector<nvidia::StoredOtherwise> stored_residual() const {
    if (!residual_ || matmul_.alpha() == 1) return {};
    return {{*residual_, [scale = matmul_.alpha()](float value) { return value * scale; }}};
  }

  void placed(const nvidia::CudaPrimitive& call) {
    if (bias_) matmul_.set_bias(call.input(*bias_));
  }

  void operator()(const nvidia::CudaPrimitive& call) const {
    const float beta = matmul_.beta();
    const void* residual = residual_ ? call.input(*residual_) : matmul_.unread_at(call.output());
    check(cublasLtMatmul(
              library_.lt(), matmul_.operation(), &alpha_, factors_.at(call, first_operand),
              matmul_.first(), factors_.at(call, second_operand), matmul_.second(), &beta, residual,
              matmul_.residual(), call.output(), matmul_.result(), &algorithm_, call.workspace(),
              static_cast<std::size_t>(call.workspace_bytes()), call.stream()),
          "cublasLtMatmul");
  }

 private:
  Library& library_;
  Factors factors_;
  LtMatmul matmul_;
  cublasLtMatmulAlgo_t algorithm_;
  float alpha_;
  std::optional<std::size_t> bias_;
  std::optional<std::size_t> residual_;
};

Facts facts_of(const LtChoice& choice, Weights weights) {
  Facts facts;
  // The heuristic's choice is the one for the weights as they are given.
  if (weights == Weights::as_given) facts["heuristic_rank"] = static_cast<double>(choice.rank);
  if (const auto claim = claims_tensor_cores(choice.algorithm)) {
    facts["tensor_core_claimed"] = *claim;
  }
  return facts;
}

harness::Way way_named(Library& library, const Product& product, const harness::Variant& prototype,
                       Weights weights, harness::Algorithm name) {
  return nvidia::way_of(
      library, prototype, std::move(name), [product, weights](const Request& request) {
        const LtChoice choice = choice_named(request.library, product, request.variant, weights);
        nvidia::CallSetup setup = product_setup(request.variant, weights);
        setup.workspace_bytes = choice.workspace_bytes;
        setup.facts = facts_of(choice, weights);
        LtProduct calls(request, product, weights, choice);
        setup.to_library_value = calls.stored_residual();
        return call_of(request, std::move(setup), std::move(calls));
      });
}

Ways ways(Library& library, const Product& product, const harness::Variant& prototype,
          Weights weights) {
  if (weights == Weights::transposed) {
    const bool is_free = std::holds_alternative<Gemm>(prototype.problem.shape) &&
                         product.gemm.constant_b && element_bytes(prototype.precision) > 1;
    if (!is_free) throw harness::Unsupported("the second factor's place in memory is given");
  }
  Ways found;
  for (LtChoice& choice :
       choices(library, product.problem(), prototype.precision, weights, no_bias(library))) {
    found.push_back(way_named(library, product, prototype, weights, std::move(choice.name)));
  }
  return found;
}

ProductFamily lt_family(Weights weights) {
  return {.ways =
              [=](Library& library, const Product& product, const harness::Variant& prototype) {
                return ways(library, product, prototype, weights);
              },
          .way = [=](Library& library, const Product& product,
                     const harness::Variant& variant) -> std::optional<harness::Way> {
            const harness::Algorithm& name = variant.algorithm;
            const bool is_own = name.starts_with(as_given) &&
                                name.starts_with(transposed) == (weights == Weights::transposed);
            if (!is_own) return std::nullopt;
            return way_named(library, product, variant, weights, name);
          }};
}

}  // namespace

/// cublasLtMatmul() with each of the first algorithms of its heuristic lists: for weights as they
/// are given, and stored transposed.
void register_lt(WayTable& table) {
  add(table, lt_family(Weights::as_given));
  add(table, lt_family(Weights::transposed));
}

}  // namespace benanza::cublas
