#include "suites/harness/outcome.h"

#include "core/base/text.h"

namespace benanza::harness {

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& more) {
  create += more.create;
  check += more.check;
  warm_up += more.warm_up;
  between += more.between;
  ahead += more.ahead;
  in_vain += more.in_vain;
  return *this;
}

std::string one_line(std::string_view text) {
  std::string line;
  bool gap = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t' || c == ' ') {
      gap = true;
      continue;
    }
    if (gap && !line.empty()) line += ' ';
    gap = false;
    line += c;
  }
  return line.empty() ? "no reason given" : line;
}

Row make_row(std::string_view name, std::int64_t repetition, const Work& work,
             const Outcome& outcome) {
  Row row{.variant = parse_variant_name(name),
          .repetition = repetition,
          .status = outcome.status,
          .reason = outcome.reason,
          .flops = finite(work.flops),
          .bytes = finite(static_cast<double>(work.bytes())),
          .engine_lost = outcome.engine_lost,
          .over_limit = outcome.over_limit};
  const auto add_facts = [&] {
    for (const auto& [fact, value] : outcome.facts) add_fact(row, fact, value);
  };
  if (outcome.status != Status::ok) {
    add_facts();
    return row;
  }
  row.disturbed = text::join(outcome.disturbances, ", ");
  row.samples = outcome.samples;
  row.workspace_bytes = outcome.workspace_bytes;
  row.calls_per_sample = outcome.calls_per_sample;
  row.timed_seconds = finite(outcome.timed_seconds);
  row.stopped_by = outcome.stopped_by;
  row.measured_again = outcome.measured_again;
  row.first_choice = outcome.first_choice;
  row.data = outcome.data;
  add_facts();
  if (row.is_disturbed()) row.company = outcome.company;
  return row;
}

bool settled(const Row& row) {
  return (row.status == Status::unsupported && !row.over_limit) || row.engine_lost;
}

bool outclassed(const Row& row) {
  return row.status == Status::ok && row.stopped_by == stopped_by_rival;
}

Row with_facts(Row row, const Facts& facts) {
  replace_facts(row, facts);
  return row;
}

}  // namespace benanza::harness
