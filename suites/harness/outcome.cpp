#include "suites/harness/outcome.h"

#include <variant>

namespace benanza::harness {
namespace {

template <class T>
bool has(const Facts& facts, const std::string& name, const T& value) {
  const auto found = facts.find(name);
  if (found == facts.end()) return false;
  const T* held = std::get_if<T>(&found->second);
  return held != nullptr && *held == value;
}

}  // namespace

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& more) {
  create += more.create;
  check += more.check;
  warm_up += more.warm_up;
  between += more.between;
  ahead += more.ahead;
  in_vain += more.in_vain;
  return *this;
}

Row make_row(std::string_view name, std::int64_t repetition, const Work& work,
             const Outcome& outcome) {
  Row row{.variant = parse_variant_name(name),
          .repetition = repetition,
          .status = outcome.status,
          .reason = outcome.reason};
  add_fact(row.facts, "FLOPs", work.flops);
  add_fact(row.facts, "bytes", static_cast<double>(work.bytes()));
  if (outcome.engine_lost) add_fact(row.facts, "engine_lost", true);
  if (outcome.status != Status::ok) return row;
  if (!outcome.disturbances.empty()) {
    std::string all;
    for (const std::string& one : outcome.disturbances) all += (all.empty() ? "" : ", ") + one;
    add_fact(row.facts, "disturbed", all);
    add_fact(row.facts, "company", outcome.company);
  }
  row.samples = outcome.samples;
  row.workspace_bytes = outcome.workspace_bytes;
  add_fact(row.facts, "calls_per_sample", static_cast<double>(outcome.calls_per_sample));
  add_fact(row.facts, "timed_seconds", outcome.timed_seconds);
  add_fact(row.facts, "stopped_by", outcome.stopped_by);
  for (const auto& [fact, value] : outcome.facts) {
    if (const double* rank = std::get_if<double>(&value); rank && fact == "heuristic_rank") {
      row.heuristic_rank = static_cast<int>(*rank);
      continue;
    }
    std::visit([&, &key = fact](const auto& held) { add_fact(row.facts, key, held); }, value);
  }
  return row;
}

bool settled(const Row& row) {
  return row.status == Status::unsupported || has(facts_of(row), "engine_lost", true);
}

bool outclassed(const Row& row) {
  return row.status == Status::ok &&
         has(facts_of(row), "stopped_by", std::string(stopped_by_rival));
}

Row with_facts(Row row, const Facts& facts) {
  Facts all = facts_of(row);
  for (const auto& [name, value] : facts) all[name] = value;
  row.facts.clear();
  for (const auto& [name, value] : all) {
    std::visit([&, &key = name](const auto& held) { add_fact(row.facts, key, held); }, value);
  }
  return row;
}

}  // namespace benanza::harness
