#include "analysis/profiles/kineto/event_reader.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/kineto/aten.h"
#include "analysis/profiles/kineto/launch_table.h"

namespace benanza::analysis::kineto {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

bool is_extents(const element& value) {
  array extents;
  if (value.get(extents) != simdjson::SUCCESS) return false;
  return std::all_of(extents.begin(), extents.end(),
                     [](const element& one) { return one.is_int64() || one.is_uint64(); });
}

Dims extents_of(const element& value) {
  Dims dims;
  for (const element one : array(value)) {
    std::int64_t extent = 0;
    if (one.get(extent) == simdjson::SUCCESS) dims.push_back(extent);
  }
  return dims;
}

/// Argument::transposed and ::repeated of a tensor with these strides.
void tell_order(Argument& argument, const Dims& strides) {
  const std::size_t rank = argument.dims.size();
  if (rank < 2 || strides.size() != rank) return;
  const std::int64_t rows = argument.dims[rank - 2];
  const std::int64_t columns = argument.dims[rank - 1];
  argument.transposed = strides[rank - 2] == 1 && strides[rank - 1] >= rows &&
                        (rows > 1 || columns > 1) &&
                        !(strides[rank - 1] == 1 && strides[rank - 2] >= columns);
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
    if (strides[axis] == 0 && argument.dims[axis] > 1) argument.repeated.push_back(axis);
  }
}

class EventReader {
 public:
  Events read(const ProfileFile& document) {
    document.for_each_event([&](const TraceEvent& event) {
      if (event.phase == "X") add(event);
    });
    if (unlinked_ > 0) link_by_flows(document);
    return std::move(events_);
  }

 private:
  void add(const TraceEvent& event) {
    const EventKind kind = kind_of(event.category);
    if (kind == EventKind::other || kind == EventKind::gpu_annotation ||
        (kind == EventKind::annotation && !is_step(event))) {
      return;
    }
    if (!has_start(event)) {
      if (kind == EventKind::kernel) ++events_.kernels_without_start;
      return;
    }
    if (is_step(event)) {
      events_.steps.push_back({*event.start, end_of(event), process_of(event)});
    } else if (kind == EventKind::op) {
      add_call(event);
    } else if (kind == EventKind::launch) {
      add_launch(event);
    } else {
      add_work(event, kind == EventKind::kernel);
    }
  }

  void link_by_flows(const ProfileFile& document) {
    Flows flows;
    Numbering ids;
    document.for_each_event([&](const TraceEvent& event) {
      const bool begins = event.phase == "s";
      if ((!begins && event.phase != "f") || !event.start || !event.id) return;
      const Index id = ids.number(std::string(event.category) + ' ' + event.id->json());
      if (begins) {
        flows.add_begin(id, *event.start, thread_of(event));
      } else {
        flows.add_end(id, *event.start, process_of(event), stream_of(event));
      }
    });
    flows.link(events_, std::move(unlinked_launches_), events_.names.number("launch"));
  }

  static bool is_step(const TraceEvent& event) {
    return event.name && event.name->starts_with("ProfilerStep");
  }

  bool has_start(const TraceEvent& event) {
    event.required_name();
    if (!event.start) ++events_.without_start;
    return event.start.has_value();
  }
  static double end_of(const TraceEvent& event) {
    return *event.start + event.duration.value_or(0);
  }
  /// Before PyTorch 2.1, GPU work has the name in small letters.
  static std::int64_t external_of(const TraceEvent& event) {
    const std::int64_t external = id_of(event, "External id");
    return external != no_id ? external : id_of(event, "external id");
  }
  static std::int64_t id_of(const TraceEvent& event, std::string_view name) {
    const auto found = event.argument(name);
    return found ? found->id().value_or(no_id) : no_id;
  }

  Index process_of(const TraceEvent& event) {
    return events_.process_names.number(event.process ? event.process->json() : "null");
  }
  /// A thread is known by process and thread, each of which is a number or a string.
  Index thread_of(const TraceEvent& event) {
    const auto process = event.process ? event.process->integer() : std::nullopt;
    const auto thread = event.thread ? event.thread->integer() : std::nullopt;
    if (process && thread && last_ids_ == std::pair(*process, *thread)) return last_thread_;
    const std::string process_name = event.process ? event.process->json() : "null";
    const Index number =
        threads_.number(process_name + '/' + (event.thread ? event.thread->json() : "null"));
    if (number == events_.threads.size()) {
      events_.threads.push_back(events_.process_names.number(process_name));
    }
    if (process && thread) {
      last_ids_ = {*process, *thread};
      last_thread_ = number;
    }
    return number;
  }

  void add_call(const TraceEvent& event) {
    events_.calls.push_back({.start = *event.start,
                             .end = end_of(event),
                             .external = external_of(event),
                             .op = op_of(event),
                             .thread = thread_of(event)});
  }

  Index op_of(const TraceEvent& event) {
    const auto dims = event.argument("Input Dims");
    const auto types = event.argument("Input type");
    const auto values = event.argument("Concrete Inputs");
    events_.has_shapes = events_.has_shapes || dims;
    key_ = event.required_name();
    const auto strides =
        multiplies(key_) ? event.argument("Input Strides") : std::optional<EventValue>();
    for (const auto* column : {&dims, &types, &values, &strides}) {
      key_ += '\0';
      if (*column) key_ += (*column)->json();
    }
    const Index number = ops_.number(key_);
    if (number == events_.ops.size()) {
      events_.ops.push_back({.name = std::string(event.required_name()),
                             .arguments = arguments_of(dims, types, values, strides)});
    }
    return number;
  }

  static std::vector<Argument> arguments_of(const std::optional<EventValue>& dims,
                                            const std::optional<EventValue>& types,
                                            const std::optional<EventValue>& values,
                                            const std::optional<EventValue>& strides) {
    std::vector<Argument> arguments;
    const auto each = [&](const std::optional<EventValue>& column, const auto& use) {
      array rows;
      if (!column || column->element().get(rows) != simdjson::SUCCESS) return;
      std::size_t at = 0;
      for (const element row : rows) {
        if (arguments.size() <= at) arguments.emplace_back();
        use(arguments[at++], row);
      }
    };
    each(dims, [](Argument& argument, const element& row) {
      array rows;
      if (is_extents(row)) {
        argument.dims = extents_of(row);
      } else if (row.get(rows) == simdjson::SUCCESS) {
        for (const element one : rows) {
          if (is_extents(one)) argument.list.push_back(extents_of(one));
        }
      }
    });
    each(types, [](Argument& argument, const element& row) {
      argument.type = EventValue(row).text().value_or("");
    });
    each(values, [](Argument& argument, const element& row) {
      argument.value = EventValue(row).text().value_or("");
    });
    each(strides, [](Argument& argument, const element& row) {
      if (is_extents(row)) tell_order(argument, extents_of(row));
    });
    return arguments;
  }

  void add_work(const TraceEvent& event, bool is_kernel) {
    const auto device = event.argument("device");
    if (!events_.device && device) events_.device = device->integer();
    if (is_kernel) {
      ++events_.kernels;
      if (!event.duration) {
        ++events_.kernels_without_time;
      } else if (!(*event.duration > 0)) {
        ++events_.kernels_of_no_time;
      }
    }
    if (id_of(event, "correlation") == no_id && external_of(event) == no_id) ++unlinked_;
    const double start = *event.start;
    events_.work.push_back({.start = start,
                            .end = start + std::max(0.0, event.duration.value_or(0)),
                            .name = events_.names.number(*event.name)});
    events_.links.push_back({.correlation = id_of(event, "correlation"),
                             .external = external_of(event),
                             .process_name = process_of(event),
                             .stream = stream_of(event),
                             .device = static_cast<std::int16_t>(
                                 device ? device->integer().value_or(no_device) : no_device),
                             .in_graph = is_graph_node(event)});
  }

  static std::int32_t stream_of(const TraceEvent& event) {
    if (!event.thread) return 0;
    const auto number = event.thread->integer();
    return static_cast<std::int32_t>(
        number ? static_cast<std::size_t>(*number)
               : std::hash<std::string_view>()(event.thread->text().value_or("")));
  }

  static bool is_graph_node(const TraceEvent& event) {
    const auto node = event.argument("graph node id");
    return node && node->integer().value_or(0) > 0;
  }

  void add_launch(const TraceEvent& event) {
    if (event.name->find("Synchronize") != std::string_view::npos) {
      events_.waits.push_back({*event.start, *event.start, process_of(event)});
    }
    const std::int64_t correlation = id_of(event, "correlation");
    if (correlation == no_id) {
      unlinked_launches_.push_back({.start = *event.start,
                                    .end = end_of(event),
                                    .thread = thread_of(event),
                                    .name = events_.names.number(*event.name)});
      return;
    }
    events_.launches.push_back({.correlation = correlation,
                                .start = *event.start,
                                .thread = thread_of(event),
                                .name = events_.names.number(*event.name)});
  }

  Events events_;
  /// Work without ids.
  std::size_t unlinked_ = 0;
  std::vector<UnlinkedLaunch> unlinked_launches_;
  Numbering ops_;
  Numbering threads_;
  std::string key_;
  std::optional<std::pair<std::int64_t, std::int64_t>> last_ids_;
  Index last_thread_ = 0;
};

}  // namespace

EventKind kind_of(std::string_view category) {
  if (category == "cpu_op" || category == "Operator") return EventKind::op;
  if (category == "kernel" || category == "Kernel" || category == "mtia_ccp_events")
    return EventKind::kernel;
  if (category == "user_annotation") return EventKind::annotation;
  if (category == "gpu_user_annotation") return EventKind::gpu_annotation;
  for (const std::string_view name : {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"}) {
    if (category == name) return EventKind::copy;
  }
  // cuda_runtime, cuda_driver, xpu_runtime, ...
  const bool is_launch = category.ends_with("_runtime") || category.ends_with("_driver");
  return is_launch || category == "Runtime" ? EventKind::launch : EventKind::other;
}

Index Numbering::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto next = static_cast<Index>(numbers_.size());
  numbers_.emplace(text, next);
  return next;
}

std::vector<std::string> Numbering::texts() && {
  std::vector<std::string> texts(numbers_.size());
  while (!numbers_.empty()) {
    auto one = numbers_.extract(numbers_.begin());
    texts[one.mapped()] = std::move(one.key());
  }
  return texts;
}

std::vector<std::string> Numbering::texts() const& {
  std::vector<std::string> texts(numbers_.size());
  for (const auto& [text, number] : numbers_) texts[number] = text;
  return texts;
}

Events read_events(const ProfileFile& document) { return EventReader().read(document); }

std::size_t drop_told_twice(std::vector<Work>& work, std::vector<WorkLinks>& links) {
  std::vector<Index> order(work.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto identity = [&](Index at) {
    return std::tuple(work[at].start, work[at].end, work[at].name, links[at].correlation,
                      links[at].external, links[at].process_name, links[at].stream);
  };
  const auto starts_before = [&](Index a, Index b) { return work[a].start < work[b].start; };
  // Most traces are in order; sorting takes time.
  if (!std::ranges::is_sorted(order, starts_before)) std::ranges::stable_sort(order, starts_before);
  std::vector<bool> is_again(work.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && work[order[end]].start == work[order[first]].start) ++end;
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, order.begin() + static_cast<std::ptrdiff_t>(end), [&](Index a, Index b) {
      return std::pair(identity(a), a) < std::pair(identity(b), b);
    });
    for (std::size_t at = first + 1; at < end; ++at) {
      // Work of less than the clock's unit may well follow its like within that.
      const bool has_time = work[order[at]].end > work[order[at]].start;
      is_again[order[at]] = has_time && identity(order[at]) == identity(order[at - 1]);
    }
    first = end;
  }
  std::size_t kept = 0;
  for (std::size_t at = 0; at < work.size(); ++at) {
    if (is_again[at]) continue;
    work[kept] = work[at];
    links[kept++] = links[at];
  }
  const std::size_t dropped = work.size() - kept;
  work.resize(kept);
  links.resize(kept);
  return dropped;
}

}  // namespace benanza::analysis::kineto
