#include "suites/harness/run/group_search.h"

#include <algorithm>
#include <utility>

#include "core/problem/name.h"
#include "suites/harness/deadline.h"
#include "suites/harness/run/runner.h"

namespace benanza::harness {
namespace {

/// Of a search without a time.
constexpr std::size_t most_reasons = 3;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

NamedVariant with_algorithm(const NamedVariant& like, const Algorithm& algorithm) {
  NamedVariant other = like;
  VariantName name = parse_variant_name(like.name);
  name.algorithm = other.variant.algorithm = algorithm;
  other.name = to_string(name);
  other.status = Status::ok;
  other.reason.clear();
  return other;
}

/// Adds its lifetime to what the search has taken.
class GroupSearch::Lap {
 public:
  explicit Lap(GroupSearch& search) : search_(search) { search_.start_ = Clock::now(); }
  Lap(const Lap&) = delete;
  Lap& operator=(const Lap&) = delete;
  ~Lap() { search_.spent_seconds_ += seconds_since(search_.start_); }

 private:
  GroupSearch& search_;
};

GroupSearch::GroupSearch(SearchTools tools, Candidates candidates)
    : tools_(tools),
      candidates_(std::move(candidates)),
      race_(tools.options.race),
      look_ahead_(tools.backend) {
  add(candidates_);
}

bool GroupSearch::step(bool has_patience) {
  const Lap lap(*this);
  if (is_over()) waiting_.clear();
  const auto next = has_patience ? waiting_.begin() : first_ready();
  if (next == waiting_.end()) return false;
  const NamedVariant& candidate = **next;
  waiting_.erase(next);
  look_ahead_.reach(candidate);
  enter(candidate);
  return true;
}

bool GroupSearch::explore(double best_of_layouts) {
  const Lap lap(*this);
  explores_ = true;
  while (is_promising(best_of_layouts)) {
    const std::vector<std::string> parents = race_.take_parents();
    if (parents.empty()) return false;
    add(neighbours(parents));
    if (is_waiting()) return true;
  }
  return false;
}

std::vector<NamedVariant> GroupSearch::keep() {
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

bool GroupSearch::is_over() const {
  const auto& limit = tools_.options.measure.problem_seconds;
  const double all = std::min(race_.rules().most_seconds, limit.value_or(infinite));
  const double most = explores_ ? all : all * race_.rules().listed_share;
  return !tools_.ledger.goes_on() ||
         (race_.best_seconds() && spent_seconds_ + seconds_since(start_) > most);
}

void GroupSearch::add(const Candidates& candidates) {
  for (const NamedVariant* const candidate : candidates) look_ahead_.add(*candidate);
  waiting_.insert(waiting_.end(), candidates.begin(), candidates.end());
  if (is_waiting()) look_ahead_.reach(*waiting_.front());
}

Candidates::iterator GroupSearch::first_ready() {
  return std::ranges::find_if(waiting_, [&](const NamedVariant* const candidate) {
    return candidate->status != Status::ok || tools_.backend.is_ready(candidate->variant);
  });
}

bool GroupSearch::is_promising(double best_of_layouts) const {
  const auto best = race_.best_seconds();
  return best && !is_over() && known_.size() < race_.rules().most_candidates &&
         *best <= best_of_layouts * race_.rules().promising_by;
}

Candidates GroupSearch::neighbours(const std::vector<std::string>& parents) {
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

void GroupSearch::enter(const NamedVariant& candidate) {
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
                       [&](Loss loss) { return row_of(lost(loss)); });
  const Outcome outcome = caught([&] { return heats(candidate); });
  if (outcome.engine_lost) tools_.ledger.keep(row_of(outcome), outcome);
  if (outcome.status == Status::ok) {
    works_.insert(candidate.name);
  } else {
    ++tools_.count.without_time[outcome.status];
  }
}

Outcome GroupSearch::heats(const NamedVariant& candidate) {
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

double GroupSearch::first_seconds(Primitive& primitive, Stopwatch& stopwatch) const {
  const Deadline deadline(2 * Deadline::of_a_call);
  const double seconds = stopwatch.time(primitive, 1);
  return race_.may_start(seconds) ? seconds : std::min(seconds, stopwatch.time(primitive, 1));
}

bool GroupSearch::take(const NamedVariant& variant, std::vector<NamedVariant>& kept) {
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

std::vector<NamedVariant> GroupSearch::reasons() {
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

void GroupSearch::note(const std::vector<NamedVariant>& kept) {
  const Facts facts{{search_tried_fact, static_cast<double>(known_.size())},
                    {search_kept_fact, static_cast<double>(kept.size())}};
  for (const NamedVariant& variant : kept) {
    tools_.ledger.store(with_facts(*tools_.ledger.rows().find(variant.name, 0), facts));
  }
}

}  // namespace benanza::harness
