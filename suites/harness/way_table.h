#pragma once

#include <algorithm>
#include <array>
#include <exception>
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
#include "suites/harness/int8_scale.h"

/// How a backend declares what its library can do. Each operator is one file that adds families of
/// ways to a table; a backend is that table together with its Library.
namespace benanza::harness {

/// Ways in which a library computes problems of type Shape that are refused for the same reasons.
/// `Library` holds what its calls need (handles, streams) and opens it on first use, so that
/// queries that need no device work without one.
template <class Library, class Shape>
struct Family {
  /// The layouts worth measuring; empty if the library cannot solve the problem this way.
  std::function<std::vector<Layout>(const Shape&)> layouts;
  /// The ways, the library's first choice first. The prototype's algorithm is empty. May return
  /// more than the set asks for. Throws Unsupported if there is none.
  std::function<std::vector<Way>(Library&, const Shape&, const Variant& prototype, AlgorithmSet)>
      ways;
  /// The way that the variant names, whether or not ways() lists it; nullopt if the name is none of
  /// this family's. Null: it is looked up in the list, which is short and needs no device.
  std::function<std::optional<Way>(Library&, const Shape&, const Variant&)> way = nullptr;
  /// True if the ways apply, or refuse with Unsupported, any Epilogue::steps of a problem. Others
  /// are never used for problems with steps.
  bool handles_steps = false;
  /// So they do at int8 with steps that keep the result's scale (steps_keep_scale()).
  bool handles_int8_steps = false;
  /// True if the ways multiply by packed weights (Problem::packed). They are used for nothing else,
  /// and no others for such problems.
  bool for_packed = false;
  /// ways() itself chooses what AlgorithmSet::leading means; otherwise it is the first three.
  bool chooses_leading = false;
};

/// A family that refuses every problem, for operators that no library here solves. Without the
/// resulting `unsupported` row, a bound would wait for a measurement that cannot be made.
template <class Library, class Shape>
Family<Library, Shape> refusing(std::string reason) {
  return {.layouts = [](const Shape&) { return std::vector{Layout::plain}; },
          .ways = [reason = std::move(reason)](Library&, const Shape&, const Variant&, AlgorithmSet)
              -> std::vector<Way> { throw Unsupported(reason); }};
}

/// The families of a library, by type of problem.
template <class Library>
class WayTable {
 public:
  /// A family that takes the whole problem and extracts the shape itself.
  using AnyFamily = Family<Library, Problem>;

  /// Adds a family after the existing ones of the same shape, whose ways come first.
  template <class Shape>
  void add(Family<Library, Shape> family) {
    const Problem any{.shape = Shape(), .epilogue = {}};
    if (!family.way) {
      family.way = [ways = family.ways](Library& library, const Shape& shape,
                                        const Variant& variant) -> std::optional<Way> {
        Variant prototype = variant;
        prototype.algorithm.clear();
        for (Way& way : ways(library, shape, prototype, AlgorithmSet::with_reference)) {
          if (way.name == variant.algorithm) return std::move(way);
        }
        return std::nullopt;
      };
    }
    families_.at(any.shape.index())
        .push_back(
            {.layouts = [layouts = std::move(family.layouts)](
                            const Problem& problem) { return layouts(shape_of<Shape>(problem)); },
             .ways =
                 [ways = std::move(family.ways)](Library& library, const Problem& problem,
                                                 const Variant& prototype, AlgorithmSet set) {
                   return ways(library, shape_of<Shape>(problem), prototype, set);
                 },
             .way =
                 [way = std::move(family.way)](Library& library, const Problem& problem,
                                               const Variant& variant) {
                   return way(library, shape_of<Shape>(problem), variant);
                 },
             .handles_steps = family.handles_steps,
             .handles_int8_steps = family.handles_int8_steps,
             .for_packed = family.for_packed,
             .chooses_leading = family.chooses_leading});
  }

  /// The way that the variant names, and its family. A family that refuses the problem does not
  /// keep another one from having the name; if none has it, throws the first refusal. nullopt if
  /// there is none.
  struct Found {
    const AnyFamily& family;
    Way way;
  };
  std::optional<Found> find(Library& library, const Variant& variant) const {
    std::exception_ptr refusal;
    for (const AnyFamily& family : of(variant.problem)) {
      if (family.for_packed != variant.problem.packed.has_value()) continue;
      try {
        if (auto way = family.way(library, variant.problem, variant)) {
          return Found{family, *std::move(way)};
        }
      } catch (const Unsupported&) {
        if (!refusal) refusal = std::current_exception();
      }
    }
    if (refusal) std::rethrow_exception(refusal);
    return std::nullopt;
  }

  /// Returns the families for the problem's type; empty if the library has none.
  const std::vector<AnyFamily>& of(const Problem& problem) const {
    return families_.at(problem.shape.index());
  }

 private:
  template <class Shape>
  static const Shape& shape_of(const Problem& problem) {
    return std::get<Shape>(problem.shape);
  }

  std::array<std::vector<AnyFamily>, std::variant_size_v<Shape>> families_;
};

/// A backend defined by a table of ways.
template <class Library>
class TableBackend : public Backend {
 public:
  /// `library_name` is used in messages.
  TableBackend(std::string library_name, WayTable<Library> table)
      : library_name_(std::move(library_name)), table_(std::move(table)) {}

  bool knows_packed_weights() const override { return true; }
  /// The layouts of all families without duplicates, in the families' order.
  std::vector<Layout> layouts(const Problem& problem) const override {
    std::vector<Layout> all;
    for (const auto& family : table_.of(problem)) {
      for (const Layout layout : family.layouts(problem)) {
        if (!contains(all, layout)) all.push_back(layout);
      }
    }
    return all;
  }

  std::vector<Way> ways(const Variant& prototype, AlgorithmSet set) override {
    std::vector<Way> all = ways_of(as_called(prototype), set);
    for (Way& way : all) way.traits.signed_data = is_called_signed(prototype);
    return all;
  }

  Way way(const Variant& variant) override {
    Way way = way_of(as_called(variant));
    way.traits.signed_data = is_called_signed(variant);
    return way;
  }

 protected:
  virtual Library& library() = 0;

  /// The variant that the calls are made for. Throws Unsupported for unsigned data at a precision
  /// that has none.
  Variant as_called(Variant variant) const {
    if (has_unsigned_data(variant.problem) && variant.precision != Precision::int8) {
      throw Unsupported("unsigned 8-bit data exist at int8 only");
    }
    if (is_called_signed(variant)) {
      variant.problem = with_unsigned_data(std::move(variant.problem), false);
    }
    return variant;
  }

 private:
  bool is_called_signed(const Variant& variant) const {
    return has_unsigned_data(variant.problem) && !knows_unsigned_data();
  }

  /// The ways of all families that measure in the layout. If there are none, the exception lists
  /// every refusal.
  std::vector<Way> ways_of(const Variant& prototype, AlgorithmSet set) {
    const Problem& problem = prototype.problem;
    std::vector<Way> all;
    std::string refusals;
    std::optional<NoDevice> no_device;
    for (const auto& family : table_.of(problem)) {
      if (!measures_in(family, problem, prototype.layout)) continue;
      if (family.for_packed != problem.packed.has_value()) continue;
      try {
        refuse_steps(family, problem, prototype.precision);
        std::vector<Way> found = family.ways(library(), problem, prototype, set);
        const bool cut = set == AlgorithmSet::leading && !family.chooses_leading;
        if (cut && found.size() > leading) found.erase(found.begin() + leading, found.end());
        std::ranges::move(found, std::back_inserter(all));
      } catch (const Unsupported& refusal) {
        if (refusals.find(refusal.what()) != std::string::npos) continue;
        refusals += (refusals.empty() ? "" : "; ") + std::string(refusal.what());
      } catch (const NoDevice& none) {
        no_device = none;
      }
      if (set == AlgorithmSet::best && !all.empty()) break;
    }
    if (all.empty() && no_device) throw *no_device;
    if (all.empty()) throw Unsupported(refusals.empty() ? no_call(problem) : refusals);
    if (set == AlgorithmSet::best) all.erase(all.begin() + 1, all.end());
    return all;
  }

  Way way_of(const Variant& variant) {
    const Problem& problem = variant.problem;
    auto found = table_.find(library(), variant);
    if (!found) {
      throw Unsupported(no_call(problem) +
                        (table_.of(problem).empty() ? "" : " named " + variant.algorithm));
    }
    refuse_steps(found->family, problem, variant.precision);
    return std::move(found->way);
  }

  static bool contains(const std::vector<Layout>& layouts, Layout layout) {
    return std::find(layouts.begin(), layouts.end(), layout) != layouts.end();
  }

  /// A family is used only in its own layouts, unless it is the only one for the problem: it then
  /// gives the reason for refusing any other layout.
  bool measures_in(const typename WayTable<Library>::AnyFamily& family, const Problem& problem,
                   Layout layout) const {
    const auto is_for = [&](const auto& one) {
      return one.for_packed == problem.packed.has_value();
    };
    return std::ranges::count_if(table_.of(problem), is_for) == 1 ||
           contains(family.layouts(problem), layout);
  }

  /// The only check that a call is not used for a problem whose epilogue steps it would leave out.
  void refuse_steps(const typename WayTable<Library>::AnyFamily& family, const Problem& problem,
                    Precision precision) const {
    const std::vector<Step>& steps = problem.epilogue.steps;
    if (steps.empty()) return;
    const bool keeps_scale = family.handles_int8_steps && steps_keep_scale(problem.epilogue);
    if (precision == Precision::int8 && !keeps_scale) {
      throw Unsupported("int8 '" + std::string(word(steps.front())) + "' after '" +
                        std::string(op(problem)) + "' needs a result scale of its own");
    }
    if (!family.handles_steps) {
      throw Unsupported(library_name_ + " has no call for '" + std::string(op(problem)) +
                        "' with '" + std::string(word(steps.front())) + "' behind it");
    }
  }

  std::string no_call(const Problem& problem) const {
    if (problem.packed) return "no call that multiplies by " + packed_text(problem);
    return library_name_ + " has no call for '" + std::string(op(problem)) + "'";
  }

  static constexpr std::ptrdiff_t leading = 3;

  std::string library_name_;
  WayTable<Library> table_;
};

}  // namespace benanza::harness
