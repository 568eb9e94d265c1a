#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/solver.h"
#include "suites/onednn/implementations.h"
#include "suites/onednn/plan.h"
#include "suites/onednn/primitive.h"
#include "suites/onednn/threads.h"

namespace benanza::onednn {

/// oneDNN on the host's CPUs.
struct Library {
  dnnl::engine engine;
  dnnl::stream stream;
  /// Of the calls of a sequence; empty: every call has memory of its own.
  std::optional<harness::SharedPlaces> shared = std::nullopt;

  /// Where the next primitive, of this problem, has its data; null: in memory of its own.
  const harness::SharedPlaces* shared_data(const Problem& problem) {
    if (!shared) return nullptr;
    shared->begin(problem);
    return &*shared;
  }
};

using SolverTable = harness::SolverTable<Library>;

/// The solvers of all operators: every ops/X.cpp defines register_X(SolverTable&).
SolverTable solvers();

template <class Shape>
using Layouts = std::function<std::vector<Layout>(const Shape&)>;

/// Ways to compute a problem with the library, the most natural first. Throws Unsupported if there
/// is none.
template <class Shape>
using Ways =
    std::function<std::vector<Attempt>(const Shape&, const Problem&, const VariantContext&)>;

/// Whether a solver's plans include the steps of a problem (append_steps() in post_ops.h).
enum class Steps { refused, appended };

/// A solver whose algorithms are the implementations that the library offers for each way and, for
/// small problems, the first ones of each way on fewer threads.
template <class Shape>
harness::Solver<Library, Shape> solver_of_ways(Layouts<Shape> layouts, Ways<Shape> ways,
                                               Steps steps = Steps::refused) {
  const auto attempts = [ways = std::move(ways)](Library& library, const Shape& shape,
                                                 const harness::Variant& variant) {
    return ways(shape, variant.problem,
                VariantContext(library.engine, variant.precision, variant.layout));
  };
  // A call of reference code can take as long as all others together, so it is left out if the
  // library has a better one in another layout.
  const auto is_outdone = [attempts, layouts](Library& library, const Shape& shape,
                                              harness::Variant variant) {
    const Layout own = variant.layout;
    for (const Layout other : layouts(shape)) {
      if (other == own) continue;
      variant.layout = other;
      try {
        const auto names =
            implementation_names(attempts(library, shape, variant), harness::AlgorithmSet::all);
        if (!only_reference_code(names)) return true;
      } catch (const harness::Unsupported&) {
        // Nothing better there.
      }
    }
    return false;
  };
  return {.layouts = layouts,
          .algorithms =
              [attempts, is_outdone](Library& library, const Shape& shape,
                                     const harness::Variant& prototype, harness::AlgorithmSet set) {
                auto names = threaded_names(attempts(library, shape, prototype), prototype, set);
                if (set != harness::AlgorithmSet::with_reference && only_reference_code(names) &&
                    is_outdone(library, shape, prototype)) {
                  throw harness::Unsupported(
                      "oneDNN has only reference code in this layout, and better "
                      "in another: --algorithms with-reference measures it");
                }
                return names;
              },
          .create =
              [attempts](Library& library, const Shape& shape, const harness::Variant& variant) {
                const auto [name, threads] = threaded_name(variant.algorithm);
                const ThreadCount count(threads);
                const Plan plan = plan_named(attempts(library, shape, variant), name);
                auto primitive = std::make_unique<PlannedPrimitive>(
                    plan, library.engine, library.stream, element_count(output(variant.problem)),
                    library.shared_data(variant.problem));
                primitive->needs(least_work_of(variant));
                primitive->run_on(threads);
                return primitive;
              },
          .owns = nullptr,
          .handles_steps = steps == Steps::appended,
          .chooses_leading = true};
}

/// A solver with one way.
template <class Shape>
harness::Solver<Library, Shape> solver_of_one_way(
    Layouts<Shape> layouts,
    std::function<Plan(const Shape&, const Problem&, const VariantContext&)> plan,
    Steps steps = Steps::refused) {
  return solver_of_ways<Shape>(
      std::move(layouts),
      [plan = std::move(plan)](const Shape& shape, const Problem& problem,
                               const VariantContext& context) {
        return std::vector<Attempt>{
            {.prefix = "", .plan = [=] { return plan(shape, problem, context); }}};
      },
      steps);
}

}  // namespace benanza::onednn
