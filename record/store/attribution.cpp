#include "record/store/attribution.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include "core/library/kernel_name.h"
#include "core/problem/problem.h"
#include "record/store/launches.h"

namespace benanza {
namespace {

using Work = DeviceRecording::Work;

/// A call launches its kernels immediately, unless it loads code first.
constexpr std::int64_t longest_call = 2'000'000;

/// The work launched by one runtime or driver call: one piece, or many for a graph node.
struct Site {
  /// Start of the launch; of the first work if no call was recorded.
  std::int64_t time = 0;
  std::int64_t process = 0;
  std::optional<std::int64_t> thread{};
  std::uint32_t name = 0;
  bool is_kernel = false;
  std::vector<std::size_t> work{};
  std::optional<std::size_t> owner{};
};

class Attributor {
 public:
  Attributor(const DeviceRecording& recording, const Launches& launches,
             const std::vector<GpuCall>& calls)
      : recording_(recording), calls_(calls) {
    find_sites(launches);
    find_loads();
    result_.owners.resize(recording.work.size());
    result_.made_by.resize(calls.size());
    for (const GpuCall& call : calls) result_.began.push_back(call.start);
  }

  Attribution attribution() {
    own_by_time();
    own_by_order();
    for (const Site& site : sites_) {
      for (const std::size_t work : site.work) result_.owners[work] = site.owner;
    }
    return std::move(result_);
  }

 private:
  /// In launch order, which can differ from the execution order on the device.
  void find_sites(const Launches& launches) {
    std::map<const DeviceRecording::Api*, std::size_t> of_call;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::size_t> of_node;
    for (std::size_t at = 0; at < recording_.work.size(); ++at) {
      const Work& work = recording_.work[at];
      if (work.kind == Work::Kind::graph) continue;
      const auto* const call = work.graph ? launches.captured(work) : launches.of(work);
      std::size_t place = sites_.size();
      if (call != nullptr) {
        place = of_call.try_emplace(call, place).first->second;
      } else if (work.graph && work.node) {
        place = of_node.try_emplace({work.process, *work.graph, *work.node}, place).first->second;
      }
      if (place == sites_.size()) {
        sites_.push_back({.time = call != nullptr ? call->start : work.start,
                          .process = work.process,
                          .name = work.name,
                          .is_kernel = work.kind == Work::Kind::kernel});
        if (call != nullptr) sites_.back().thread = call->thread;
      }
      sites_[place].work.push_back(at);
    }
    std::ranges::stable_sort(sites_, [](const Site& a, const Site& b) { return a.time < b.time; });
  }

  const std::string& name_of(const Site& site) const { return recording_.names[site.name]; }

  void own_by_time() {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> of_thread;
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      if (calls_[at].start && calls_[at].thread) {
        of_thread[{calls_[at].process, *calls_[at].thread}].push_back(at);
      }
    }
    for (auto& [thread, list] : of_thread) {
      std::ranges::stable_sort(
          list, [&](std::size_t a, std::size_t b) { return *calls_[a].start < *calls_[b].start; });
    }
    std::vector<bool> is_over(calls_.size());
    for (Site& site : sites_) {
      if (!site.thread) continue;
      const auto list = of_thread.find({site.process, *site.thread});
      if (list == of_thread.end()) continue;
      const auto next = std::upper_bound(
          list->second.begin(), list->second.end(), site.time,
          [&](std::int64_t time, std::size_t call) { return time < *calls_[call].start; });
      if (next == list->second.begin()) continue;
      const std::size_t call = *std::prev(next);
      if (is_over[call] || waited(site, *calls_[call].start) > longest_call) continue;
      if (is_framework_kernel(name_of(site))) {
        is_over[call] = true;
        continue;
      }
      site.owner = call;
    }
  }

  /// Time from the call's start, or from when its thread last finished loading code after it.
  std::int64_t waited(const Site& site, std::int64_t begin) const {
    const auto thread = loads_.find({site.process, *site.thread});
    if (thread != loads_.end()) {
      const auto next = thread->second.upper_bound(site.time);
      if (next != thread->second.begin()) begin = std::max(begin, *std::prev(next));
    }
    return site.time - begin;
  }

  void find_loads() {
    for (const auto& call : recording_.api) {
      const std::string_view name = recording_.names[call.name];
      if (name.find("LibraryLoad") == name.npos && name.find("ModuleLoad") == name.npos) continue;
      loads_[{call.process, call.thread}].insert(call.end);
    }
  }

  void own_by_order() {
    std::map<std::int64_t, std::vector<std::size_t>> untimed;
    for (std::size_t at = 0; at < calls_.size(); ++at) {
      if (!calls_[at].start) untimed[calls_[at].process].push_back(at);
    }
    for (const auto& [process, list] : untimed) {
      std::vector<std::size_t> products;
      for (std::size_t at = 0; at < sites_.size(); ++at) {
        if (sites_[at].process == process && is_product(sites_[at])) products.push_back(at);
      }
      if (products.size() != list.size()) {
        std::erase_if(products, [&](std::size_t site) { return sites_[site].owner.has_value(); });
      }
      if (products.size() != list.size()) continue;
      if (const auto order = in_order(products, list)) give(products, *order);
    }
  }

  bool is_product(const Site& site) const {
    if (!site.is_kernel || is_framework_kernel(name_of(site))) return false;
    return kernel_traits(name_of(site)).algorithm == "gemm";
  }

  /// The calls in the order of the kernels. Calls of one library are already in order; those of two
  /// must be merged. Empty if no order is found.
  std::optional<std::vector<std::size_t>> in_order(const std::vector<std::size_t>& products,
                                                   const std::vector<std::size_t>& calls) const {
    std::map<std::string, std::vector<std::size_t>> of_source;
    for (const std::size_t call : calls) of_source[calls_[call].text.source].push_back(call);
    if (of_source.size() < 2) return calls;
    if (of_source.size() > 2) return std::nullopt;
    const auto& first = of_source.begin()->second;
    const auto& second = of_source.rbegin()->second;
    using Thread = std::optional<std::int64_t>;
    std::map<std::pair<CallText, Thread>, std::uint32_t> texts;
    std::vector<const GpuCall*> call_of;
    const auto numbers = [&](const std::vector<std::size_t>& list) {
      std::vector<std::uint32_t> result;
      for (const std::size_t at : list) {
        const auto [text, is_new] = texts.try_emplace({calls_[at].text, calls_[at].thread},
                                                      static_cast<std::uint32_t>(texts.size()));
        if (is_new) call_of.push_back(&calls_[at]);
        result.push_back(text->second);
      }
      return result;
    };
    std::map<std::pair<std::uint32_t, Thread>, std::uint32_t> names;
    std::vector<std::uint32_t> kernels;
    std::vector<const Site*> kernel_of;
    std::vector<std::optional<Precision>> computes;
    for (const std::size_t site : products) {
      const auto [name, is_new] = names.try_emplace({sites_[site].name, sites_[site].thread},
                                                    static_cast<std::uint32_t>(names.size()));
      if (is_new) {
        computes.push_back(kernel_traits(name_of(sites_[site])).products);
        kernel_of.push_back(&sites_[site]);
      }
      kernels.push_back(name->second);
    }
    const std::vector<std::uint32_t> from_first = numbers(first);
    const auto from_second =
        merged(kernels, from_first, numbers(second), [&](std::uint32_t kernel, std::uint32_t call) {
          const Thread& launched = kernel_of[kernel]->thread;
          const Thread& logged = call_of[call]->thread;
          if (launched && logged && *launched != *logged) return false;
          const std::string& memory = call_of[call]->text.memory;
          return !computes[kernel] || memory.empty() || may_compute(*computes[kernel], memory);
        });
    if (!from_second) return std::nullopt;
    std::vector<std::size_t> order;
    auto next_first = first.begin();
    auto next_second = second.begin();
    for (const bool is_second : *from_second) {
      order.push_back(is_second ? *next_second++ : *next_first++);
    }
    return order;
  }

  /// TF32 products have fp32 operands, and TF32 may be allowed without being used.
  static bool may_compute(Precision products, const std::string& memory) {
    const std::string_view operands = std::string_view(memory).substr(0, memory.find(' '));
    if (products == Precision::tf32 || products == Precision::fp32) {
      return operands == to_string(Precision::fp32) || operands == to_string(Precision::tf32);
    }
    return operands == to_string(products);
  }

  /// cuDNN has convolutions and products computed by cuBLASLt, but attention, whose products are in
  /// one kernel, and what has no products never.
  static bool may_make_products(const GpuCall& call) {
    if (call.text.problem.empty()) return true;
    const Problem problem = parse(call.text.problem);
    return !std::holds_alternative<Attention>(problem.shape) && product_flops(problem) > 0;
  }

  void give(const std::vector<std::size_t>& products, const std::vector<std::size_t>& calls) {
    std::set<std::size_t> makers;
    for (std::size_t at = 0; at < calls.size(); ++at) {
      Site& site = sites_[products[at]];
      result_.began[calls[at]] = site.time;
      // A call makes at most one product; the next product is a call of its own.
      const auto maker =
          site.owner && may_make_products(calls_[*site.owner]) ? site.owner : std::nullopt;
      if (maker && makers.insert(*maker).second) {
        result_.made_by[calls[at]] = maker;
        continue;
      }
      site.owner = calls[at];
      // Also the kernels that sum its parts, which follow directly.
      for (std::size_t next = products[at] + 1; next < sites_.size(); ++next) {
        if (sites_[next].process != site.process || sites_[next].thread != site.thread) continue;
        if (sites_[next].owner != maker || !sites_[next].is_kernel ||
            kernel_traits(name_of(sites_[next])).role != KernelRole::combine) {
          break;
        }
        sites_[next].owner = calls[at];
      }
    }
  }

  const DeviceRecording& recording_;
  const std::vector<GpuCall>& calls_;
  std::vector<Site> sites_;
  /// End times of calls that load code, by process and thread.
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> loads_;
  Attribution result_;
};

/// When each of the calls in `wanted` began, by its place in `calls`. Where that is not known: when
/// the nearest known call before it, or else behind it, in the log of its library did. Empty if a
/// log has no known call.
std::optional<std::vector<std::int64_t>> starts_of(
    const std::vector<GpuCall>& calls, const std::vector<std::size_t>& wanted,
    const std::vector<std::optional<std::int64_t>>& began) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<std::size_t>> logs;
  for (const std::size_t call : wanted) {
    logs[{calls[call].process, calls[call].text.source}].push_back(call);
  }
  std::vector<std::int64_t> starts(calls.size());
  for (const auto& [log, members] : logs) {
    const auto first =
        std::ranges::find_if(members, [&](std::size_t call) { return began[call].has_value(); });
    if (first == members.end()) return std::nullopt;
    std::int64_t last = *began[*first];
    for (const std::size_t call : members) {
      last = began[call].value_or(last);
      starts[call] = last;
    }
  }
  return starts;
}

}  // namespace

std::vector<GpuCall> gpu_calls(const RecordingReader& reader) {
  std::vector<GpuCall> calls;
  std::size_t place = 0;
  reader.for_each([&](const ArrivedCall& call) {
    const std::size_t here = place++;
    if (call.text.engine != "gpu" || call.text.source == "onednn") return;
    GpuCall one{.text = call.text,
                .process = call.process.value_or(0),
                .thread = call.thread,
                .place = here};
    if (call.started) one.start = static_cast<std::int64_t>(*call.started * 1e9);
    calls.push_back(std::move(one));
  });
  return calls;
}

Attribution attribute(const DeviceRecording& recording, const Launches& launches,
                      const std::vector<GpuCall>& calls) {
  return Attributor(recording, launches, calls).attribution();
}

std::vector<std::size_t> call_order(const RecordingReader& reader) {
  const std::vector<GpuCall> calls = gpu_calls(reader);
  const DeviceRecording devices = reader.devices();
  const Attribution attribution = attribute(devices, Launches(devices), calls);
  std::vector<std::size_t> wanted;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    if (!attribution.made_by[at]) wanted.push_back(at);
  }
  std::vector<std::size_t> sorted = wanted;
  if (const auto starts = starts_of(calls, wanted, attribution.began)) {
    std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
      return std::pair(calls[a].process, (*starts)[a]) < std::pair(calls[b].process, (*starts)[b]);
    });
  }
  // Calls of other libraries keep their places.
  std::vector<std::size_t> order;
  const std::size_t count = reader.sequence().size();
  auto next = calls.begin();
  auto next_sorted = sorted.begin();
  for (std::size_t place = 0; place < count; ++place) {
    if (next == calls.end() || next->place != place) {
      order.push_back(place);
      continue;
    }
    if (!attribution.made_by[static_cast<std::size_t>(next - calls.begin())]) {
      order.push_back(calls[*next_sorted++].place);
    }
    ++next;
  }
  return order;
}

}  // namespace benanza
