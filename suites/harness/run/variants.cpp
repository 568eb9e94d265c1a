#include "suites/harness/run/variants.h"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iomanip>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/problem/name.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {
namespace {

std::vector<Problem> wanted_problems(const Registration& registration, const Selection& selection) {
  std::vector<std::string> keys = selection.problems;
  if (keys.empty()) {
    for (const auto& table : registration.problems)
      keys.insert(keys.end(), table.begin(), table.end());
  }
  std::vector<Problem> problems;
  std::set<std::string> seen;
  std::map<std::string, std::size_t, std::less<>> per_operator;
  for (const std::string& text : keys) {
    Problem problem;
    try {
      problem = parse(text);
    } catch (const std::invalid_argument& error) {
      throw Error(error.what());
    }
    if (!seen.insert(key(problem)).second) continue;
    std::size_t& count = per_operator[std::string(op(problem))];
    if (selection.problems_per_operator > 0 && count >= selection.problems_per_operator) continue;
    ++count;
    problems.push_back(std::move(problem));
  }
  return problems;
}

std::vector<Layout> wanted_layouts(const Backend& backend, const Problem& problem,
                                   const Selection& selection) {
  std::vector<Layout> layouts = backend.layouts(problem);
  if (!selection.layouts.empty()) {
    std::erase_if(layouts, [&](Layout layout) {
      return std::find(selection.layouts.begin(), selection.layouts.end(), layout) ==
             selection.layouts.end();
    });
  } else if (selection.layout_of_library) {
    std::stable_partition(layouts.begin(), layouts.end(),
                          [](Layout layout) { return layout == Layout::any; });
  }
  return layouts;
}

/// Keeps the problems of the selection's shard.
void keep_shard(std::vector<Problem>& problems, const Backend& backend, const Selection& selection,
                std::size_t precisions) {
  if (selection.shard.count == 1) return;
  std::vector<ShardItem> items;
  for (const Problem& problem : problems) {
    std::size_t layouts = wanted_layouts(backend, problem, selection).size();
    if (selection.layouts.empty() && selection.layout_of_library) {
      layouts = std::min<std::size_t>(layouts, 1);
    }
    items.push_back(
        {key(problem), predicted_seconds(problem, precisions * layouts, selection.algorithms)});
  }
  const std::vector<std::size_t> shards = assign_shards(items, selection.shard.count);
  std::vector<Problem> kept;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (shards[i] + 1 == selection.shard.index) kept.push_back(std::move(problems[i]));
  }
  problems = std::move(kept);
}

/// The algorithms of Selection::recorded by the rest of their names.
class Recorded {
 public:
  explicit Recorded(const Selection& selection) {
    if (selection.algorithms == AlgorithmSet::best) return;
    for (const std::string& text : selection.recorded) {
      VariantName name = parse_variant_name(text);
      std::string algorithm = std::exchange(name.algorithm, "");
      algorithms_[place(name)].push_back(std::move(algorithm));
    }
  }

  /// Adds those of `name`, whose algorithm is empty, that are not among `algorithms`.
  void add_to(std::vector<Algorithm>& algorithms, const VariantName& name) const {
    const auto found = algorithms_.find(place(name));
    if (found == algorithms_.end()) return;
    for (const Algorithm& algorithm : found->second) {
      if (std::ranges::find(algorithms, algorithm) == algorithms.end()) {
        algorithms.push_back(algorithm);
      }
    }
  }

 private:
  /// Recorded calls have warm caches, and their algorithms are measured with cold ones, too.
  static std::string place(VariantName name) {
    name.cold = false;
    return to_string(name);
  }

  std::map<std::string, std::vector<Algorithm>, std::less<>> algorithms_;
};

double memory_bytes() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<double>(::sysconf(_SC_PAGE_SIZE));
}

/// Some libraries crash when they are asked about tensors that no memory holds. What a device has
/// is in the host's memory, too, to be verified. The tensors of a collective may lie on several
/// machines: its library says what it refuses.
void require_memory(const Problem& problem, Precision precision) {
  if (std::holds_alternative<Collective>(problem.shape)) return;
  double elements = 0;
  for (const Operand& operand : inputs(problem)) elements += real_count(operand.dims);
  for (const Dims& result : results(problem)) elements += real_count(result);
  const double bytes = elements * static_cast<double>(element_bytes(precision));
  const double most = memory_bytes();
  if (bytes <= most) return;
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << "its tensors take " << bytes * 1e-9
       << " GB, and this machine has " << most * 1e-9;
  throw Error(text.str());
}

/// The library's algorithms, followed by the recorded ones. Throws Unsupported if there is none.
std::vector<Algorithm> algorithms_of(Backend& backend, const Variant& prototype,
                                     const VariantName& name, AlgorithmSet set,
                                     const Recorded& recorded) {
  std::vector<Algorithm> algorithms;
  std::optional<Unsupported> refusal;
  try {
    algorithms = names_of(backend.ways(prototype, set));
  } catch (const Unsupported& reason) {
    refusal = reason;
  }
  recorded.add_to(algorithms, name);
  if (!algorithms.empty()) return algorithms;
  throw refusal.value_or(Unsupported("no algorithm for this problem"));
}

/// The variants of one problem, precision and layout.
std::vector<NamedVariant> variants_of(Backend& backend, const Variant& prototype,
                                      const VariantName& name, AlgorithmSet set,
                                      const Recorded& recorded) {
  const auto named = [&](Algorithm algorithm) {
    NamedVariant result{.name = {},
                        .variant = prototype,
                        .status = Status::ok,
                        .reason = {},
                        .first_choice = set == AlgorithmSet::best};
    VariantName full = name;
    full.algorithm = result.variant.algorithm = std::move(algorithm);
    result.name = to_string(full);
    return result;
  };
  const auto none = [&](Status status, const std::exception& error) {
    NamedVariant result = named("none");
    result.status = status;
    result.reason = one_line(error.what());
    return std::vector<NamedVariant>{std::move(result)};
  };
  try {
    require_memory(prototype.problem, prototype.precision);
    std::vector<NamedVariant> variants;
    for (Algorithm& algorithm : algorithms_of(backend, prototype, name, set, recorded)) {
      variants.push_back(named(std::move(algorithm)));
    }
    return variants;
  } catch (const NoDevice&) {
    throw;
  } catch (const EngineLost& loss) {
    // Every later query would fail, too, and be blamed for it.
    throw EngineLost(named("none").name + ": " + loss.what());
  } catch (const Unsupported& refusal) {
    return none(Status::unsupported, refusal);
  } catch (const std::exception& error) {
    return none(Status::failed, error);
  }
}

/// Hints to the backend which queries enumerate() will certainly make. If the library chooses the
/// layout, not every layout is queried.
void announce(Backend& backend, const std::vector<Problem>& problems,
              const std::vector<Precision>& precisions, const Selection& selection) {
  if (selection.only_known || selection.layout_of_library) return;
  for (const Problem& problem : problems) {
    for (const Precision precision : precisions) {
      for (const Layout layout : wanted_layouts(backend, problem, selection)) {
        backend.prefetch_algorithms({problem, precision, layout, {}}, selection.algorithms);
      }
    }
  }
}

}  // namespace

std::vector<NamedVariant> enumerate(Backend& backend, const Registration& registration,
                                    const Selection& selection) {
  const NameFilter filter(selection.filter);
  const std::vector<Precision>& precisions =
      selection.precisions.empty() ? registration.precisions : selection.precisions;
  std::vector<Problem> problems = wanted_problems(registration, selection);
  std::erase_if(problems,
                [&](const Problem& problem) { return !filter.may_match(key(problem) + '/'); });
  keep_shard(problems, backend, selection, precisions.size());
  announce(backend, problems, precisions, selection);
  const Recorded recorded(selection);
  std::vector<NamedVariant> result;
  std::set<std::string> names;
  for (const Problem& problem : problems) {
    VariantName name{.key = key(problem),
                     .backend = std::string(backend.name()),
                     .algorithm = {},
                     .cold = selection.cold};
    const std::vector<Layout> layouts = wanted_layouts(backend, problem, selection);
    for (const Precision precision : precisions) {
      for (const Layout layout : layouts) {
        name.precision = precision;
        name.layout = layout;
        const Variant prototype{problem, precision, layout, {}};
        std::vector<NamedVariant> variants;
        try {
          variants = variants_of(backend, prototype, name, selection.algorithms, recorded);
        } catch (const NoDevice&) {
          if (selection.only_known) continue;
          throw;
        }
        const bool chosen = selection.layouts.empty() && selection.layout_of_library &&
                            layout == Layout::any && variants.front().status == Status::ok;
        for (NamedVariant& variant : variants) {
          if (filter.matches(variant.name) && names.insert(variant.name).second) {
            result.push_back(std::move(variant));
          }
        }
        if (chosen) break;
      }
    }
  }
  return result;
}

}  // namespace benanza::harness
