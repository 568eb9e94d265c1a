#include "core/plan_file/plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/graph_file/data_flow_mapping.h"

namespace benanza {

template <class Io>
void map(Io& io, JoinedPart& part) {
  io("tensor", part.tensor);
  io("first", part.first);
  io("format", part.format);
}

template <class Io>
void map(Io& io, PlanTensor& tensor) {
  io("name", tensor.name);
  io("type", tensor.type);
  io.optional("shape", tensor.shape);
  io.optional("buffer", tensor.buffer);
  io("offset", tensor.offset);
  io("hides", tensor.hides);
  io.optional("part_of", tensor.part_of);
  io.each("joins", tensor.joins);
  io("joined_format", tensor.joined_format);
}

template <class Io>
void map(Io& io, PlanBuffer& buffer) {
  io("elements", buffer.elements);
  io("bytes", buffer.bytes);
  io("offset", buffer.offset);
  io("first", buffer.first);
  io("last", buffer.last);
}

template <class Io>
void map(Io& io, PlanStep& step) {
  io("layers", step.layers);
  io("call", step.call);
  io("seconds", step.seconds);
  io.inner("work", step.work);
  io("results", step.results);
}

template <class Io>
void map(Io& io, PlanConversion& conversion) {
  io("before_step", conversion.before_step);
  io("tensor", conversion.tensor);
  io("from", conversion.from);
  io("to", conversion.to);
  io("seconds", conversion.seconds);
}

template <class Io>
void map(Io& io, Plan& plan) {
  io("model", plan.model);
  io.optional("batch", plan.batch);
  io("precision", plan.precision);
  io("metadata", plan.metadata);
  io("systems", plan.systems);
  io("fused", plan.fused, true);
  io("by_heuristic", plan.by_heuristic);
  io("arena_bytes", plan.arena_bytes);
  io("seconds", plan.seconds);
  io("gap_seconds", plan.gap_seconds);
  io("inputs", plan.inputs);
  io("results", plan.results);
  io.each("tensors", plan.tensors);
  io.each("buffers", plan.buffers);
  io.each("steps", plan.steps);
  io.each("conversions", plan.conversions);
  io("prepared", plan.prepared);
  io("prepared_seconds", plan.prepared_seconds);
}

namespace {

using nlohmann::ordered_json;

std::string step_name(const Plan& plan, std::size_t step) {
  return "step " + std::to_string(step + 1) + " (" + plan.steps[step].call + ")";
}

bool overlap_in_time(const PlanBuffer& a, const PlanBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

bool overlap_in_place(const PlanBuffer& a, const PlanBuffer& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::string contradiction_of_buffers(const Plan& plan) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const PlanBuffer& one = plan.buffers[i];
    if (one.elements < 0 || one.bytes < 0 || one.offset < 0 || one.first > one.last ||
        one.offset > plan.arena_bytes - one.bytes) {
      return "buffer " + std::to_string(i) + " is not in the arena";
    }
    for (std::size_t j = 0; j < i; ++j) {
      const PlanBuffer& other = plan.buffers[j];
      if (overlap_in_time(one, other) && overlap_in_place(one, other)) {
        return "buffers " + std::to_string(j) + " and " + std::to_string(i) +
               " share memory while both are needed";
      }
    }
  }
  return {};
}

class StepCheck {
 public:
  explicit StepCheck(const Plan& plan) : plan_(plan) {}

  std::string run() {
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      std::string found = check(step);
      if (!found.empty()) return step_name(plan_, step) + ' ' + found;
    }
    for (const std::size_t result : plan_.results) {
      const PlanTensor& tensor = plan_.tensors[result];
      if (!tensor.buffer || !is_written(result)) return "no step makes the result " + tensor.name;
    }
    return {};
  }

 private:
  /// The buffer and the first element, which views share.
  using Place = std::pair<std::size_t, std::int64_t>;

  std::string check(std::size_t step) {
    const PlanStep& one = plan_.steps[step];
    for (const FlowOperand& operand : one.work.operands) {
      if (operand.kind == FlowOperand::Kind::call) return "reads a call";
      if (operand.kind != FlowOperand::Kind::tensor) continue;
      const PlanTensor& tensor = plan_.tensors[operand.index];
      if (!tensor.buffer) continue;
      if (!is_alive(operand.index, step)) return "reads what is not there: " + tensor.name;
      if (!is_written(operand.index)) return "reads what no step has written: " + tensor.name;
    }
    for (const std::size_t result : one.results) {
      const PlanTensor& tensor = plan_.tensors[result];
      if (!tensor.buffer || !is_alive(result, step))
        return "writes what is not there: " + tensor.name;
      written_.insert(place_of(tensor));
    }
    return {};
  }

  static Place place_of(const PlanTensor& tensor) { return {*tensor.buffer, tensor.offset}; }

  /// With all that has to be copied to its place.
  bool is_alive(std::size_t index, std::size_t step) const {
    const PlanTensor& tensor = plan_.tensors[index];
    const PlanBuffer& buffer = plan_.buffers[*tensor.buffer];
    return buffer.first <= step && step <= buffer.last &&
           (!tensor.part_of || is_alive(*tensor.part_of, step)) &&
           std::ranges::all_of(tensor.joins,
                               [&](const JoinedPart& part) { return is_alive(part.tensor, step); });
  }
  bool is_written(std::size_t index) const {
    const PlanTensor& tensor = plan_.tensors[index];
    if (!tensor.joins.empty()) {
      return std::ranges::all_of(tensor.joins,
                                 [&](const JoinedPart& part) { return is_written(part.tensor); });
    }
    if (written_.contains(place_of(tensor))) return true;
    if (tensor.part_of) return is_written(*tensor.part_of);
    return std::ranges::any_of(plan_.inputs, [&](std::size_t input) {
      return plan_.tensors[input].buffer == tensor.buffer;
    });
  }

  const Plan& plan_;
  std::set<Place> written_;
};

/// Its parts make up the whole one after the other, and have buffers.
bool joins_parts(const Plan& plan, const PlanTensor& whole) {
  if (!whole.shape || !whole.buffer || whole.joins.size() < 2) return false;
  std::int64_t next = 0;
  for (const JoinedPart& part : whole.joins) {
    if (part.tensor >= plan.tensors.size() || part.first != next) return false;
    const PlanTensor& one = plan.tensors[part.tensor];
    if (!one.shape || !one.buffer || element_count(*one.shape) < 1) return false;
    next += element_count(*one.shape);
  }
  return next == element_count(*whole.shape);
}

/// The whole lies in the same buffer, not behind its part, if that has a place of its own, and is
/// no part itself.
bool has_part(const Plan& plan, const PlanTensor& part) {
  if (*part.part_of >= plan.tensors.size()) return false;
  const PlanTensor& whole = plan.tensors[*part.part_of];
  if (whole.part_of || !whole.buffer) return false;
  return !part.buffer || (whole.buffer == part.buffer && whole.offset <= part.offset);
}

bool names_what_there_is(const Plan& plan) {
  const auto has = [&](std::size_t tensor) { return tensor < plan.tensors.size(); };
  const auto has_all = [&](const std::optional<Statistics>& all) {
    return !all || (has(all->scale) && has(all->shift) && has(all->mean) && has(all->variance));
  };
  for (const PlanTensor& tensor : plan.tensors) {
    if (tensor.buffer && *tensor.buffer >= plan.buffers.size()) return false;
    if (tensor.part_of && !has_part(plan, tensor)) return false;
    if (!tensor.joins.empty() && !joins_parts(plan, tensor)) return false;
  }
  for (const PlanStep& step : plan.steps) {
    for (const FlowOperand& operand : step.work.operands) {
      if (operand.kind == FlowOperand::Kind::tensor && !has(operand.index)) return false;
      if (!has_all(operand.statistics)) return false;
    }
    for (const Fold& fold : step.work.folds) {
      if (!has(fold.tensor) || !has_all(fold.statistics)) return false;
    }
    if (!std::ranges::all_of(step.results, has)) return false;
  }
  return std::ranges::all_of(plan.inputs, has) && std::ranges::all_of(plan.results, has);
}

}  // namespace

bool is_index_type(std::string_view type) { return type == "int64" || type == "int32"; }

bool is_float(std::string_view type) {
  return type == "float" || type == "float16" || type == "bfloat16" || type == "double";
}

std::int64_t planned_element_bytes(std::string_view type, Precision precision) {
  if (type == "int64") return 8;
  if (type == "int32") return 4;
  return element_bytes(precision);
}

std::int64_t element_bytes_of(const Plan& plan, std::size_t tensor) {
  const auto precision = parse_precision(plan.precision);
  if (!precision) throw Error(plan.model + ": the plan has an unknown precision");
  return planned_element_bytes(plan.tensors.at(tensor).type, *precision);
}

bool is_in_place(const Plan& plan, std::size_t whole, const JoinedPart& part) {
  const PlanTensor& place = plan.tensors.at(whole);
  const PlanTensor& one = plan.tensors.at(part.tensor);
  return one.buffer == place.buffer && one.offset == place.offset + part.first;
}

double conversion_seconds(const Plan& plan) {
  double seconds = 0;
  for (const PlanConversion& one : plan.conversions) seconds += one.seconds;
  return seconds;
}

std::string plan_json(const Plan& plan) {
  ordered_json document{{"schema", plan_schema}, {"command", "plan"}};
  document.update(ordered_json::parse(JsonWriter::written(plan)));
  return document.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

Plan read_plan(const std::filesystem::path& path) {
  const Document document(path, "a plan", "write it with benanza-analyze plan --out");
  return document.guard([&] {
    document.require_schema(document.root(), plan_schema);
    Plan plan = JsonReader::read<Plan>(document.root());
    if (plan.steps.empty()) throw document.error("has no step");
    if (const std::string found = contradiction_of(plan); !found.empty()) {
      throw document.error(found);
    }
    return plan;
  });
}

std::string contradiction_of(const Plan& plan) {
  if (!names_what_there_is(plan)) return "names a tensor or buffer that is not there";
  if (std::string found = contradiction_of_buffers(plan); !found.empty()) return found;
  return StepCheck(plan).run();
}

std::size_t SpareBlocks::take(std::int64_t bytes, std::size_t now, std::size_t last) {
  std::size_t best = blocks_.size();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].last >= now || blocks_[i].bytes < bytes) continue;
    if (best == blocks_.size() || blocks_[i].bytes < blocks_[best].bytes) best = i;
  }
  if (best == blocks_.size()) blocks_.push_back({.bytes = bytes});
  blocks_[best].last = last;
  return best;
}

std::int64_t SpareBlocks::bytes() const {
  std::int64_t sum = 0;
  for (const Block& block : blocks_) sum += block.bytes;
  return sum;
}

}  // namespace benanza
