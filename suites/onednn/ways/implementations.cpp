#include "suites/onednn/ways/implementations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/library/algorithm.h"
#include "suites/harness/primitive.h"
#include "suites/onednn/api/library_call.h"
#include "suites/onednn/ways/planned_call.h"
#include "suites/onednn/ways/threads.h"

namespace benanza::onednn {
namespace {

/// The implementation's name without its instruction set, if it ends in one: "jit" for "jit:avx2".
std::string_view kind_of(std::string_view implementation) {
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
          const std::function<bool(const Offer&, const Plan&)>& visit) {
  std::optional<harness::Unsupported> first_refusal;
  bool any = false;
  std::map<std::string, int> seen;
  for (const Attempt& attempt : attempts) {
    std::size_t place = 0;
    std::set<std::string, std::less<>> kinds;
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
      Offer offer{.name = attempt.prefix + without_separators(library_name),
                  .traits = attempt.traits,
                  .place = place++,
                  .is_first_of_kind = kinds.emplace(kind_of(library_name)).second,
                  .defect = attempt.defect ? attempt.defect(*plan) : ""};
      if (attempt.prefix.empty()) offer.rank = static_cast<int>(place);
      const int count = ++seen[offer.name];
      if (count > 1) offer.name.append("#").append(std::to_string(count));
      offer.traits.reference = attempt.has_reference_code && is_reference_code(library_name);
      offer.traits.calls += plan->before.size() + (plan->after ? 1 : 0);
      any = true;
      if (!visit(offer, *plan)) return;
    } while (library_call("next implementation", [&] { return plan->implementation.next(); }));
  }
  if (!any) throw first_refusal.value_or(harness::Unsupported("oneDNN offers no implementation"));
}

bool is_reference(const Offer& offer) { return offer.traits.reference; }

bool is_outdone(const std::vector<Layout>& layouts, Layout own,
                const std::function<std::vector<Attempt>(Layout)>& attempts_in) {
  return std::ranges::any_of(layouts, [&](Layout other) {
    if (other == own) return false;
    try {
      return !std::ranges::all_of(offers(attempts_in(other), harness::AlgorithmSet::all),
                                  is_reference);
    } catch (const harness::Unsupported&) {
      return false;
    }
  });
}

}  // namespace

std::vector<Offer> offers(const std::vector<Attempt>& attempts, harness::AlgorithmSet set) {
  std::vector<Offer> found;
  walk(attempts, [&](const Offer& offer, const Plan&) {
    found.push_back(offer);
    return set != harness::AlgorithmSet::best || is_reference(offer) || !offer.defect.empty();
  });
  const bool has_better = std::ranges::any_of(
      found, [](const Offer& offer) { return !is_reference(offer) && offer.defect.empty(); });
  if (set != harness::AlgorithmSet::with_reference && has_better) {
    std::erase_if(found, is_reference);
  }
  if (set == harness::AlgorithmSet::best) {
    const auto sound = std::ranges::find(found, "", &Offer::defect);
    found = {sound == found.end() ? found.front() : *sound};
  }
  if (set == harness::AlgorithmSet::leading) {
    std::erase_if(found, [](const Offer& one) { return !one.is_first_of_kind; });
  }
  return found;
}

std::vector<harness::Way> threaded_ways(
    Library& library, const harness::Variant& prototype, const std::vector<Layout>& layouts,
    const std::function<std::vector<Attempt>(Layout)>& attempts_in, harness::AlgorithmSet set) {
  const auto attempts = std::make_shared<const std::vector<Attempt>>(attempts_in(prototype.layout));
  std::vector<harness::Way> ways;
  const auto add = [&](const Offer& offer, std::optional<int> threads) {
    harness::Variant variant = prototype;
    variant.algorithm = to_string(ThreadedName{offer.name, threads});
    harness::Way way{.name = variant.algorithm,
                     .traits = offer.traits,
                     .make = [&library, attempts, variant](harness::Operands& operands) {
                       return way_named(library, *attempts, variant).make(operands);
                     }};
    way.traits.threads = threads;
    ways.push_back(std::move(way));
  };
  const std::vector<Offer> all = offers(*attempts, set);
  const bool with_reference = set == harness::AlgorithmSet::with_reference;
  for (const Offer& offer : all) add(offer, std::nullopt);
  const std::size_t leading = set == harness::AlgorithmSet::leading ? 1 : 2;
  for (const int threads : fewer_threads(prototype.problem, prototype.precision, set)) {
    const ThreadCount count(threads);
    walk(*attempts, [&](const Offer& offer, const Plan&) {
      const bool is_worthwhile =
          offer.place < leading && !is_reference(offer) && offer.defect.empty();
      if (with_reference || is_worthwhile) add(offer, threads);
      return true;
    });
  }
  const bool only_reference =
      std::ranges::all_of(ways, [](const harness::Way& way) { return way.traits.reference; });
  if (!with_reference && only_reference && is_outdone(layouts, prototype.layout, attempts_in)) {
    throw harness::Unsupported(
        "oneDNN has only reference code in this layout, and better "
        "in another: --algorithms with-reference measures it");
  }
  return ways;
}

harness::Way way_named(Library& library, const std::vector<Attempt>& attempts,
                       const harness::Variant& variant) {
  const auto [name, threads] = threaded_name(variant.algorithm);
  std::vector<Attempt> candidates = attempts;
  std::erase_if(candidates, [&](const Attempt& one) { return !name.starts_with(one.prefix); });
  harness::Way way{.name = variant.algorithm};
  walk(candidates, [&](const Offer& offer, const Plan& plan) {
    if (offer.name != name) return true;
    if (!offer.defect.empty()) throw harness::KnownDefect(offer.defect);
    way.traits = offer.traits;
    way.traits.threads = threads;
    const auto kept = std::make_shared<Plan>(plan);
    if (offer.rank && !threads) kept->facts["heuristic_rank"] = static_cast<double>(*offer.rank);
    const LeastWork least = least_work(variant.problem, variant.precision, offer.traits);
    const std::int64_t elements = element_count(output(variant.problem));
    way.make = [&library, kept, least, elements, threads](harness::Operands& operands) {
      return std::make_unique<PlannedCall>(*kept, library.engine, library.stream, operands,
                                           elements, least, threads);
    };
    return false;
  });
  if (!way.make) throw harness::Unsupported("oneDNN has no implementation " + name + " here");
  return way;
}

}  // namespace benanza::onednn
