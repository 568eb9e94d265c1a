#include "suites/cublas/backend.h"

#include <array>
#include <stdexcept>

#include "suites/cublas/solvers.h"

namespace benanza::cublas {
namespace {

/// In the order of their algorithms: what a caller of cuBLAS gets first, then what can be chosen.
constexpr std::array<const Solver*, 3> solvers{&gemm_ex, &gemv, &lt};

const Solver& solver_of(const Algorithm& algorithm) {
  const std::string_view family = std::string_view(algorithm).substr(0, algorithm.find('.'));
  for (const Solver* solver : solvers) {
    if (solver->prefix == family) return *solver;
  }
  throw std::invalid_argument("cuBLAS has no algorithm " + algorithm);
}

}  // namespace

CublasBackend::CublasBackend(CudaContext& context) : library_(context) {}

System CublasBackend::system() const {
  System system = library_.cuda().system();
  system["cublas"] = library_.version();
  system["cublaslt"] = version_text(cublasLtGetVersion());
  return system;
}

std::vector<Layout> CublasBackend::layouts(const Problem& problem) const {
  if (!std::holds_alternative<Gemm>(problem.shape)) return {};
  return {Layout::plain};
}

std::vector<Algorithm> CublasBackend::algorithms(const Problem& problem, Precision precision,
                                                 Layout, AlgorithmSet set) {
  if (!std::holds_alternative<Gemm>(problem.shape)) {
    throw Unsupported("cuBLAS has no call for '" + std::string(op(problem)) + "'");
  }
  std::vector<Algorithm> names;
  std::string refusals;
  for (const Solver* solver : solvers) {
    try {
      for (Algorithm& name : solver->algorithms(library_, problem, precision)) {
        names.push_back(std::move(name));
      }
    } catch (const Unsupported& refusal) {
      if (!refusals.empty()) refusals += "; ";
      refusals += refusal.what();
    }
    if (set == AlgorithmSet::best && !names.empty()) break;
  }
  if (names.empty()) throw Unsupported(refusals);
  if (set == AlgorithmSet::best) names.resize(1);
  return names;
}

std::unique_ptr<Primitive> CublasBackend::create(const Variant& variant) {
  auto primitive = solver_of(variant.algorithm).create(library_, variant);
  primitive->guard(work(variant.problem, variant.precision), variant.precision);
  return primitive;
}

}  // namespace benanza::cublas
