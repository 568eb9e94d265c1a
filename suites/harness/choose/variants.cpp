#include "suites/harness/choose/variants.h"

#include <fnmatch.h>
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
#include "suites/harness/outcome.h"

namespace benanza::harness {
namespace {

/// A problem and the precisions to measure it at.
struct Wanted {
  Problem problem;
  std::vector<Precision> precisions;
};

std::vector<std::string> keys_of(const std::vector<std::span<const char* const>>& tables) {
  std::vector<std::string> keys;
  for (const auto& table : tables) keys.insert(keys.end(), table.begin(), table.end());
  return keys;
}

/// Collects problems, each once.
class WantedProblems {
 public:
  explicit WantedProblems(const Selection& selection) : selection_(selection) {}

  /// Throws Error for a text that is no key.
  void add(const std::vector<std::string>& keys, const std::vector<Precision>& precisions) {
    for (const std::string& text : keys) {
      Problem problem;
      try {
        problem = parse(text);
      } catch (const std::invalid_argument& error) {
        throw Error(error.what());
      }
      const auto [place, is_new] = places_.try_emplace(key(problem), wanted_.size());
      if (is_new && !is_among_the_first(problem)) {
        places_.erase(place);
        continue;
      }
      if (is_new) wanted_.push_back({std::move(problem), {}});
      std::vector<Precision>& all = wanted_[place->second].precisions;
      for (const Precision precision : precisions) {
        if (std::ranges::find(all, precision) == all.end()) all.push_back(precision);
      }
    }
  }
  std::vector<Wanted> take() { return std::move(wanted_); }

 private:
  bool is_among_the_first(const Problem& problem) {
    std::size_t& count = per_operator_[std::string(op(problem))];
    if (selection_.problems_per_operator > 0 && count >= selection_.problems_per_operator) {
      return false;
    }
    ++count;
    return true;
  }

  const Selection& selection_;
  std::vector<Wanted> wanted_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::size_t, std::less<>> per_operator_;
};

std::vector<Wanted> wanted_problems(const Registration& registration, const Selection& selection) {
  const bool selected = !selection.problems.empty() || !selection.stored_problems.empty();
  WantedProblems wanted(selection);
  wanted.add(selected ? selection.problems : keys_of(registration.problems),
             selection.precisions.empty() ? registration.precisions : selection.precisions);
  if (selected) {
    for (const auto& [precision, keys] : selection.stored_problems) wanted.add(keys, {precision});
  } else {
    for (const auto& [precision, tables] : registration.stored_problems) {
      wanted.add(keys_of(tables), {precision});
    }
  }
  return wanted.take();
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
void keep_shard(std::vector<Wanted>& problems, const Backend& backend, const Selection& selection) {
  if (selection.shard.count == 1) return;
  std::vector<ShardItem> items;
  for (const auto& [problem, precisions] : problems) {
    std::size_t layouts = wanted_layouts(backend, problem, selection).size();
    if (selection.layouts.empty() && selection.layout_of_library) {
      layouts = std::min<std::size_t>(layouts, 1);
    }
    items.push_back({key(problem), predicted_seconds(problem, precisions.size() * layouts,
                                                     selection.algorithms)});
  }
  const std::vector<std::size_t> shards = assign_shards(items, selection.shard.count);
  std::vector<Wanted> kept;
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

/// The library's algorithms, followed by the recorded ones, as far as they are selected. Throws
/// Unsupported if there is none.
std::vector<Algorithm> algorithms_of(Backend& backend, const Variant& prototype,
                                     const VariantName& name, const Selection& selection,
                                     const Recorded& recorded) {
  const std::string& wanted = selection.algorithm;
  const bool is_name = wanted.find_first_of("*?") == std::string::npos;
  if (!wanted.empty() && is_name) return {wanted};
  std::vector<Algorithm> algorithms;
  std::optional<Unsupported> refusal;
  try {
    algorithms = names_of(backend.ways(prototype, selection.algorithms));
  } catch (const Unsupported& reason) {
    refusal = reason;
  }
  recorded.add_to(algorithms, name);
  if (!wanted.empty() && !algorithms.empty()) {
    std::erase_if(algorithms, [&](const Algorithm& algorithm) {
      return ::fnmatch(wanted.c_str(), algorithm.c_str(), FNM_NOESCAPE) != 0;
    });
    refusal = Unsupported("no algorithm that matches \"" + wanted + '"');
  }
  if (!algorithms.empty()) return algorithms;
  throw refusal.value_or(Unsupported("no algorithm for this problem"));
}

/// The variants of one problem, precision and layout.
std::vector<NamedVariant> variants_of(Backend& backend, const Variant& prototype,
                                      const VariantName& name, const Selection& selection,
                                      const Recorded& recorded) {
  const bool is_first_choice =
      selection.algorithms == AlgorithmSet::best && selection.algorithm.empty();
  const auto named = [&](Algorithm algorithm) {
    NamedVariant result{.name = {},
                        .variant = prototype,
                        .status = Status::ok,
                        .reason = {},
                        .first_choice = is_first_choice};
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
    if (prototype.problem.packed && !backend.knows_packed_weights()) {
      throw Unsupported("no call that multiplies by " + packed_text(prototype.problem));
    }
    std::vector<NamedVariant> variants;
    for (Algorithm& algorithm : algorithms_of(backend, prototype, name, selection, recorded)) {
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
void announce(Backend& backend, const std::vector<Wanted>& problems, const Selection& selection) {
  if (selection.only_known || selection.layout_of_library) return;
  for (const auto& [problem, precisions] : problems) {
    for (const Precision precision : precisions) {
      for (const Layout layout : wanted_layouts(backend, problem, selection)) {
        backend.prefetch_algorithms({problem, precision, layout, {}}, selection.algorithms);
      }
    }
  }
}

}  // namespace

std::set<std::pair<std::string, Precision>> asked_for(const Registration& registration,
                                                      const Selection& selection) {
  std::set<std::pair<std::string, Precision>> asked;
  for (const auto& [problem, precisions] : wanted_problems(registration, selection)) {
    for (const Precision precision : precisions) asked.emplace(key(problem), precision);
  }
  return asked;
}

std::vector<NamedVariant> enumerate(Backend& backend, const Registration& registration,
                                    const Selection& selection) {
  const NameFilter filter(selection.filter);
  std::vector<Wanted> problems = wanted_problems(registration, selection);
  std::erase_if(problems,
                [&](const Wanted& one) { return !filter.may_match(key(one.problem) + '/'); });
  keep_shard(problems, backend, selection);
  announce(backend, problems, selection);
  const Recorded recorded(selection);
  std::vector<NamedVariant> result;
  std::set<std::string> names;
  for (const auto& [problem, precisions] : problems) {
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
          variants = variants_of(backend, prototype, name, selection, recorded);
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
