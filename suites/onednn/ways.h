#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/problem/problem.h"
#include "suites/harness/way_table.h"
#include "suites/onednn/ways/attempt.h"
#include "suites/onednn/ways/implementations.h"

namespace benanza::onednn {

using WayTable = harness::WayTable<Library>;

/// The ways of all operators: every ops/X.cpp defines register_X(WayTable&).
WayTable way_table();

template <class Shape>
using Layouts = std::function<std::vector<Layout>(const Shape&)>;

/// Attempts at a problem, the most natural first. Throws Unsupported if there is none.
template <class Shape>
using Attempts =
    std::function<std::vector<Attempt>(const Shape&, const Problem&, const VariantContext&)>;

/// Whether a family's plans include the steps of a problem (append_steps() in post_ops.h); scaled:
/// at int8, too, those that keep the result's scale.
enum class Steps { refused, appended, scaled };

/// The implementations that the library offers for each attempt and, for small problems, the first
/// ones of each attempt on fewer threads.
template <class Shape>
harness::Family<Library, Shape> family_of(Layouts<Shape> layouts, Attempts<Shape> attempts,
                                          Steps steps = Steps::refused) {
  const auto attempts_at = [attempts = std::move(attempts)](Library& library, const Shape& shape,
                                                            const harness::Variant& variant) {
    return attempts(shape, variant.problem,
                    VariantContext(library.engine, variant.precision, variant.layout,
                                   data_domain(has_unsigned_data(variant.problem))));
  };
  return {.layouts = layouts,
          .ways =
              [=](Library& library, const Shape& shape, const harness::Variant& prototype,
                  harness::AlgorithmSet set) {
                const auto in_layout = [&](Layout layout) {
                  harness::Variant variant = prototype;
                  variant.layout = layout;
                  return attempts_at(library, shape, variant);
                };
                return threaded_ways(library, prototype, layouts(shape), in_layout, set);
              },
          .way =
              [=](Library& library, const Shape& shape, const harness::Variant& variant) {
                const ThreadCount count(threaded_name(variant.algorithm).threads);
                return way_named(library, attempts_at(library, shape, variant), variant);
              },
          .handles_steps = steps != Steps::refused,
          .handles_int8_steps = steps == Steps::scaled,
          .chooses_leading = true};
}

/// A family with one attempt.
template <class Shape>
harness::Family<Library, Shape> family_of_one(
    Layouts<Shape> layouts,
    std::function<Plan(const Shape&, const Problem&, const VariantContext&)> plan,
    Steps steps = Steps::refused) {
  return family_of<Shape>(
      std::move(layouts),
      [plan = std::move(plan)](const Shape& shape, const Problem& problem,
                               const VariantContext& context) {
        return std::vector<Attempt>{
            {.prefix = "", .plan = [=] { return plan(shape, problem, context); }}};
      },
      steps);
}

}  // namespace benanza::onednn
