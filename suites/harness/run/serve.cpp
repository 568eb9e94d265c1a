#include "suites/harness/run/serve.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "core/base/child.h"
#include "core/base/error.h"
#include "suites/harness/conditions/data_kind.h"
#include "suites/harness/deadline.h"
#include "suites/harness/run/queue.h"

namespace benanza::harness {

Visits::Visits(Primitive& primitive, Stopwatch& stopwatch, const MeasureOptions& options)
    : primitive_(&primitive), stopwatch_(stopwatch), options_(options) {
  options_.sample_seconds = std::min(options.sample_seconds, stopwatch.short_sample_seconds());
  // The very first call is slow, which does not mean that a call takes longer than a visit.
  MeasureOptions patient = options_;
  patient.budget_seconds = std::max(patient.budget_seconds, 0.1);
  calls_ = warm_up(primitive, stopwatch, patient);
}

void Visits::go_on_with(Primitive& primitive) {
  primitive_ = &primitive;
  warm_up(primitive, stopwatch_, options_);
}

double Visits::visit(std::int64_t calls) {
  constexpr std::size_t least_samples = 5;
  std::vector<double> samples;
  const auto time = [&] {
    // A batch is no longer than a call may be.
    const Deadline deadline(Deadline::of_a_call);
    return options_.cold ? stopwatch_.time_cold(*primitive_) : stopwatch_.time(*primitive_, calls);
  };
  // The caches hold the data of the other process, so the first batch only warms them up.
  double spent = options_.cold ? 0 : time();
  while (samples.size() < least_samples || spent < options_.budget_seconds) {
    const double seconds = time();
    spent += seconds;
    samples.push_back(seconds / static_cast<double>(calls));
  }
  const auto sixth = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 6);
  std::ranges::nth_element(samples, sixth);
  if (!(*sixth > 0)) throw std::runtime_error("the clock did not advance");
  outcome_.timed_seconds += spent;
  outcome_.calls_per_sample = calls;
  outcome_.samples.push_back(*sixth);
  return *sixth;
}

Outcome Visits::outcome() const {
  if (outcome_.samples.empty()) throw std::runtime_error("was not visited");
  Outcome outcome = outcome_;
  outcome.workspace_bytes = primitive_->workspace_bytes();
  outcome.facts = primitive_->facts();
  outcome.stopped_by = stopped_by_budget;
  outcome.status = Status::ok;
  return outcome;
}

namespace {

/// Formats a number so that it round-trips.
template <class Number>
std::string text(Number value) {
  std::array<char, 32> digits{};
  return {digits.begin(), std::to_chars(digits.begin(), digits.end(), value).ptr};
}

/// A variant between "begin" and "end".
class Guest {
 public:
  Guest(Backend& backend, const Verifier& verifier, const Variant& variant,
        const MeasureOptions& options)
      : backend_(backend), variant_(variant), verifier_(verifier) {
    outcome_ = caught([&] {
      return set_up([&] { visits_.emplace(*primitive_, backend.stopwatch(), options); });
    });
  }

  /// 0 if it cannot be timed.
  std::int64_t calls() const { return outcome_.status == Status::ok ? visits_->calls() : 0; }

  /// 0 if it failed.
  double visit(std::int64_t calls) {
    double seconds = 0;
    if (outcome_.status != Status::ok) return seconds;
    outcome_ = caught([&] {
      seconds = visits_->visit(calls);
      return Outcome{.status = Status::ok};
    });
    return seconds;
  }

  /// Sets up the variant again, elsewhere in memory. False if that failed.
  bool move() {
    if (outcome_.status != Status::ok) return false;
    outcome_ = caught([&] {
      primitive_.reset();
      backend_.move_operands();
      return set_up([&] { visits_->go_on_with(*primitive_); });
    });
    return outcome_.status == Status::ok;
  }

  Outcome end() {
    if (outcome_.status != Status::ok) return outcome_;
    return caught([&] {
      Outcome outcome = visits_->outcome();
      if (const auto mismatch = verify_after_timing(*primitive_, variant_, traits_, verifier_)) {
        return refused(Status::incorrect, *mismatch);
      }
      outcome.facts.merge(before_.facts);
      outcome.data = data_kind(variant_.problem, variant_.precision);
      return outcome;
    });
  }

 private:
  template <class Warm>
  Outcome set_up(const Warm& warm) {
    const Way way = backend_.way(variant_);
    traits_ = way.traits;
    primitive_ = make_alone(way, backend_.allocator());
    before_ = verify_before_timing(*primitive_, variant_, traits_, verifier_);
    if (before_.mismatch) return refused(Status::incorrect, *before_.mismatch);
    warm();
    return Outcome{.status = Status::ok};
  }

  Backend& backend_;
  const Variant& variant_;
  const Verifier& verifier_;
  Traits traits_;
  std::shared_ptr<Primitive> primitive_;
  Verification before_;
  std::optional<Visits> visits_;
  Outcome outcome_;
};

class Server {
 public:
  Server(std::span<const NamedVariant> variants, const SuiteOptions& options, Backend& backend,
         const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt)
      : variants_(variants),
        options_(options),
        backend_(backend),
        verifier_(verifier),
        store_(store),
        interrupt_(interrupt),
        crash_(store.journal_descriptor()),
        look_ahead_(backend) {
    for (const NamedVariant& variant : variants) {
      by_name_[variant.name] = &variant;
      look_ahead_.add(variant);
    }
  }

  Tally run() {
    tally_.asked = static_cast<std::int64_t>(variants_.size());
    std::string names;
    for (const NamedVariant& variant : variants_) names += variant.name + '\n';
    say(names);
    while (interrupt_.signal() == 0 && tally_.lost_at.empty()) {
      const std::optional<std::string> words = read_message(child_in);
      if (!words) break;
      say(answer(*words));
    }
    return tally_;
  }

 private:
  static void say(std::string_view words) { write_message(child_out, words); }

  std::string answer(std::string_view words) {
    constexpr std::string_view begin_word = "begin ";
    constexpr std::string_view visit_word = "visit ";
    if (words.starts_with(begin_word)) return begin(words.substr(begin_word.size()));
    if (words.starts_with(visit_word)) return visit(words.substr(visit_word.size()));
    if (words == "move") return text(guest_ && guest_->move() ? 1 : 0);
    if (words == "end") return end();
    throw Error('"' + std::string(words) + "\" is nothing that can be asked for");
  }

  std::string begin(std::string_view name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) throw Error(std::string(name) + ": is not to be measured");
    variant_ = found->second;
    look_ahead_.reach(*variant_);
    const auto words = [&](std::string_view what, Loss loss) {
      return CrashGuard::Words{row_text(row_of(lost(loss))),
                               "bench_" + std::string(backend_.name()) + ": " + std::string(what) +
                                   " at " + variant_->name};
    };
    crash_.expect(words("crashed", Loss::crashed), words("hung", Loss::hung));
    if (variant_->status != Status::ok) return text(0);
    guest_.emplace(backend_, verifier_, variant_->variant, options_.measure);
    return text(guest_->calls());
  }

  std::string visit(std::string_view calls) {
    std::int64_t count = 0;
    std::from_chars(calls.begin(), calls.end(), count);
    if (count < 1) throw Error(std::string(calls) + ": is no number of calls");
    return text(guest_ ? guest_->visit(count) : 0.0);
  }

  std::string end() {
    if (variant_ == nullptr) throw Error("nothing has begun that could end");
    Outcome outcome{.status = variant_->status, .reason = variant_->reason};
    if (guest_) outcome = guest_->end();
    if (variant_->first_choice) outcome.first_choice = true;
    guest_.reset();
    crash_.forget();
    tally_.add(outcome, variant_->name);
    store_.add(row_of(outcome));
    variant_ = nullptr;
    return std::string(to_string(outcome.status));
  }

  Row row_of(const Outcome& outcome) const {
    return make_row(variant_->name, 0, work(variant_->variant.problem, variant_->variant.precision),
                    outcome);
  }

  std::span<const NamedVariant> variants_;
  const SuiteOptions& options_;
  Backend& backend_;
  const Verifier& verifier_;
  ResultStore& store_;
  const InterruptGuard& interrupt_;
  CrashGuard crash_;
  LookAhead look_ahead_;
  Tally tally_;
  std::map<std::string, const NamedVariant*, std::less<>> by_name_;
  const NamedVariant* variant_ = nullptr;
  std::optional<Guest> guest_;
};

}  // namespace

Tally serve(std::vector<NamedVariant>& variants, const SuiteOptions& options, Backend& backend,
            const Verifier& verifier, ResultStore& store, const InterruptGuard& interrupt) {
  // The requesting process may be gone.
  ::signal(SIGPIPE, SIG_IGN);
  return Server(variants, options, backend, verifier, store, interrupt).run();
}

}  // namespace benanza::harness
