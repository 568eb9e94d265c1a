#include "analysis/model/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/model/fusion.h"
#include "analysis/model/joined_tensors.h"
#include "analysis/model/plan_memory.h"
#include "analysis/model/plan_obstacles.h"
#include "analysis/model/planned_calls.h"
#include "analysis/model/planned_tensors.h"
#include "analysis/model/strided_reads.h"
#include "core/base/error.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

class Planner {
 public:
  Planner(const Graph& graph, const DataFlow& flow, const std::vector<PlannedWork>& work,
          Precision precision, const ConversionCosts& costs, const std::set<std::size_t>& apart)
      : graph_(graph),
        flow_(flow_of(graph, flow)),
        precision_(precision),
        costs_(costs),
        places_(flow, precision, plan_),
        prepared_(prepared_layers(graph, flow)),
        readers_(flow, work),
        operands_(flow, prepared_, places_, plan_) {
    plan_.model = graph.model;
    plan_.metadata = graph.metadata;
    plan_.batch = graph.batch;
    plan_.precision = to_string(precision);
    for (JoinedTensor& joined : joined_tensors(flow, prepared_, work, precision, apart)) {
      for (const JoinedTensor::Part& part : joined.parts) {
        if (part.in_place) places_.put_into(part.tensor, joined.whole, part.first);
      }
      const std::size_t layer = joined.layer;
      to_join_.emplace(layer, std::move(joined));
    }
  }

  /// The layers whose concatenation had better be a call (choose_calls()).
  const std::vector<std::size_t>& better_apart() const { return better_apart_; }

  Plan run(const std::vector<PlannedWork>& work) {
    for (const PlannedWork& one : work) add(one);
    if (!obstacles_.empty()) throw obstacles_.error(graph_.model);
    if (plan_.steps.empty()) throw Error(graph_.model + ": no plan: no layer needs a call");
    set_lifetimes();
    better_apart_ = choose_calls(plan_, places_, candidates_, joins_, precision_, costs_);
    plan_.arena_bytes = place_buffers(plan_.buffers);
    return std::move(plan_);
  }

 private:
  static const DataFlow& flow_of(const Graph& graph, const DataFlow& flow) {
    if (flow.layers.size() != graph.layers.size() || flow.fusions.size() != graph.fusions.size()) {
      throw Error(graph.model + ": the flow file is of another graph: generate both again");
    }
    return flow;
  }

  void add(const PlannedWork& work) {
    const std::size_t last = work.layers.back();
    const Layer& layer = graph_.layers[last];
    if (work.time.status == LayerStatus::free) return;
    if (prepared_[last]) {
      plan_.prepared.push_back(layer.name);
      plan_.prepared_seconds += work.time.seconds.value_or(0);
      return;
    }
    if (const auto found = to_join_.find(last); found != to_join_.end()) {
      return add_join(work, found->second);
    }
    if (work.time.calls.empty()) {
      const bool known = work.time.status == LayerStatus::unsupported && !layer.reason.empty();
      return obstacles_.add(layer.name, known ? layer.reason : "nothing measured does it");
    }
    const FlowLayer& made = flow_.layers[last];
    const std::vector<FlowCall>& calls = calls_of(flow_, work);
    if (calls.empty()) return obstacles_.add(layer.name, "what its call reads is not known");
    if (work.fusion && calls.size() == 1 && work.time.calls.size() == 1) {
      if (made.outputs.empty()) return obstacles_.add(layer.name, "nobody reads its result");
      return add_step(work, 0, calls.front(), {made.outputs.front()}, {});
    }
    if (calls.size() != work.time.calls.size()) {
      return obstacles_.add(layer.name, "its calls are not those of the flow file");
    }
    std::vector<std::size_t> inner;
    for (std::size_t index = 0; index < calls.size(); ++index) {
      add_call(work, calls, index, inner);
    }
  }

  void add_join(const PlannedWork& work, const JoinedTensor& joined) {
    places_.place(joined.whole, 0);
    for (const JoinedTensor::Part& part : joined.parts) places_.place(part.tensor, 0);
    joins_.push_back({.joined = joined, .before_step = plan_.steps.size()});
    if (work.candidates.size() == 1) joins_.back().calls = work.candidates.front();
  }

  /// `inner`: the results of the layer's calls so far, which are the first of `calls`.
  void add_call(const PlannedWork& work, const std::vector<FlowCall>& calls, std::size_t index,
                std::vector<std::size_t>& inner) {
    const FlowLayer& made = flow_.layers[work.layers.back()];
    const FlowCall& call = calls[index];
    const Problem problem = parse(call.problem);
    const std::vector<Dims> parts = benanza::results(problem);
    if (const auto copied = whole_copy(made, calls, index, inner)) {
      if (is_part_in_place(*copied, inner)) return;
      if (is_read_in_strides(*copied, work, calls, index, inner)) return;
    }
    std::vector<std::size_t> results;
    if (call.into) {
      if (!is_callers(*call.into) || call.output >= made.outputs.size()) {
        return obstacles_.add(graph_.layers[work.layers.back()].name,
                              "adds to a tensor that another layer makes");
      }
      places_.make_part(made.outputs[call.output], *call.into, 0);
    }
    const bool continues = call.part && index > 0 && calls[index - 1].part;
    if (continues && inner[index - 1] >= flow_.tensors.size()) {
      results.push_back(inner[index - 1]);
    } else if (is_read_inside(calls, index) && call.output > 0 &&
               call.output < made.outputs.size()) {
      // An output that the layer reads itself: a cache that has grown.
      results.push_back(made.outputs[call.output]);
    } else if (is_read_inside(calls, index)) {
      results.push_back(plan_.tensors.size());
      plan_.tensors.push_back({.type = "float", .shape = parts.front()});
    } else {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        if (call.output + part >= made.outputs.size()) break;
        results.push_back(made.outputs[call.output + part]);
      }
    }
    if (results.empty()) {
      return obstacles_.add(graph_.layers[work.layers.back()].name, "nobody reads its result");
    }
    inner.push_back(results.front());
    add_step(work, index, call, results, inner);
  }

  std::optional<CopiedTensor> whole_copy(const FlowLayer& made, const std::vector<FlowCall>& calls,
                                         std::size_t index, const std::vector<std::size_t>& inner) {
    const FlowCall& call = calls[index];
    const Problem problem = parse(call.problem);
    const auto* const copy = std::get_if<Copy>(&problem.shape);
    if (copy == nullptr || call.part || call.proxy || call.to_offset != 0 || call.into) return {};
    CopiedTensor found{.moved = copy->canonical()};
    if (!is_read_inside(calls, index)) {
      if (call.output >= made.outputs.size()) return {};
      found.result = made.outputs[call.output];
      if (places_.is_put(*found.result)) return {};
      const auto& shape = plan_.tensors[*found.result].shape;
      if (!shape || element_count(*shape) != found.moved.moved_elements()) return {};
    } else if (call.output > 0 && call.output < made.outputs.size()) {
      return {};
    }
    const FlowOperand& operand = call.operands.front();
    const bool is_call = operand.kind == FlowOperand::Kind::call;
    if (!is_call && operand.kind != FlowOperand::Kind::tensor) return {};
    found.source = is_call ? inner.at(operand.index) : operand.index;
    const std::string& type = plan_.tensors[found.source].type;
    if (places_.is_constant(found.source) || !is_float(type) || strided_.contains(found.source)) {
      return {};
    }
    places_.place(found.source, 0);
    found.from = call.from_offset + operand.first;
    found.first = plan_.tensors[found.source].offset + found.from;
    found.element_bytes = planned_element_bytes(type, precision_);
    return found;
  }

  /// A copy of elements that lie together needs no step: whoever reads its result reads a part of
  /// what it copies, if that is as aligned as the libraries' own tensors.
  bool is_part_in_place(const CopiedTensor& copied, std::vector<std::size_t>& inner) {
    constexpr std::int64_t alignment_bytes = 16;
    const Copy& moved = copied.moved;
    const bool is_dense = moved.dims.size() == 1 && moved.from[0] == 1 && moved.to[0] == 1;
    if (!copied.result || !is_dense || copied.first * copied.element_bytes % alignment_bytes != 0) {
      return false;
    }
    places_.make_part(*copied.result, copied.source, copied.from);
    inner.push_back(*copied.result);
    return true;
  }

  /// Nor does one whose readers take strides, if what that costs them is less than the copy.
  bool is_read_in_strides(const CopiedTensor& copied, const PlannedWork& work,
                          const std::vector<FlowCall>& calls, std::size_t index,
                          std::vector<std::size_t>& inner) {
    if (copied.result && is_callers_result(*copied.result)) return false;
    const std::vector<PlanReader> readers =
        copied.result ? readers_.of(*copied.result) : PlanReaders::of_call(work, calls, index);
    double lost = 0;
    for (const PlanReader& reader : readers) {
      if (prepared_[reader.work->layers.back()]) return false;
      const auto read = strided_read(reader, copied);
      if (!read) return false;
      lost += read->lost_seconds;
    }
    if (readers.empty() || lost > work.time.calls[index]->seconds()) return false;
    const std::size_t result = copied.result.value_or(plan_.tensors.size());
    if (!copied.result) plan_.tensors.push_back({.type = "float"});
    plan_.tensors[result].part_of = places_.whole_of(copied.source);
    strided_.emplace(result, copied);
    inner.push_back(result);
    return true;
  }

  bool is_callers_result(std::size_t tensor) const {
    return std::ranges::any_of(
        flow_.results, [&](std::size_t result) { return places_.original(result) == tensor; });
  }

  static bool is_read_inside(const std::vector<FlowCall>& calls, std::size_t index) {
    return std::ranges::any_of(calls, [&](const FlowCall& call) {
      return std::ranges::any_of(call.operands, [&](const FlowOperand& operand) {
        return operand.kind == FlowOperand::Kind::call && operand.index == index;
      });
    });
  }

  /// The work's call `index`.
  void add_step(const PlannedWork& work, std::size_t index, FlowCall call,
                std::vector<std::size_t> results, const std::vector<std::size_t>& inner) {
    const Measurement& measured = *work.time.calls[index];
    const std::string& name = graph_.layers[work.layers.back()].name;
    if (call.problem != measured.variant.key) {
      return obstacles_.add(name, "its calls are not those of the flow file");
    }
    if (parse(call.problem).packed) {
      return obstacles_.add(name, "multiplies by packed weights, which plans do not read yet");
    }
    if (call.proxy && !call.gather) {
      return obstacles_.add(name, "its call stands for its work, and does not make its result");
    }
    const std::string& made = plan_.tensors[results.front()].type;
    if (!made.empty() && !is_float(made) && made != "bool") {
      return obstacles_.add(name, "makes " + made);
    }
    const Problem problem = parse(call.problem);
    std::vector<const Measurement*> candidates = work.candidates[index];
    for (std::size_t at = 0; at < call.operands.size(); ++at) {
      FlowOperand& operand = call.operands[at];
      if (operand.kind == FlowOperand::Kind::call) {
        operand.kind = FlowOperand::Kind::tensor;
        operand.index = inner[operand.index];
      }
      if (operand.kind == FlowOperand::Kind::tensor) {
        const auto view = strided_.find(places_.original(operand.index));
        if (view != strided_.end()) {
          StridedRead read = strided_read({&work, index, &call, at}, view->second).value();
          operand.index = view->second.source;
          operand.offset = view->second.from;
          operand.strides = std::move(read.strides);
          candidates = std::move(read.candidates);
        }
      }
      if (const std::string found = operands_.obstacle(call, problem, at); !found.empty()) {
        return obstacles_.add(name, found);
      }
      if (operand.kind != FlowOperand::Kind::tensor || places_.is_constant(operand.index)) continue;
      places_.place(operand.index, 0);
    }
    std::int64_t behind = 0;
    const std::vector<Dims> parts = benanza::results(problem);
    const std::size_t buffer =
        places_.place(results.front(), call.to_offset + written_span(problem));
    for (std::size_t part = 1; part < results.size(); ++part) {
      behind += element_count(parts[part - 1]);
      plan_.tensors[results[part]].buffer = buffer;
      plan_.tensors[results[part]].offset = behind;
    }
    PlanStep step{.work = std::move(call), .results = std::move(results)};
    for (const std::size_t layer : work.layers) step.layers.push_back(graph_.layers[layer].name);
    plan_.steps.push_back(std::move(step));
    candidates_.push_back(std::move(candidates));
  }

  static std::int64_t written_span(const Problem& problem) {
    std::int64_t elements = 0;
    for (const Dims& dims : benanza::results(problem)) elements += element_count(dims);
    return elements;
  }

  /// The tensors that the steps read and no layer makes, and those that the caller reads.
  void set_lifetimes() {
    const std::size_t end = plan_.steps.size() - 1;
    std::set<std::size_t> inputs;
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> lives;
    const auto use = [&](std::size_t tensor, std::size_t step) {
      if (!plan_.tensors[tensor].buffer) return;
      const auto [found, is_new] =
          lives.try_emplace(*plan_.tensors[tensor].buffer, std::pair{step, step});
      found->second.first = std::min(found->second.first, step);
      found->second.second = std::max(found->second.second, step);
    };
    for (std::size_t step = 0; step <= end; ++step) {
      for (const FlowOperand& operand : plan_.steps[step].work.operands) {
        if (operand.kind != FlowOperand::Kind::tensor) continue;
        use(operand.index, step);
        const std::size_t seen = places_.whole_of(operand.index);
        if (seen < flow_.tensors.size() && is_callers(seen)) inputs.insert(seen);
      }
      for (const std::size_t result : plan_.steps[step].results) use(result, step);
    }
    for (const PlannedJoin& join : joins_) {
      for (const JoinedTensor::Part& part : join.joined.parts) {
        const std::size_t seen = places_.whole_of(part.tensor);
        if (seen < flow_.tensors.size() && is_callers(seen)) inputs.insert(seen);
      }
    }
    for (const std::size_t input : inputs) {
      use(input, 0);
      use(input, end);
    }
    for (const std::size_t result : flow_.results) {
      if (places_.is_constant(result) || !is_float(plan_.tensors[result].type)) continue;
      places_.place(result, 0);
      use(result, end);
      plan_.results.push_back(result);
    }
    // What has to be copied to its place may be needed as long as the whole.
    for (const PlannedJoin& join : joins_) {
      const auto whole = lives.find(plan_.tensors[join.joined.whole].buffer.value());
      if (whole == lives.end()) continue;
      const std::size_t last = whole->second.second;
      for (const JoinedTensor::Part& part : join.joined.parts) use(part.tensor, last);
    }
    for (const auto& [buffer, life] : lives) {
      plan_.buffers[buffer].first = life.first;
      plan_.buffers[buffer].last = life.second;
    }
    plan_.inputs.assign(inputs.begin(), inputs.end());
  }

  /// No step makes it.
  bool is_callers(std::size_t tensor) const {
    const auto& layer = flow_.tensors[tensor].layer;
    return layer ? prepared_[*layer] : !places_.is_constant(tensor);
  }

  const Graph& graph_;
  const DataFlow& flow_;
  Precision precision_;
  ConversionCosts costs_;
  Plan plan_;
  PlannedTensors places_;
  /// Layers.
  std::vector<bool> prepared_;
  PlanReaders readers_;
  /// By the tensor that nobody makes, since its readers take strides.
  std::map<std::size_t, CopiedTensor> strided_;
  /// Concatenations without a step: by layer, and in order.
  std::map<std::size_t, JoinedTensor> to_join_;
  std::vector<PlannedJoin> joins_;
  std::vector<std::size_t> better_apart_;
  PlannedOperands operands_;
  /// Of each step.
  std::vector<std::vector<const Measurement*>> candidates_;
  PlanObstacles obstacles_;
};

}  // namespace

Plan make_plan(const Graph& graph, const DataFlow& flow, const std::vector<PlannedWork>& work,
               Precision precision, const ConversionCosts& costs) {
  std::set<std::size_t> apart;
  for (;;) {
    Planner planner(graph, flow, work, precision, costs, apart);
    Plan plan = planner.run(work);
    if (planner.better_apart().empty()) return plan;
    apart.insert(planner.better_apart().begin(), planner.better_apart().end());
  }
}

}  // namespace benanza::analysis
