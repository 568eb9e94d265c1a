#include "suites/cudnn/backend.h"

#include <variant>

#include "suites/cudnn/primitive/least_work.h"
#include "suites/cudnn/solvers.h"

namespace benanza::cudnn {
namespace {

std::unique_ptr<Solver> solver_of(const Problem& problem) {
  return std::visit([](const auto& shape) { return solver(shape); }, problem.shape);
}

/// Throws Unsupported if cuDNN has no call for the problem.
std::unique_ptr<Solver> required_solver(const Problem& problem) {
  if (auto found = solver_of(problem)) return found;
  throw Unsupported("cuDNN has no call for '" + std::string(op(problem)) + "'");
}

}  // namespace

System CudnnBackend::system() const {
  System system = library_.cuda().system();
  system["cudnn"] = version_text(cudnnGetVersion());
  return system;
}

std::vector<Layout> CudnnBackend::layouts(const Problem& problem) const {
  const auto found = solver_of(problem);
  return found ? found->layouts() : std::vector<Layout>{};
}

std::vector<Algorithm> CudnnBackend::algorithms(const Problem& problem, Precision precision,
                                                Layout layout, AlgorithmSet set) {
  auto algorithms =
      required_solver(problem)->algorithms(library_, {problem, precision, layout, Algorithm()});
  if (set == AlgorithmSet::best) algorithms.resize(1);
  return algorithms;
}

std::unique_ptr<Primitive> CudnnBackend::create(const Variant& variant) {
  auto primitive = required_solver(variant.problem)->create(library_, variant);
  const LeastWork least = least_work(variant);
  primitive->guard(least.work, variant.precision, least.arithmetic_saving);
  primitive->run();
  return primitive;
}

std::string version_text(std::size_t version) {
  return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

}  // namespace benanza::cudnn
