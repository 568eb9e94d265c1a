#include "analysis/model/formats.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace benanza::analysis {
namespace {

constexpr std::array layouts{Layout::nchw, Layout::nhwc, Layout::any};

class Search {
 public:
  Search(const std::vector<FormatStep>& steps, const std::vector<FormatTensor>& tensors)
      : steps_(steps), tensors_(tensors), uses_(tensors.size()), chosen_(steps.size(), 0) {
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (const std::size_t tensor : steps[step].writes) uses_[tensor].writers.push_back(step);
      for (const std::size_t tensor : steps[step].reads) uses_[tensor].readers.push_back(step);
    }
  }

  /// Starts with the fastest calls of `layout`, or with the fastest ones.
  void start(std::optional<Layout> layout) {
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      const auto& candidates = steps_[step].candidates;
      const auto better = [&](const Measurement* a, const Measurement* b) {
        const bool a_wanted = a->variant.layout == layout;
        const bool b_wanted = b->variant.layout == layout;
        return a_wanted != b_wanted ? a_wanted : a->seconds() < b->seconds();
      };
      chosen_[step] = static_cast<std::size_t>(std::ranges::min_element(candidates, better) -
                                               candidates.begin());
    }
  }

  void improve() {
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      bool changed = false;
      for (std::size_t step = 0; step < steps_.size(); ++step) changed = exchange(step) || changed;
      if (!changed) return;
    }
  }

  ChosenFormats found() const {
    ChosenFormats found{.candidates = chosen_};
    for (std::size_t step = 0; step < steps_.size(); ++step) {
      found.seconds += steps_[step].candidates[chosen_[step]]->seconds();
    }
    for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
      for (const auto& [step, format] : conversions_of(tensor)) {
        found.conversions.push_back({.before_step = step,
                                     .tensor = tensor,
                                     .from = format_name(written(tensor)),
                                     .to = format_name(format),
                                     .seconds = tensors_[tensor].conversion_seconds});
        found.seconds += tensors_[tensor].conversion_seconds;
      }
    }
    std::ranges::stable_sort(found.conversions, {}, &PlanConversion::before_step);
    return found;
  }

 private:
  struct Uses {
    std::vector<std::size_t> writers{};
    std::vector<std::size_t> readers{};
  };

  static const char* format_name(Layout format) {
    if (format == Layout::nhwc) return "nhwc";
    return format == Layout::any ? "of the library" : "row-major";
  }

  /// Row-major is nchw.
  Layout format(std::size_t step, std::size_t tensor) const {
    const Layout layout = steps_[step].candidates[chosen_[step]]->variant.layout;
    return tensors_[tensor].is_image && layout != Layout::plain ? layout : Layout::nchw;
  }
  Layout written(std::size_t tensor) const {
    const Uses& uses = uses_[tensor];
    return uses.writers.empty() ? Layout::nchw : format(uses.writers.front(), tensor);
  }
  /// The first step that needs each of the other formats.
  std::vector<std::pair<std::size_t, Layout>> conversions_of(std::size_t tensor) const {
    std::vector<std::pair<std::size_t, Layout>> needed;
    const Layout own = written(tensor);
    const auto need = [&](std::size_t step, Layout format) {
      if (format == own) return;
      const auto same = [&](const auto& known) { return known.second == format; };
      if (std::ranges::none_of(needed, same)) needed.emplace_back(step, format);
    };
    for (const std::size_t reader : uses_[tensor].readers) need(reader, format(reader, tensor));
    if (const auto before = tensors_[tensor].row_major_before) need(*before, Layout::nchw);
    return needed;
  }
  double cost_around(std::size_t step) const {
    double seconds = steps_[step].candidates[chosen_[step]]->seconds();
    std::set<std::size_t> touched(steps_[step].reads.begin(), steps_[step].reads.end());
    touched.insert(steps_[step].writes.begin(), steps_[step].writes.end());
    for (const std::size_t tensor : touched) {
      seconds +=
          tensors_[tensor].conversion_seconds * static_cast<double>(conversions_of(tensor).size());
    }
    return seconds;
  }
  bool exchange(std::size_t step) {
    const std::size_t before = chosen_[step];
    std::size_t best = before;
    double least = cost_around(step);
    for (std::size_t candidate = 0; candidate < steps_[step].candidates.size(); ++candidate) {
      chosen_[step] = candidate;
      const double seconds = cost_around(step);
      if (seconds < least * (1 - 1e-9)) {
        least = seconds;
        best = candidate;
      }
    }
    chosen_[step] = best;
    return best != before;
  }

  const std::vector<FormatStep>& steps_;
  const std::vector<FormatTensor>& tensors_;
  std::vector<Uses> uses_;
  std::vector<std::size_t> chosen_;
};

}  // namespace

ChosenFormats choose_formats(const std::vector<FormatStep>& steps,
                             const std::vector<FormatTensor>& tensors) {
  Search search(steps, tensors);
  ChosenFormats best{.seconds = std::numeric_limits<double>::infinity()};
  const auto attempt = [&](std::optional<Layout> layout) {
    search.start(layout);
    search.improve();
    if (ChosenFormats found = search.found(); found.seconds < best.seconds) best = std::move(found);
  };
  attempt(std::nullopt);
  for (const Layout layout : layouts) attempt(layout);
  return best;
}

}  // namespace benanza::analysis
