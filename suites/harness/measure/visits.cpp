#include "suites/harness/measure/visits.h"

#include <algorithm>
#include <stdexcept>

#include "suites/harness/deadline.h"

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

}  // namespace benanza::harness
