#include "analysis/profiles/kineto/trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace benanza::analysis::kineto {
namespace {

using nlohmann::json;

/// Identifies a thread by process and thread id, each of which is a number or a string.
std::string thread_of(const json& event) {
  return event.value("pid", json()).dump() + '/' + event.value("tid", json()).dump();
}

std::optional<std::int64_t> integer(const json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_number()) return std::nullopt;
  return found->get<std::int64_t>();
}

bool is_dims(const json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const json& extent) { return extent.is_number_integer(); });
}

std::vector<Argument> arguments_of(const json& args) {
  std::vector<Argument> arguments;
  const auto column = [&](const char* name) {
    const auto found = args.find(name);
    return found != args.end() && found->is_array() ? *found : json::array();
  };
  const json dims = column("Input Dims");
  const json types = column("Input type");
  const json values = column("Concrete Inputs");
  arguments.resize(std::max({dims.size(), types.size(), values.size()}));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i < dims.size() && is_dims(dims[i])) {
      arguments[i].dims = dims[i].get<Dims>();
    } else if (i < dims.size() && dims[i].is_array()) {
      for (const json& one : dims[i]) {
        if (is_dims(one)) arguments[i].list.push_back(one.get<Dims>());
      }
    }
    if (i < types.size() && types[i].is_string()) arguments[i].type = types[i].get<std::string>();
    if (i < values.size() && values[i].is_string()) {
      arguments[i].value = values[i].get<std::string>();
    }
  }
  return arguments;
}

/// A CUDA call that may launch work.
struct Launch {
  std::string thread{};
  double start = 0;
  std::string name{};
  std::optional<std::size_t> op{};
};

class Reader {
 public:
  Reader(const json& root, const Document& document) : root_(root), document_(document) {}

  Trace read() {
    const auto events = root_.find("traceEvents");
    if (events == root_.end() || !events->is_array()) throw document_.error("has no traceEvents");
    for (const json& event : *events) {
      if (event.is_object() && event.value("ph", "") == "X") read_event(event);
    }
    demand();
    order_ops();
    if (trace_.on_processor) {
      take_own_work();
    } else {
      take_gpu_work();
    }
    std::ranges::stable_sort(trace_.work,
                             [](const Work& a, const Work& b) { return a.start < b.start; });
    std::ranges::sort(trace_.steps);
    std::ranges::sort(trace_.waits);
    read_device();
    return std::move(trace_);
  }

 private:
  void read_event(const json& event) {
    const auto category = event.value("cat", "");
    const auto name = event.at("name").get<std::string>();
    const auto start = event.at("ts").get<double>();
    const double end = start + event.value("dur", 0.0);
    const json none = json::object();
    const auto found = event.find("args");
    const json& args = found != event.end() && found->is_object() ? *found : none;
    if (category == "cpu_op") {
      has_shapes_ = has_shapes_ || args.contains("Input Dims");
      ops_.push_back({{.name = name, .start = start, .end = end, .arguments = arguments_of(args)},
                      thread_of(event),
                      integer(args, "External id")});
    } else if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      if (!device_) device_ = integer(args, "device");
      work_.push_back({integer(args, "correlation"), integer(args, "External id"),
                       Work{.name = name, .start = start, .end = end}});
    } else if (category == "cuda_runtime" || category == "cuda_driver") {
      if (name.find("Synchronize") != std::string::npos) trace_.waits.push_back(start);
      if (const auto correlation = integer(args, "correlation")) {
        launches_[*correlation] = {.thread = thread_of(event), .start = start, .name = name};
      }
    } else if (category == "user_annotation" && name.starts_with("ProfilerStep")) {
      trace_.steps.emplace_back(start, end);
    }
  }

  void demand() {
    if (ops_.empty()) throw document_.error("has no operators: trace with ProfilerActivity.CPU");
    if (work_.empty() && !launches_.empty()) {
      throw document_.error("has no GPU work: run the model on a GPU, with ProfilerActivity.CUDA");
    }
    trace_.on_processor = work_.empty();
    if (!has_shapes_) throw document_.error("has no shapes: trace with record_shapes=True");
  }

  void order_ops() {
    std::ranges::stable_sort(ops_, [](const HostOp& a, const HostOp& b) {
      return a.op.start < b.op.start || (a.op.start == b.op.start && a.op.end > b.op.end);
    });
    std::map<std::string, std::vector<std::size_t>> open;
    for (std::size_t index = 0; index < ops_.size(); ++index) {
      HostOp& host = ops_[index];
      std::vector<std::size_t>& stack = open[host.thread];
      while (!stack.empty() && trace_.ops[stack.back()].end <= host.op.start) stack.pop_back();
      if (!stack.empty()) host.op.parent = stack.back();
      stack.push_back(index);
      by_thread_[host.thread].push_back(index);
      if (host.external) by_external_[*host.external] = index;
      trace_.ops.push_back(std::move(host.op));
    }
  }

  void take_gpu_work() {
    place_launches();
    note_lost_kernels();
    for (auto& [correlation, external, work] : work_) {
      attribute(correlation, external, work);
      trace_.work.push_back(std::move(work));
    }
  }

  void take_own_work() {
    std::vector<double> own;
    for (const Op& op : trace_.ops) {
      own.push_back(op.end - op.start);
      if (op.parent) own[*op.parent] -= op.end - op.start;
    }
    for (std::size_t index = 0; index < own.size(); ++index) {
      const Op& op = trace_.ops[index];
      trace_.work.push_back({.name = op.name,
                             .start = op.start,
                             .end = op.start + std::max(0.0, own[index]),
                             .op = index});
    }
  }

  /// Finds the innermost operator that was running in the thread of each launch.
  void place_launches() {
    for (auto& [correlation, launch] : launches_) {
      const auto thread = by_thread_.find(launch.thread);
      if (thread == by_thread_.end()) continue;
      const std::vector<std::size_t>& ops = thread->second;
      auto next = std::upper_bound(
          ops.begin(), ops.end(), launch.start,
          [&](double start, std::size_t op) { return start < trace_.ops[op].start; });
      if (next == ops.begin()) continue;
      std::optional<std::size_t> op = *--next;
      while (op && trace_.ops[*op].end < launch.start) op = trace_.ops[*op].parent;
      launch.op = op;
    }
  }

  /// The profiler may drop kernels: their launches remain.
  void note_lost_kernels() {
    std::set<std::int64_t> ran;
    for (const Pending& pending : work_) {
      if (pending.correlation) ran.insert(*pending.correlation);
    }
    for (const auto& [correlation, launch] : launches_) {
      const bool launches_kernel = launch.name.find("LaunchKernel") != std::string::npos;
      if (!launches_kernel || !launch.op || ran.contains(correlation)) continue;
      trace_.ops[*launch.op].lacks_kernels = true;
    }
  }

  void attribute(const std::optional<std::int64_t>& correlation,
                 const std::optional<std::int64_t>& external, Work& work) const {
    if (correlation) {
      if (const auto launch = launches_.find(*correlation); launch != launches_.end()) {
        work.launched = launch->second.start;
        work.launcher = launch->second.name;
        work.op = launch->second.op;
      }
    }
    if (work.op || !external) return;
    if (const auto op = by_external_.find(*external); op != by_external_.end()) {
      work.op = op->second;
    }
  }

  void read_device() {
    const auto devices = root_.find("deviceProperties");
    if (devices == root_.end() || !devices->is_array() || devices->empty()) return;
    const auto used = std::ranges::find_if(
        *devices, [&](const json& device) { return device_ && integer(device, "id") == device_; });
    trace_.device = (used == devices->end() ? devices->front() : *used).value("name", "");
  }

  struct HostOp {
    Op op;
    std::string thread;
    std::optional<std::int64_t> external;
  };
  struct Pending {
    std::optional<std::int64_t> correlation;
    std::optional<std::int64_t> external;
    Work work;
  };

  const json& root_;
  const Document& document_;
  Trace trace_;
  bool has_shapes_ = false;
  /// The GPU that the first kernel ran on.
  std::optional<std::int64_t> device_;
  std::vector<HostOp> ops_;
  std::vector<Pending> work_;
  std::unordered_map<std::int64_t, Launch> launches_;
  std::unordered_map<std::int64_t, std::size_t> by_external_;
  std::map<std::string, std::vector<std::size_t>> by_thread_;
};

}  // namespace

Trace read_trace(const json& root, const Document& document) {
  return Reader(root, document).read();
}

}  // namespace benanza::analysis::kineto
