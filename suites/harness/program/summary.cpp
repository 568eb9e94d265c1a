#include "suites/harness/program/summary.h"

#include <iomanip>
#include <iostream>
#include <sstream>

#include "suites/harness/program/bench_main.h"

namespace benanza::harness {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string search_text(const SearchTally& search) {
  if (search.searches == 0) return {};
  std::ostringstream text;
  text << "; " << search.searches << (search.searches == 1 ? " search" : " searches") << " tried "
       << search.tried << " calls";
  std::string without;
  for (const auto& [status, count] : search.without_time) {
    without += (without.empty() ? "" : ", ") + std::to_string(count) + ' ' +
               std::string(to_string(status));
  }
  if (!without.empty()) text << " (" << without << ')';
  text << std::fixed << std::setprecision(1) << " in " << search.seconds << " s";
  return text.str();
}

}  // namespace

void print_summary(const Tally& tally, const RunPlace& place, double wall_seconds,
                   double asking_seconds) {
  std::ostringstream line;
  if (place.count > 1) line << "process " << place.number << " of " << place.count << ": ";
  const bool is_later = place.first.has_value();
  if (is_later) line << tally.asked - tally.measured_before << " of ";
  line << tally.asked << (tally.asked == 1 ? " variant: " : " variants: ");
  if (tally.measured_before > 0 && !is_later) {
    line << tally.measured_before << " measured before (--fresh measures them again); ";
  }
  line << tally.count(Status::ok) << " ok";
  std::string marks;
  if (tally.not_converged > 0) marks = std::to_string(tally.not_converged) + " noisy";
  if (tally.disturbed > 0) {
    marks += (marks.empty() ? "" : ", ") + std::to_string(tally.disturbed) + " disturbed";
  }
  if (!marks.empty()) line << " (" << marks << ')';
  for (const Status status : {Status::unsupported, Status::incorrect, Status::failed}) {
    line << ", " << tally.count(status) << ' ' << to_string(status);
  }
  line << std::fixed << std::setprecision(1) << "; " << wall_seconds << " s, "
       << tally.timed_seconds << " s (" << std::setprecision(0)
       << 100 * share(tally.timed_seconds, wall_seconds) << "%) inside timed regions";
  if (tally.timed_seconds > 0) {
    const PhaseSeconds& phases = tally.phases;
    line << std::setprecision(1) << "; " << asking_seconds << " s asking what there is, "
         << phases.create << " s making calls, " << phases.check << " s checking results, "
         << phases.warm_up << " s warming up, " << phases.between << " s between samples, "
         << phases.ahead << " s preparing the next, " << phases.in_vain
         << " s on variants without a time";
  }
  line << search_text(tally.search) << '\n';
  std::cerr << line.str();
}

void print_ctest_measurements(const Tally& tally, double wall_seconds) {
  const auto print = [](std::string_view name, double value) {
    std::cout << "<CTestMeasurement type=\"numeric/double\" name=\"" << name << "\">" << value
              << "</CTestMeasurement>\n";
  };
  for (const Status status : {Status::ok, Status::unsupported, Status::incorrect, Status::failed}) {
    print(to_string(status), static_cast<double>(tally.count(status)));
  }
  print("noisy", static_cast<double>(tally.not_converged));
  print("disturbed", static_cast<double>(tally.disturbed));
  print("measured_before", static_cast<double>(tally.measured_before));
  print("timed_share", share(tally.timed_seconds, wall_seconds));
  print("wall_seconds", wall_seconds);
}

int exit_status(const Tally& tally, int signal_number, const std::string& program) {
  const std::int64_t bad = tally.count(Status::incorrect) + tally.count(Status::failed);
  if (bad > 0) {
    std::cerr << program << ": " << bad << (bad == 1 ? " measurement is" : " measurements are")
              << " incorrect or failed, first " << tally.first_bad << '\n';
  }
  if (!tally.lost_at.empty()) {
    std::cerr << program << ": the device was lost at " << tally.lost_at
              << "; start again with the same flags to go on without it\n";
    return static_cast<int>(Exit::error);
  }
  if (signal_number != 0) {
    std::cerr << program << ": interrupted; start again with the same flags to continue\n";
    return 128 + signal_number;
  }
  return bad > 0 ? static_cast<int>(Exit::bad_rows) : 0;
}

int exit_status(std::size_t cases, const std::vector<std::string>& unexpected,
                const std::string& program) {
  for (const std::string& line : unexpected) std::cerr << program << ": " << line << '\n';
  std::cerr << program << ": " << cases - unexpected.size() << " of " << cases
            << (cases == 1 ? " case is" : " cases are") << " as expected\n";
  return unexpected.empty() ? 0 : static_cast<int>(Exit::bad_rows);
}

}  // namespace benanza::harness
