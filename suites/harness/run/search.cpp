#include "suites/harness/run/search.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/problem/name.h"
#include "suites/harness/measure/race.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/run/guarded_runner.h"
#include "suites/harness/run/look_ahead.h"
#include "suites/harness/run/queue.h"
#include "suites/harness/run/row_guard.h"
#include "suites/harness/run/verification.h"

namespace benanza::harness {
namespace {

constexpr const char* tried_fact = "search_tried";
constexpr const char* kept_fact = "search_kept";
/// Of a search without a time.
constexpr std::size_t most_reasons = 3;
constexpr double infinite = std::numeric_limits<double>::infinity();

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Candidates of one problem, precision and layout, by their names without the algorithm.
using Candidates = std::vector<const NamedVariant*>;
using Groups = std::vector<std::pair<std::string, Candidates>>;

std::string group_of(VariantName name) {
  name.algorithm = "any";
  return to_string(name);
}

Groups groups_of(std::span<const NamedVariant> variants) {
  Groups groups;
  std::map<std::string, std::size_t> places;
  for (const NamedVariant& variant : variants) {
    std::string group = group_of(parse_variant_name(variant.name));
    const auto [place, is_new] = places.try_emplace(group, groups.size());
    if (is_new) groups.push_back({std::move(group), {}});
    groups[place->second].second.push_back(&variant);
  }
  return groups;
}

NamedVariant with_algorithm(const NamedVariant& like, const Algorithm& algorithm) {
  NamedVariant other = like;
  VariantName name = parse_variant_name(like.name);
  name.algorithm = other.variant.algorithm = algorithm;
  other.name = to_string(name);
  other.status = Status::ok;
  other.reason.clear();
  return other;
}

/// The algorithms that finished searches have kept, by group.
std::map<std::string, std::vector<Algorithm>> finished_searches(const ResultStore& store) {
  std::map<std::string, std::vector<Algorithm>> kept;
  std::map<std::string, double> wanted;
  for (const Row& row : store.rows()) {
    if (row.repetition != 0 || row.facts.find(kept_fact) == std::string::npos) continue;
    const Facts facts = facts_of(row);
    const std::string group = group_of(row.variant);
    kept[group].push_back(row.variant.algorithm);
    wanted[group] = std::get<double>(facts.at(kept_fact));
  }
  std::erase_if(kept, [&](const auto& group) {
    return static_cast<double>(group.second.size()) < wanted.at(group.first);
  });
  return kept;
}

/// What a search works with.
struct Tools {
  Backend& backend;
  const Verifier& verifier;
  const SuiteOptions& options;
  CrashGuard& crash;
  Ledger& ledger;
  GuardedRunner& runner;
  SearchTally& count;
};

/// The search among one group's candidates.
class GroupSearch {
 public:
  GroupSearch(Tools tools, Candidates candidates)
      : tools_(tools), candidates_(std::move(candidates)), race_(tools.options.race) {}

  std::optional<double> best_seconds() const { return race_.best_seconds(); }

  /// Races the candidates.
  void race() {
    const Lap lap(*this);
    enter_all(candidates_);
  }

  /// Races neighbours of the best, if they are close to the best of all layouts.
  void explore(double best_of_layouts) {
    const Lap lap(*this);
    while (explores(best_of_layouts)) {
      const std::vector<std::string> parents = race_.take_parents();
      if (parents.empty()) break;
      enter_all(neighbours(parents));
    }
  }

  /// Measures and stores what is to be kept. Empty if the run ends before.
  std::vector<NamedVariant> keep() {
    std::vector<NamedVariant> kept;
    const std::vector<std::string> ranking = race_.ranking();
    for (const std::string& name : ranking) {
      const bool is_enough =
          kept.size() >= race_.rules().finalists || (!kept.empty() && !race_.is_close(name));
      if (is_enough) break;
      if (!take(*known_.at(name), kept)) race_.withdraw(name);
    }
    if (works_.contains(first().name) &&
        std::ranges::find(kept, first().name, &NamedVariant::name) == kept.end()) {
      take(first(), kept);
    }
    if (kept.empty()) kept = reasons();
    if (!tools_.ledger.goes_on()) return {};
    note(kept);
    return kept;
  }

 private:
  /// Adds its lifetime to what the search has taken.
  class Lap {
   public:
    explicit Lap(GroupSearch& search) : search_(search) { search_.start_ = Clock::now(); }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;
    ~Lap() { search_.spent_seconds_ += seconds_since(search_.start_); }

   private:
    GroupSearch& search_;
  };

  const NamedVariant& first() const { return *candidates_.front(); }

  bool is_over() const {
    const auto& limit = tools_.options.measure.problem_seconds;
    const double most = std::min(race_.rules().most_seconds, limit.value_or(infinite));
    return !tools_.ledger.goes_on() ||
           (race_.best_seconds() && spent_seconds_ + seconds_since(start_) > most);
  }

  /// Whether neighbours are worth their time.
  bool explores(double best_of_layouts) const {
    const auto best = race_.best_seconds();
    return best && !is_over() && known_.size() < race_.rules().most_candidates &&
           *best <= best_of_layouts * race_.rules().promising_by;
  }

  Candidates neighbours(const std::vector<std::string>& parents) {
    Candidates found;
    for (const std::string& parent : parents) {
      const NamedVariant& like = *known_.at(parent);
      const Outcome outcome = caught([&] {
        const Way way = tools_.backend.way(like.variant);
        for (const Algorithm& name : way.near ? way.near() : std::vector<Algorithm>()) {
          if (known_.size() + found.size() >= race_.rules().most_candidates) break;
          NamedVariant neighbour = with_algorithm(like, name);
          if (proposed_names_.insert(neighbour.name).second && !known_.contains(neighbour.name)) {
            found.push_back(&proposed_.emplace_back(std::move(neighbour)));
          }
        }
        return Outcome{.status = Status::ok};
      });
      if (outcome.engine_lost) tools_.ledger.lose(parent);
    }
    return found;
  }

  void enter_all(const Candidates& due) {
    Queue queue(tools_.backend, due);
    for (auto round = queue.next_round(); !round.empty(); round = queue.next_round()) {
      for (const NamedVariant* const candidate : round) {
        if (is_over()) return;
        queue.look_ahead(*candidate);
        if (!queue.is_postponed(*candidate)) enter(*candidate);
      }
    }
  }

  void enter(const NamedVariant& candidate) {
    known_.emplace(candidate.name, &candidate);
    ++tools_.count.tried;
    const Row* const before = tools_.ledger.rows().find(candidate.name, 0);
    if (candidate.status != Status::ok || (before != nullptr && settled(*before))) {
      ++tools_.count.without_time[before == nullptr ? candidate.status : before->status];
      return;
    }
    const auto row_of = [&](const Outcome& outcome) {
      const Variant& variant = candidate.variant;
      Row row = make_row(candidate.name, 0, work(variant.problem, variant.precision), outcome);
      row.process = tools_.ledger.rows().process();
      return row;
    };
    const RowGuard guard(tools_.crash, tools_.backend.name(), "at " + candidate.name,
                         [&](std::string_view reason) { return row_of(lost(reason)); });
    const Outcome outcome = caught([&] { return heats(candidate); });
    if (outcome.engine_lost) tools_.ledger.keep(row_of(outcome), outcome);
    if (outcome.status == Status::ok) {
      works_.insert(candidate.name);
    } else {
      ++tools_.count.without_time[outcome.status];
    }
  }

  /// Times one candidate as long as the race wants it to.
  Outcome heats(const NamedVariant& candidate) {
    const Way way = tools_.backend.way(candidate.variant);
    const auto primitive = make_alone(way, tools_.backend.allocator());
    const Verification checked =
        verify_before_timing(*primitive, candidate.variant, way.traits, tools_.verifier);
    if (checked.mismatch) return refused(Status::incorrect, *checked.mismatch);
    const MeasureOptions& options = tools_.options.measure;
    Stopwatch& stopwatch = tools_.backend.stopwatch();
    if (!options.cold && !race_.may_start(first_seconds(*primitive, stopwatch))) {
      return {.status = Status::ok};
    }
    const std::vector<Heat>& all = race_.rules().heats;
    for (std::size_t heat = 0; heat < all.size(); ++heat) {
      const Outcome timed =
          measure(*primitive, stopwatch, options_of(all[heat], options, race_.best_seconds()));
      const double seconds = *std::ranges::min_element(timed.samples);
      if (!race_.goes_on(candidate.name, heat, seconds)) break;
    }
    return {.status = Status::ok};
  }

  /// Of two calls if the first is too slow: it may have had something to load.
  double first_seconds(Primitive& primitive, Stopwatch& stopwatch) const {
    const double seconds = stopwatch.time(primitive, 1);
    return race_.may_start(seconds) ? seconds : std::min(seconds, stopwatch.time(primitive, 1));
  }

  /// Measures the first repetition, unless there is one; adds the variant to `kept` if it is ok.
  /// Returns whether it is.
  bool take(const NamedVariant& variant, std::vector<NamedVariant>& kept) {
    if (!tools_.ledger.goes_on()) return false;
    if (const Row* const before = tools_.ledger.rows().find(variant.name, 0);
        before != nullptr && before->status == Status::ok) {
      kept.push_back(variant);
      return true;
    }
    const auto& [row, outcome] = tools_.runner.take(variant, 0);
    const bool is_ok = tools_.ledger.keep(row, outcome) && row.status == Status::ok;
    if (is_ok) kept.push_back(variant);
    return is_ok;
  }

  /// Where nothing has a time: the first candidates, whose rows say why.
  std::vector<NamedVariant> reasons() {
    std::vector<NamedVariant> shown;
    for (const NamedVariant* const candidate : candidates_) {
      if (shown.size() >= most_reasons || !tools_.ledger.goes_on()) break;
      if (tools_.ledger.rows().find(candidate->name, 0) == nullptr) {
        const auto& [row, outcome] = tools_.runner.take(*candidate, 0);
        if (!tools_.ledger.keep(row, outcome)) break;
      }
      shown.push_back(*candidate);
    }
    return shown;
  }

  void note(const std::vector<NamedVariant>& kept) {
    const Facts facts{{tried_fact, static_cast<double>(known_.size())},
                      {kept_fact, static_cast<double>(kept.size())}};
    for (const NamedVariant& variant : kept) {
      tools_.ledger.store(with_facts(*tools_.ledger.rows().find(variant.name, 0), facts));
    }
  }

  Tools tools_;
  Candidates candidates_;
  Race race_;
  double spent_seconds_ = 0;
  Clock::time_point start_{};
  /// A deque, because the pointers to its elements must stay valid.
  std::deque<NamedVariant> proposed_;
  std::set<std::string> proposed_names_;
  std::map<std::string, const NamedVariant*> known_;
  /// Those that are correct.
  std::set<std::string> works_;
};

void look_ahead(Backend& backend, const Candidates& candidates) {
  LookAhead ahead(backend);
  for (const NamedVariant* const candidate : candidates) ahead.add(*candidate);
  if (!candidates.empty()) ahead.reach(*candidates.front());
}

/// What finished searches have kept, and the groups that are still to be searched.
std::pair<std::vector<NamedVariant>, Groups> sorted_out(std::span<const NamedVariant> candidates,
                                                        const ResultStore& store) {
  const auto finished = finished_searches(store);
  std::pair<std::vector<NamedVariant>, Groups> sorted;
  for (auto& [name, members] : groups_of(candidates)) {
    const auto own = finished.find(name);
    if (own == finished.end()) {
      sorted.second.push_back({name, std::move(members)});
      continue;
    }
    for (const Algorithm& algorithm : own->second) {
      sorted.first.push_back(with_algorithm(*members.front(), algorithm));
    }
  }
  return sorted;
}

}  // namespace

Found search(std::span<const NamedVariant> candidates, const SuiteOptions& options,
             Backend& backend, const Verifier& verifier, ResultStore& store,
             const InterruptGuard& interrupt) {
  const Clock::time_point start = Clock::now();
  auto [variants, groups] = sorted_out(candidates, store);
  Ledger ledger(store, interrupt,
                tally_at_start(variants, store, options.place.until(options.repetitions)));
  CrashGuard crash(store.journal_descriptor());
  GuardedRunner runner(backend, verifier, options.measure, crash, ledger);
  SearchTally count;
  Progress progress(std::ssize(groups));
  for (std::size_t index = 0; index < groups.size() && ledger.goes_on();) {
    const std::string question = question_of(parse_variant_name(groups[index].first));
    std::deque<GroupSearch> layouts;
    double best = infinite;
    for (;
         index < groups.size() && question == question_of(parse_variant_name(groups[index].first));
         ++index) {
      progress.show(static_cast<std::int64_t>(index), "search: " + groups[index].first);
      ++count.searches;
      layouts.emplace_back(Tools{backend, verifier, options, crash, ledger, runner, count},
                           groups[index].second);
      layouts.back().race();
      best = std::min(best, layouts.back().best_seconds().value_or(infinite));
    }
    for (GroupSearch& one : layouts) one.explore(best);
    // Their plans are made while the finalists are measured.
    if (index < groups.size()) look_ahead(backend, groups[index].second);
    for (GroupSearch& one : layouts) std::ranges::move(one.keep(), std::back_inserter(variants));
  }
  Found found{std::move(variants), ledger.tally()};
  found.tally.asked = std::ssize(found.variants);
  count.seconds = seconds_since(start);
  found.tally.search = std::move(count);
  return found;
}

bool search_survives_loss(const SuiteOptions& options, const Backend& backend) {
  return options.selection.algorithms == AlgorithmSet::search && !options.out.empty() &&
         backend.can_start_again();
}

}  // namespace benanza::harness
