#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "suites/harness/backend.h"

/// How every backend says what its library can do. An operator is one file that fills in Solvers; a
/// backend is a table of them, and its Library.
namespace benanza::harness {

/// One way in which a library computes problems of one kind, Shape. `Library` holds what its calls
/// need (handles, streams) and opens it when it is first used: what can be said without a device is
/// said without one.
template <class Library, class Shape>
struct Solver {
  /// Worth measuring; none where the library has nothing of this kind for the problem.
  std::function<std::vector<Layout>(const Shape&)> layouts;
  /// The library's first choice first. The prototype's algorithm is empty; of a set the solver may
  /// answer more than was asked for. Throws Unsupported if there is none.
  std::function<std::vector<Algorithm>(Library&, const Shape&, const Variant& prototype,
                                       AlgorithmSet)>
      algorithms;
  /// Throws Unsupported if the library refuses the variant.
  std::function<std::unique_ptr<Primitive>(Library&, const Shape&, const Variant&)> create;
  /// Tells the solver's algorithms from those of the problem's other solvers; empty: every name
  /// that no solver before it owns.
  std::function<bool(const Algorithm&)> owns = nullptr;
  /// It applies, or refuses with Unsupported, whatever Epilogue::steps a problem has. Others are
  /// never asked for a problem with steps.
  bool handles_steps = false;
  /// create() will be called for the variant before long; see Backend::expect(). Empty: nothing to
  /// begin.
  std::function<void(Library&, const Shape&, const Variant&)> expect = nullptr;
};

/// For problems that the library does not solve and no other library here does: a row says so, or a
/// bound would wait for a measurement that cannot be.
template <class Library, class Shape>
Solver<Library, Shape> refusing(std::string reason) {
  return {
      .layouts = [](const Shape&) { return std::vector{Layout::plain}; },
      .algorithms = [reason](Library&, const Shape&, const Variant&,
                             AlgorithmSet) -> std::vector<Algorithm> { throw Unsupported(reason); },
      .create = [reason](Library&, const Shape&, const Variant&) -> std::unique_ptr<Primitive> {
        throw Unsupported(reason);
      }};
}

/// The solvers of a library, by kind of problem.
template <class Library>
class SolverTable {
 public:
  /// A solver that looks into the problem itself.
  using AnySolver = Solver<Library, Problem>;

  /// After those of the same shape that are there: their algorithms come first. Throws
  /// std::logic_error if one of those owns every name: the solver would never make a call.
  template <class Shape>
  void add(Solver<Library, Shape> solver) {
    const auto shape_of = [](const Problem& problem) -> const Shape& {
      return std::get<Shape>(problem.shape);
    };
    std::function<void(Library&, const Problem&, const Variant&)> expect;
    if (solver.expect) {
      expect = [=](Library& library, const Problem& problem, const Variant& variant) {
        solver.expect(library, shape_of(problem), variant);
      };
    }
    const Problem any{.shape = Shape(), .epilogue = {}};
    std::vector<AnySolver>& before = solvers_.at(any.shape.index());
    if (!before.empty() && !before.back().owns) {
      throw std::logic_error("a solver behind one that owns every algorithm: kind of problem " +
                             std::to_string(any.shape.index()));
    }
    before.push_back(
        {.layouts = [=](const Problem& problem) { return solver.layouts(shape_of(problem)); },
         .algorithms =
             [=](Library& library, const Problem& problem, const Variant& prototype,
                 AlgorithmSet set) {
               return solver.algorithms(library, shape_of(problem), prototype, set);
             },
         .create =
             [=](Library& library, const Problem& problem, const Variant& variant) {
               return solver.create(library, shape_of(problem), variant);
             },
         .owns = solver.owns,
         .handles_steps = solver.handles_steps,
         .expect = std::move(expect)});
  }

  /// Empty for a kind that the library does not know.
  const std::vector<AnySolver>& of(const Problem& problem) const {
    return solvers_.at(problem.shape.index());
  }

 private:
  std::array<std::vector<AnySolver>, std::variant_size_v<Shape>> solvers_;
};

/// A backend that is a table of solvers.
template <class Library>
class SolverBackend : public Backend {
 public:
  /// `library_name`: for messages.
  SolverBackend(std::string library_name, SolverTable<Library> table)
      : library_name_(std::move(library_name)), table_(std::move(table)) {}

  /// Of all solvers, each once, in the solvers' order.
  std::vector<Layout> layouts(const Problem& problem) const override {
    std::vector<Layout> all;
    for (const auto& solver : table_.of(problem)) {
      for (const Layout layout : solver.layouts(problem)) {
        if (!contains(all, layout)) all.push_back(layout);
      }
    }
    return all;
  }

  /// Of all solvers that measure in the layout; every refusal counts if there is none.
  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override {
    const Variant prototype{problem, precision, layout, {}};
    std::vector<Algorithm> names;
    std::string refusals;
    std::optional<NoDevice> no_device;
    for (const auto& solver : table_.of(problem)) {
      if (!measures_in(solver, problem, layout)) continue;
      try {
        refuse_steps(solver, problem, precision);
        std::vector<Algorithm> found = solver.algorithms(library(), problem, prototype, set);
        if (set == AlgorithmSet::leading && found.size() > leading) found.resize(leading);
        std::ranges::move(found, std::back_inserter(names));
      } catch (const Unsupported& refusal) {
        if (refusals.find(refusal.what()) != std::string::npos) continue;
        refusals += (refusals.empty() ? "" : "; ") + std::string(refusal.what());
      } catch (const NoDevice& none) {
        no_device = none;
      }
      if (set == AlgorithmSet::best && !names.empty()) break;
    }
    if (names.empty() && no_device) throw *no_device;
    if (names.empty()) throw Unsupported(refusals.empty() ? no_call(problem) : refusals);
    if (set == AlgorithmSet::best) names.resize(1);
    return names;
  }

  std::unique_ptr<Primitive> create(const Variant& variant) override {
    for (const auto& solver : table_.of(variant.problem)) {
      if (solver.owns && !solver.owns(variant.algorithm)) continue;
      refuse_steps(solver, variant.problem, variant.precision);
      return solver.create(library(), variant.problem, variant);
    }
    throw Unsupported(no_call(variant.problem));
  }

  /// What goes wrong here goes wrong again in create(), which says so.
  void expect(const Variant& variant) override {
    for (const auto& solver : table_.of(variant.problem)) {
      if (solver.owns && !solver.owns(variant.algorithm)) continue;
      try {
        if (solver.expect) solver.expect(library(), variant.problem, variant);
      } catch (const std::exception&) {
      }
      return;
    }
  }

 protected:
  virtual Library& library() = 0;

 private:
  static bool contains(const std::vector<Layout>& layouts, Layout layout) {
    return std::find(layouts.begin(), layouts.end(), layout) != layouts.end();
  }

  /// A solver is asked in a layout of its own, and in those that no solver finds worth measuring
  /// only if it is the only one: it then says why not.
  bool measures_in(const typename SolverTable<Library>::AnySolver& solver, const Problem& problem,
                   Layout layout) const {
    return table_.of(problem).size() == 1 || contains(solver.layouts(problem), layout);
  }

  /// The one place where a call is kept from a problem whose steps it would leave out.
  void refuse_steps(const typename SolverTable<Library>::AnySolver& solver, const Problem& problem,
                    Precision precision) const {
    const std::vector<Step>& steps = problem.epilogue.steps;
    if (steps.empty()) return;
    if (precision == Precision::int8) {
      throw Unsupported("int8 '" + std::string(word(steps.front())) + "' after '" +
                        std::string(op(problem)) + "' needs a result scale of its own");
    }
    if (!solver.handles_steps) {
      throw Unsupported(library_name_ + " has no call for '" + std::string(op(problem)) +
                        "' with '" + std::string(word(steps.front())) + "' behind it");
    }
  }

  std::string no_call(const Problem& problem) const {
    return library_name_ + " has no call for '" + std::string(op(problem)) + "'";
  }

  static constexpr std::size_t leading = 3;

  std::string library_name_;
  SolverTable<Library> table_;
};

}  // namespace benanza::harness
