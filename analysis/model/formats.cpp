#include "analysis/model/formats.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace benanza::analysis {
namespace {

std::string format_of(const Measurement& call, const std::vector<std::string>& names,
                      std::size_t index, bool is_image) {
  if (index < names.size()) return names[index];
  const bool is_stated = !call.operand_formats.empty() || !call.result_formats.empty();
  if (is_stated || !is_image) return std::string(row_major_format);
  if (call.variant.layout == Layout::nhwc) return "nhwc";
  return call.variant.layout == Layout::any ? "of the library" : std::string(row_major_format);
}

/// A format by its number; 0 is row-major.
using Format = std::uint32_t;

/// A candidate's formats of what its step reads and writes.
struct Candidate {
  double seconds = 0;
  std::vector<Format> reads{};
  std::vector<Format> writes{};
  /// FormatStep::as_written.
  std::vector<bool> as_written{};
};

/// The first format.
constexpr Format row_major = 0;
/// Of a conversion that there is not.
constexpr double impossible_seconds = 1e6;

/// The steps with formats as numbers, and what conversions take.
class Formats {
 public:
  Formats(const std::vector<FormatStep>& steps, const std::vector<FormatTensor>& tensors,
          const MeasuredConversions& measured)
      : tensors_(tensors), names_{std::string(row_major_format)} {
    for (const FormatStep& step : steps) {
      std::vector<Candidate>& all = candidates_.emplace_back();
      for (const Measurement* const call : step.candidates) {
        Candidate one{.seconds = call->seconds()};
        for (std::size_t at = 0; at < step.reads.size(); ++at) {
          const std::size_t operand = step.operands.empty() ? at : step.operands[at];
          const bool is_image = tensors[step.reads[at]].is_image;
          one.reads.push_back(number_of(operand_format(*call, operand, is_image)));
        }
        for (std::size_t at = 0; at < step.writes.size(); ++at) {
          const bool is_image = tensors[step.writes[at]].is_image;
          one.writes.push_back(number_of(result_format(*call, at, is_image)));
        }
        one.as_written = step.as_written.empty() ? std::vector<bool>(step.reads.size())
                                                 : step.as_written.at(all.size());
        all.push_back(std::move(one));
      }
    }
    for (const auto& [names, seconds] : measured) {
      measured_[{number_of(names.first), number_of(names.second)}] = seconds;
    }
  }

  const std::vector<Candidate>& of(std::size_t step) const { return candidates_[step]; }
  const std::string& name(Format format) const { return names_[format]; }
  double conversion_seconds(std::size_t tensor, Format from, Format to) const {
    const auto found = measured_.find({from, to});
    if (found != measured_.end()) return found->second;
    const FormatTensor& converted = tensors_[tensor];
    std::optional<double> copy;
    if (from == row_major) copy = converted.from_row_major_seconds;
    if (to == row_major) copy = converted.to_row_major_seconds;
    return copy.value_or(converted.conversion_seconds);
  }

 private:
  Format number_of(const std::string& name) {
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) names_.push_back(name);
    return static_cast<Format>(std::ranges::find(names_, name) - names_.begin());
  }

  const std::vector<FormatTensor>& tensors_;
  std::vector<std::string> names_;
  std::vector<std::vector<Candidate>> candidates_;
  std::map<std::pair<Format, Format>, double> measured_;
};

/// Who writes and reads a tensor.
struct Uses {
  std::vector<std::size_t> writers{};
  std::vector<std::size_t> readers{};
};

std::vector<Uses> uses_of(const std::vector<FormatStep>& steps, std::size_t tensors) {
  std::vector<Uses> uses(tensors);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (const std::size_t tensor : steps[step].writes) uses[tensor].writers.push_back(step);
    for (const std::size_t tensor : steps[step].reads) uses[tensor].readers.push_back(step);
  }
  return uses;
}

/// Exchanges one call at a time.
class Exchanges {
 public:
  Exchanges(const std::vector<FormatStep>& steps, const std::vector<FormatTensor>& tensors,
            const Formats& formats)
      : steps_(steps),
        tensors_(tensors),
        formats_(formats),
        uses_(uses_of(steps, tensors.size())) {}

  void improve(std::vector<std::size_t> chosen) {
    chosen_ = std::move(chosen);
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      bool changed = false;
      for (std::size_t step = 0; step < steps_.size(); ++step) changed = exchange(step) || changed;
      if (!changed) return;
    }
  }

  ChosenFormats found() const {
    ChosenFormats found{.candidates = chosen_};
    for (std::size_t step = 0; step < steps_.size(); ++step) found.seconds += call(step).seconds;
    for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
      for (const auto& [step, format] : conversions_of(tensor)) {
        const double seconds = formats_.conversion_seconds(tensor, written(tensor), format);
        found.conversions.push_back({.before_step = step,
                                     .tensor = tensor,
                                     .from = formats_.name(written(tensor)),
                                     .to = formats_.name(format),
                                     .seconds = seconds});
        found.seconds += seconds;
      }
    }
    std::ranges::stable_sort(found.conversions, {}, &PlanConversion::before_step);
    return found;
  }

 private:
  const Candidate& call(std::size_t step) const { return formats_.of(step)[chosen_[step]]; }
  Format written(std::size_t tensor) const {
    if (uses_[tensor].writers.empty()) return 0;
    const std::size_t writer = uses_[tensor].writers.front();
    const auto place = std::ranges::find(steps_[writer].writes, tensor);
    return call(writer).writes[static_cast<std::size_t>(place - steps_[writer].writes.begin())];
  }
  /// The first step that needs each of the other formats.
  std::vector<std::pair<std::size_t, Format>> conversions_of(std::size_t tensor) const {
    std::vector<std::pair<std::size_t, Format>> needed;
    const Format own = written(tensor);
    const auto need = [&](std::size_t step, Format format) {
      if (format == own) return;
      const auto same = [&](const auto& known) { return known.second == format; };
      if (std::ranges::none_of(needed, same)) needed.emplace_back(step, format);
    };
    for (const std::size_t reader : uses_[tensor].readers) {
      for (std::size_t at = 0; at < steps_[reader].reads.size(); ++at) {
        if (steps_[reader].reads[at] == tensor) need(reader, call(reader).reads[at]);
      }
    }
    if (const auto before = tensors_[tensor].row_major_before) need(*before, 0);
    return needed;
  }
  double impossible(std::size_t tensor) const {
    double seconds = 0;
    for (const std::size_t reader : uses_[tensor].readers) {
      for (std::size_t at = 0; at < steps_[reader].reads.size(); ++at) {
        const bool differs = steps_[reader].reads[at] == tensor && call(reader).as_written[at] &&
                             call(reader).reads[at] != written(tensor);
        if (differs) seconds += impossible_seconds;
      }
    }
    return seconds;
  }
  double cost_around(std::size_t step) const {
    double seconds = call(step).seconds;
    std::set<std::size_t> touched(steps_[step].reads.begin(), steps_[step].reads.end());
    touched.insert(steps_[step].writes.begin(), steps_[step].writes.end());
    for (const std::size_t tensor : touched) {
      seconds += impossible(tensor);
      for (const auto& [before, format] : conversions_of(tensor)) {
        seconds += formats_.conversion_seconds(tensor, written(tensor), format);
      }
    }
    return seconds;
  }
  bool exchange(std::size_t step) {
    const std::size_t before = chosen_[step];
    std::size_t best = before;
    double least = cost_around(step);
    for (std::size_t candidate = 0; candidate < formats_.of(step).size(); ++candidate) {
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
  const Formats& formats_;
  std::vector<Uses> uses_;
  std::vector<std::size_t> chosen_;
};

/// Step by step: of the beginnings that leave the tensors that are still read in the same formats,
/// the best, and of all beginnings the best few.
class Beginnings {
 public:
  Beginnings(const std::vector<FormatStep>& steps, const std::vector<FormatTensor>& tensors,
             const Formats& formats)
      : steps_(steps), tensors_(tensors), formats_(formats), last_use_(tensors.size(), 0) {
    for (std::size_t step = 0; step < steps.size(); ++step) {
      for (const std::size_t tensor : steps[step].reads) last_use_[tensor] = step;
      for (const std::size_t tensor : steps[step].writes) last_use_[tensor] = step;
    }
    for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
      const auto before = tensors[tensor].row_major_before;
      if (before) last_use_[tensor] = std::max(last_use_[tensor], *before);
      if (before && *before < steps.size()) rows_before_[*before].push_back(tensor);
    }
  }

  /// For each step, the index of its candidate.
  std::vector<std::size_t> best() {
    std::vector<Beginning> now(1);
    for (std::size_t step = 0; step < steps_.size(); ++step) now = continued(now, step);
    std::vector<std::size_t> chosen(steps_.size());
    std::size_t node = now.front().node;
    for (std::size_t step = steps_.size(); step-- > 0; node = nodes_[node].before) {
      chosen[step] = nodes_[node].candidate;
    }
    return chosen;
  }

 private:
  /// A tensor in the format in which it was written, and in others, ascending.
  struct Copies {
    Format written = 0;
    std::vector<Format> others{};
    auto operator<=>(const Copies&) const = default;
  };
  /// Of the tensors still used.
  using Held = std::map<std::size_t, Copies>;
  struct Beginning {
    double seconds = 0;
    Held held{};
    std::size_t node = 0;
  };
  struct Node {
    std::size_t before = 0;
    std::size_t candidate = 0;
  };
  static constexpr std::size_t most = 64;

  std::vector<Beginning> continued(const std::vector<Beginning>& from, std::size_t step) {
    std::map<Held, Beginning> next;
    std::vector<Node> added;
    for (const Beginning& one : from) {
      for (std::size_t candidate = 0; candidate < formats_.of(step).size(); ++candidate) {
        Beginning longer = with_call(one, step, formats_.of(step)[candidate]);
        longer.node = added.size();
        added.push_back({one.node, candidate});
        const auto [known, is_new] = next.try_emplace(longer.held, longer);
        if (!is_new && longer.seconds < known->second.seconds) known->second = std::move(longer);
      }
    }
    std::vector<Beginning> kept;
    for (auto& [held, one] : next) kept.push_back(std::move(one));
    std::ranges::stable_sort(kept, {}, &Beginning::seconds);
    if (kept.size() > most) kept.resize(most);
    for (Beginning& one : kept) {
      nodes_.push_back(added[one.node]);
      one.node = nodes_.size() - 1;
    }
    return kept;
  }

  Beginning with_call(Beginning one, std::size_t step, const Candidate& call) const {
    one.seconds += call.seconds;
    if (const auto rows = rows_before_.find(step); rows != rows_before_.end()) {
      for (const std::size_t tensor : rows->second) need(one, tensor, 0);
    }
    for (std::size_t at = 0; at < call.reads.size(); ++at) {
      const std::size_t tensor = steps_[step].reads[at];
      const bool differs = one.held[tensor].written != call.reads[at];
      if (differs && call.as_written[at]) one.seconds += impossible_seconds;
      need(one, tensor, call.reads[at]);
    }
    for (std::size_t at = 0; at < call.writes.size(); ++at) {
      one.held.try_emplace(steps_[step].writes[at], Copies{call.writes[at]});
    }
    if (step + 1 == steps_.size()) {
      for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
        if (tensors_[tensor].row_major_before == steps_.size()) need(one, tensor, 0);
      }
    }
    std::erase_if(one.held, [&](const auto& entry) { return last_use_[entry.first] <= step; });
    return one;
  }

  void need(Beginning& one, std::size_t tensor, Format format) const {
    Copies& there = one.held[tensor];
    if (format == there.written) return;
    const auto place = std::ranges::lower_bound(there.others, format);
    if (place != there.others.end() && *place == format) return;
    there.others.insert(place, format);
    one.seconds += formats_.conversion_seconds(tensor, there.written, format);
  }

  const std::vector<FormatStep>& steps_;
  const std::vector<FormatTensor>& tensors_;
  const Formats& formats_;
  std::vector<std::size_t> last_use_;
  std::map<std::size_t, std::vector<std::size_t>> rows_before_;
  std::vector<Node> nodes_;
};

}  // namespace

std::string operand_format(const Measurement& call, std::size_t operand, bool is_image) {
  return format_of(call, call.operand_formats, operand, is_image);
}

std::string result_format(const Measurement& call, std::size_t result, bool is_image) {
  return format_of(call, call.result_formats, result, is_image);
}

ChosenFormats choose_formats(const std::vector<FormatStep>& steps,
                             const std::vector<FormatTensor>& tensors,
                             const MeasuredConversions& measured) {
  const Formats formats(steps, tensors, measured);
  Exchanges exchanges(steps, tensors, formats);
  exchanges.improve(Beginnings(steps, tensors, formats).best());
  return exchanges.found();
}

}  // namespace benanza::analysis
