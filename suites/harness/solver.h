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

/// How a backend declares what its library can do. Each operator is one file that fills in Solvers;
/// a backend is a table of them together with its Library.
namespace benanza::harness {

/// One way in which a library computes problems of type Shape. `Library` holds what its calls need
/// (handles, streams) and opens it on first use, so that queries that need no device work without
/// one.
template <class Library, class Shape>
struct Solver {
  /// The layouts worth measuring; empty if the library cannot solve the problem this way.
  std::function<std::vector<Layout>(const Shape&)> layouts;
  /// The algorithms, the library's first choice first. The prototype's algorithm is empty. May
  /// return more than the set asks for. Throws Unsupported if there is none.
  std::function<std::vector<Algorithm>(Library&, const Shape&, const Variant& prototype,
                                       AlgorithmSet)>
      algorithms;
  /// Throws Unsupported if the library refuses the variant.
  std::function<std::unique_ptr<Primitive>(Library&, const Shape&, const Variant&)> create;
  /// Distinguishes the solver's algorithms from those of the problem's other solvers; empty: every
  /// name that no earlier solver owns.
  std::function<bool(const Algorithm&)> owns = nullptr;
  /// True if the solver applies, or refuses with Unsupported, any Epilogue::steps of a problem.
  /// Other solvers are never used for problems with steps.
  bool handles_steps = false;
  /// Hint that create() will soon be called for the variant; see Backend::expect(). Empty if there
  /// is nothing to start early.
  std::function<void(Library&, const Shape&, const Variant&)> expect = nullptr;
  /// algorithms() itself chooses what AlgorithmSet::leading means; otherwise it is the first three.
  bool chooses_leading = false;
};

/// A solver that refuses every problem, for operators that no library here solves. Without the
/// resulting `unsupported` row, a bound would wait for a measurement that cannot be made.
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

/// The solvers of a library, by type of problem.
template <class Library>
class SolverTable {
 public:
  /// A solver that takes the whole problem and extracts the shape itself.
  using AnySolver = Solver<Library, Problem>;

  /// Adds a solver after the existing ones of the same shape, whose algorithms come first. Throws
  /// std::logic_error if one of those owns every name, because the new solver would never be used.
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
         .expect = std::move(expect),
         .chooses_leading = solver.chooses_leading});
  }

  /// Returns the solvers for the problem's type; empty if the library has none.
  const std::vector<AnySolver>& of(const Problem& problem) const {
    return solvers_.at(problem.shape.index());
  }

 private:
  std::array<std::vector<AnySolver>, std::variant_size_v<Shape>> solvers_;
};

/// A backend defined by a table of solvers.
template <class Library>
class SolverBackend : public Backend {
 public:
  /// `library_name` is used in messages.
  SolverBackend(std::string library_name, SolverTable<Library> table)
      : library_name_(std::move(library_name)), table_(std::move(table)) {}

  /// The layouts of all solvers without duplicates, in the solvers' order.
  std::vector<Layout> layouts(const Problem& problem) const override {
    std::vector<Layout> all;
    for (const auto& solver : table_.of(problem)) {
      for (const Layout layout : solver.layouts(problem)) {
        if (!contains(all, layout)) all.push_back(layout);
      }
    }
    return all;
  }

  /// The algorithms of all solvers that measure in the layout. If there are none, the exception
  /// lists every refusal.
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
        const bool cut = set == AlgorithmSet::leading && !solver.chooses_leading;
        if (cut && found.size() > leading) found.resize(leading);
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

  /// Errors are ignored because they recur in create(), which reports them.
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

  /// A solver is used only in its own layouts, unless it is the only one for the problem: it then
  /// gives the reason for refusing any other layout.
  bool measures_in(const typename SolverTable<Library>::AnySolver& solver, const Problem& problem,
                   Layout layout) const {
    return table_.of(problem).size() == 1 || contains(solver.layouts(problem), layout);
  }

  /// The only check that a call is not used for a problem whose epilogue steps it would leave out.
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
