#include "analysis/profiles/onnxruntime/events.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/profiles/file/profile_file.h"

namespace benanza::analysis::onnxruntime {
namespace {

bool remove_prefix(std::string& text, std::string_view prefix) {
  if (!std::string_view(text).starts_with(prefix)) return false;
  text.erase(0, prefix.size());
  return true;
}

/// A node whose name was taken has a number at its end: "r_nchwc_token_7".
void remove_unique_part(std::string& name) {
  constexpr std::string_view word = "_nchwc_token_";
  const auto at = name.rfind(word);
  if (at == name.npos || at == 0) return;
  const std::string_view number = std::string_view(name).substr(at + word.size());
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return;
  name.erase(at);
}

constexpr std::string_view kernel_suffix = "_kernel_time";

/// Reads [{"float": [1, 3, 224, 224]}, ...]; a shape that is none of a tensor is skipped. `type` is
/// the first element's.
std::vector<Dims> shapes_of(const TraceEvent& event, std::string_view name, std::string* type) {
  std::vector<Dims> shapes;
  simdjson::dom::array rows;
  const auto argument = event.argument(name);
  if (!argument || argument->element().get(rows) != simdjson::SUCCESS) return shapes;
  for (const simdjson::dom::element row : rows) {
    simdjson::dom::object shape;
    if (row.get(shape) != simdjson::SUCCESS || shape.size() == 0) continue;
    const auto [key, value] = *shape.begin();
    simdjson::dom::array extents;
    if (value.get(extents) != simdjson::SUCCESS) continue;
    if (type != nullptr && type->empty()) *type = key;
    Dims& dims = shapes.emplace_back();
    for (const simdjson::dom::element extent : extents) {
      const auto number = EventValue(extent).integer();
      if (!number) throw JsonError("type must be number in " + std::string(name));
      dims.push_back(*number);
    }
  }
  return shapes;
}

double required(std::optional<double> value, const char* name) {
  if (!value) throw JsonError("key '" + std::string(name) + "' not found");
  return *value;
}

std::string required_text(const TraceEvent& event, std::string_view name) {
  const auto argument = event.argument(name);
  if (!argument) throw JsonError("key '" + std::string(name) + "' not found");
  const auto text = argument->text();
  return text ? std::string(*text) : argument->json();
}

/// Up to 1.10, a node's index had another name.
std::string_view index_name(const TraceEvent& event) {
  const bool is_older = !event.argument("node_index") && event.argument("graph_index");
  return is_older ? "graph_index" : "node_index";
}

/// Subtracts the time of the operators in a body from that of their If, Loop or Scan, which runs
/// them in its own thread. In the events, outer operators come before inner ones.
void take_bodies_out(Recorded& recorded) {
  std::map<Index, std::vector<Event*>> around_of;
  for (Event& event : recorded.events) {
    std::vector<Event*>& around = around_of[event.thread];
    while (!around.empty() && around.back()->end <= event.start) around.pop_back();
    if (!around.empty() && event.end <= around.back()->end) {
      around.back()->microseconds =
          std::max(0.0, around.back()->microseconds - (event.end - event.start));
    }
    if (recorded.ops[event.op].has_body()) around.push_back(&event);
  }
}

/// Removes what a file tells again that was merged with itself, and counts it.
void drop_told_twice(Recorded& recorded) {
  std::set<std::tuple<double, double, Index>> windows;
  const auto same_window = [&](const RunWindow& run) {
    return !windows.emplace(run.start, run.end, run.thread).second;
  };
  recorded.told_twice += std::erase_if(recorded.runs, same_window);
  // Sorted: those with the same times follow one another.
  std::set<std::pair<Index, Index>> seen;
  double start = 0;
  double end = 0;
  recorded.told_twice += std::erase_if(recorded.events, [&](const Event& event) {
    if (event.start != start || event.end != end) seen.clear();
    start = event.start;
    end = event.end;
    const bool has_time = event.end > event.start;
    return has_time && !seen.emplace(event.op, event.thread).second;
  });
}

/// Providers whose operators are done when they return.
bool is_of_processor(std::string_view provider) {
  return provider.empty() || provider == "CPUExecutionProvider" ||
         provider == "DnnlExecutionProvider" || provider == "XnnpackExecutionProvider";
}

class EventReader {
 public:
  Recorded read(const ProfileFile& document) {
    document.for_each_event([&](const TraceEvent& row) { add(row); });
    for (const auto& [op, number] : numbers_) recorded_.ops[number] = op;
    std::ranges::sort(recorded_.runs, {}, &RunWindow::start);
    const auto less = [](const Event& a, const Event& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    };
    if (!std::ranges::is_sorted(recorded_.events, less)) {
      std::ranges::stable_sort(recorded_.events, less);
    }
    drop_told_twice(recorded_);
    take_bodies_out(recorded_);
    return std::move(recorded_);
  }

 private:
  void add(const TraceEvent& row) {
    std::string name(row.name.value_or(""));
    if (name == "model_run") {
      const double start = required(row.start, "ts");
      recorded_.runs.push_back({start, start + required(row.duration, "dur"), thread_of(row)});
    }
    if (row.category != "Node") return;
    const std::string_view provider = row.text_argument("provider");
    if (!is_of_processor(provider)) recorded_.accelerators.emplace(provider);
    if (!remove_suffix(name, kernel_suffix)) return;
    const double start = required(row.start, "ts");
    double microseconds = required(row.duration, "dur");
    if (microseconds < 0) ++recorded_.negative;
    microseconds = std::max(0.0, microseconds);
    Operator op{.name = std::move(name),
                .index = required_text(row, index_name(row)),
                .op = required_text(row, "op_name")};
    op.inputs = shapes_of(row, "input_type_shape", &op.type);
    op.outputs = shapes_of(row, "output_type_shape", nullptr);
    recorded_.events.push_back({.start = start,
                                .end = start + microseconds,
                                .microseconds = microseconds,
                                .op = number_of(std::move(op)),
                                .thread = thread_of(row)});
  }

  Index number_of(Operator op) {
    const auto [found, added] =
        numbers_.try_emplace(std::move(op), static_cast<Index>(numbers_.size()));
    if (added) recorded_.ops.emplace_back();
    return found->second;
  }
  Index thread_of(const TraceEvent& row) {
    return threads_
        .try_emplace(
            (row.process ? row.process->json() : "") + '/' + (row.thread ? row.thread->json() : ""),
            static_cast<Index>(threads_.size()))
        .first->second;
  }

  Recorded recorded_;
  std::map<Operator, Index> numbers_;
  std::map<std::string, Index> threads_;
};

}  // namespace

bool remove_suffix(std::string& text, std::string_view suffix) {
  if (!std::string_view(text).ends_with(suffix) || text.size() == suffix.size()) return false;
  text.erase(text.size() - suffix.size());
  return true;
}

std::string replaced_tensor(const std::string& name) {
  std::string tensor = origin_of(name);
  const bool is_blocked = tensor.size() < name.size();
  if (is_blocked && (remove_suffix(tensor, "_bn") || remove_suffix(tensor, "_mul"))) return tensor;
  return "";
}

std::string origin_of(std::string name) {
  while (remove_prefix(name, "fused ")) {
  }
  remove_unique_part(name);
  while (remove_suffix(name, "_nchwc") || remove_suffix(name, "_nhwc") ||
         remove_suffix(name, "/MatMulAddFusion")) {
  }
  return name;
}

bool does_activation(std::string_view name) { return name.starts_with("fused "); }

bool does_next(std::string_view name) {
  return does_activation(name) || name.find("/MatMulAddFusion") != name.npos;
}

std::string onnx_op(std::string op) {
  remove_prefix(op, "Fused");
  remove_prefix(op, "Nhwc");
  return op;
}

Recorded read_events(const ProfileFile& document) { return EventReader().read(document); }

}  // namespace benanza::analysis::onnxruntime
