#include "suites/harness/run/search.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "core/problem/name.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/run/fastest.h"
#include "suites/harness/run/group_search.h"

namespace benanza::harness {
namespace {

/// Candidates by their names without the algorithm.
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

/// The algorithms that finished searches have kept, by group.
std::map<std::string, std::vector<Algorithm>> finished_searches(const ResultStore& store) {
  std::map<std::string, std::vector<Algorithm>> kept;
  std::map<std::string, double> wanted;
  for (const Row& row : store.rows()) {
    if (row.repetition != 0 || row.facts.find(search_kept_fact) == std::string::npos) continue;
    const Facts facts = facts_of(row);
    const std::string group = group_of(row.variant);
    kept[group].push_back(row.variant.algorithm);
    wanted[group] = std::get<double>(facts.at(search_kept_fact));
  }
  std::erase_if(kept, [&](const auto& group) {
    return static_cast<double>(group.second.size()) < wanted.at(group.first);
  });
  return kept;
}

/// The searches of one problem and precision, in all layouts: first among what the backend lists,
/// then, where that is promising, among neighbours.
class QuestionSearch {
 public:
  void add(SearchTools tools, Candidates candidates) {
    layouts_.emplace_back(tools, std::move(candidates));
  }

  /// Nothing is left to be tried.
  bool is_done() {
    if (is_waiting()) return false;
    double best = infinite;
    for (const GroupSearch& one : layouts_) {
      best = std::min(best, one.best_seconds().value_or(infinite));
    }
    for (GroupSearch& one : layouts_) one.explore(best);
    return !is_waiting();
  }

  /// As GroupSearch's.
  bool step(bool has_patience) {
    return std::ranges::any_of(
        layouts_, [&](GroupSearch& one) { return one.is_waiting() && one.step(has_patience); });
  }

  void keep(std::vector<NamedVariant>& kept) {
    for (GroupSearch& one : layouts_) std::ranges::move(one.keep(), std::back_inserter(kept));
  }

 private:
  bool is_waiting() const { return std::ranges::any_of(layouts_, &GroupSearch::is_waiting); }

  /// A deque, because searches do not move.
  std::deque<GroupSearch> layouts_;
};

/// Several searches at a time: while one waits for what the backend prepares, others go on.
class Searches {
 public:
  Searches(SearchTools tools, Groups groups) : tools_(tools), groups_(std::move(groups)) {}

  /// What all of them keep.
  void run(std::vector<NamedVariant>& kept) {
    Progress progress(std::ssize(groups_));
    while (tools_.ledger.goes_on() && (!open_.empty() || begun_ < groups_.size())) {
      while (open_.size() < most_open && begun_ < groups_.size()) begin();
      progress.show(std::ssize(groups_) - std::ssize(open_) - unbegun(), "search: " + last_);
      if (!step()) open_.front().step(true);
      std::erase_if(open_, [&](QuestionSearch& one) {
        if (!one.is_done()) return false;
        one.keep(kept);
        return true;
      });
    }
  }

 private:
  static constexpr std::size_t most_open = 4;

  std::ptrdiff_t unbegun() const {
    return std::ssize(groups_) - static_cast<std::ptrdiff_t>(begun_);
  }

  /// The next problem, in all its layouts.
  void begin() {
    const auto question = [&] { return question_of(parse_variant_name(groups_[begun_].first)); };
    const std::string asked = question();
    last_ = groups_[begun_].first;
    QuestionSearch& made = open_.emplace_back();
    for (; begun_ < groups_.size() && question() == asked; ++begun_) {
      ++tools_.count.searches;
      made.add(tools_, groups_[begun_].second);
    }
  }

  bool step() {
    return std::ranges::any_of(open_, [](QuestionSearch& one) { return one.step(false); });
  }

  SearchTools tools_;
  Groups groups_;
  std::list<QuestionSearch> open_;
  std::size_t begun_ = 0;
  std::string last_;
};

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
  const auto start = std::chrono::steady_clock::now();
  auto [variants, groups] = sorted_out(candidates, store);
  Ledger ledger(store, interrupt,
                tally_at_start(variants, store, options.place.until(options.repetitions)));
  CrashGuard crash(store.journal_descriptor());
  GuardedRunner runner(backend, verifier, options.measure, crash, ledger);
  SearchTally count;
  Searches({backend, verifier, options, crash, ledger, runner, count}, std::move(groups))
      .run(variants);
  Found found{std::move(variants), ledger.tally()};
  found.tally.asked = std::ssize(found.variants);
  count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  found.tally.search = std::move(count);
  return found;
}

bool search_survives_loss(const SuiteOptions& options, const Backend& backend) {
  return options.selection.algorithms == AlgorithmSet::search && !options.out.empty() &&
         backend.can_start_again();
}

}  // namespace benanza::harness
