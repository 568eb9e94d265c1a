#include "suites/onednn/implementations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "suites/onednn/checked.h"
#include "suites/onednn/threads.h"

namespace benanza::onednn {
namespace {

struct Candidate {
  harness::Algorithm name;
  /// The index of the attempt, and the position in that attempt's list.
  std::size_t attempt = 0;
  std::size_t place = 0;
  /// No earlier implementation of the attempt has this family().
  bool first_of_family = true;
  bool reference_code = false;
  std::string defect;
};

/// Whether one of the words is "ref": "ref:any", "ref_int8:any", "conv:any+ref:any",
/// "folded.ref:any".
bool is_reference_code(std::string_view implementation) {
  constexpr std::string_view separators = "_:+.";
  while (!implementation.empty()) {
    const std::size_t end =
        std::min(implementation.find_first_of(separators), implementation.size());
    if (implementation.substr(0, end) == "ref") return true;
    implementation.remove_prefix(std::min(end + 1, implementation.size()));
  }
  return false;
}

/// The implementation's name without its instruction set, if it ends in one: "jit" for "jit:avx2".
std::string_view family(std::string_view implementation) {
  const std::size_t colon = implementation.rfind(':');
  if (colon == std::string_view::npos) return implementation;
  const std::string_view last = implementation.substr(colon + 1);
  const auto begins = [&](std::string_view word) { return last.starts_with(word); };
  const bool is_isa = std::ranges::any_of(
      std::array<std::string_view, 5>{"avx", "sse", "amx", "uni", "any"}, begins);
  return is_isa ? implementation.substr(0, colon) : implementation;
}

std::string without_separators(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Visits the implementations of every attempt until `visit` returns false. Throws Unsupported if
/// there are none.
void walk(const std::vector<Attempt>& attempts,
          const std::function<bool(const Candidate&, const Plan&)>& visit) {
  std::optional<harness::Unsupported> first_refusal;
  bool any = false;
  std::map<std::string, int> seen;
  for (std::size_t index = 0; index < attempts.size(); ++index) {
    const Attempt& attempt = attempts[index];
    std::size_t place = 0;
    std::set<std::string, std::less<>> families;
    std::optional<Plan> plan;
    try {
      plan = offered(attempt.plan);
    } catch (const harness::Unsupported& refusal) {
      if (!first_refusal) first_refusal = refusal;
      continue;
    }
    do {
      const std::string library_name = plan->implementation.name();
      if (attempt.wanted && !attempt.wanted(library_name)) continue;
      std::string name = attempt.prefix + without_separators(library_name);
      const int count = ++seen[name];
      if (count > 1) name.append("#").append(std::to_string(count));
      any = true;
      const std::string defect = attempt.defect ? attempt.defect(*plan) : "";
      const bool is_new = families.emplace(family(library_name)).second;
      const Candidate candidate{name,  index, place++, is_new, is_reference_code(library_name),
                                defect};
      if (!visit(candidate, *plan)) return;
    } while (checked("next implementation", [&] { return plan->implementation.next(); }));
  }
  if (!any) throw first_refusal.value_or(harness::Unsupported("oneDNN offers no implementation"));
}

}  // namespace

std::vector<harness::Algorithm> implementation_names(const std::vector<Attempt>& attempts,
                                                     harness::AlgorithmSet set) {
  std::vector<Candidate> candidates;
  walk(attempts, [&](const Candidate& candidate, const Plan&) {
    candidates.push_back(candidate);
    return set != harness::AlgorithmSet::best || candidate.reference_code ||
           !candidate.defect.empty();
  });
  const auto is_reference = [](const Candidate& candidate) { return candidate.reference_code; };
  const bool has_better = std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return !candidate.reference_code && candidate.defect.empty();
  });
  if (set != harness::AlgorithmSet::with_reference && has_better) {
    std::erase_if(candidates, is_reference);
  }
  if (set == harness::AlgorithmSet::best) {
    const auto sound = std::find_if(candidates.begin(), candidates.end(),
                                    [](const Candidate& one) { return one.defect.empty(); });
    candidates = {sound == candidates.end() ? candidates.front() : *sound};
  }
  if (set == harness::AlgorithmSet::leading) {
    std::erase_if(candidates, [](const Candidate& one) { return !one.first_of_family; });
  }
  std::vector<harness::Algorithm> names;
  std::transform(candidates.begin(), candidates.end(), std::back_inserter(names),
                 [](const Candidate& candidate) { return candidate.name; });
  return names;
}

std::vector<harness::Algorithm> threaded_names(const std::vector<Attempt>& attempts,
                                               const harness::Variant& prototype,
                                               harness::AlgorithmSet set) {
  const std::size_t leading = set == harness::AlgorithmSet::leading ? 1 : 2;
  std::vector<harness::Algorithm> names = implementation_names(attempts, set);
  const bool all = set == harness::AlgorithmSet::with_reference;
  for (const int threads : fewer_threads(prototype.problem, prototype.precision, set)) {
    const ThreadCount count(threads);
    walk(attempts, [&](const Candidate& candidate, const Plan&) {
      if (all ||
          (candidate.place < leading && !candidate.reference_code && candidate.defect.empty())) {
        names.push_back(to_string(ThreadedName{candidate.name, threads}));
      }
      return true;
    });
  }
  return names;
}

bool only_reference_code(const std::vector<harness::Algorithm>& names) {
  return std::ranges::all_of(
      names, [](const harness::Algorithm& name) { return is_reference_code(name); });
}

Plan plan_named(const std::vector<Attempt>& attempts, const harness::Algorithm& name) {
  std::optional<Plan> found;
  walk(attempts, [&](const Candidate& candidate, const Plan& plan) {
    if (candidate.name != name) return true;
    if (!candidate.defect.empty()) throw harness::Unsupported(candidate.defect);
    found = plan;
    return false;
  });
  if (!found) throw harness::Unsupported("oneDNN has no implementation " + name + " here");
  return *found;
}

}  // namespace benanza::onednn
