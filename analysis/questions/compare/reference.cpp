#include "analysis/questions/compare/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

namespace benanza::analysis {
namespace {

/// A reference that has to cover several witnesses.
class Hull {
 public:
  void add(std::string name, Interval change) {
    if (names_.empty()) change_ = change;
    change_ = {std::min(change_.low, change.low), std::max(change_.high, change.high)};
    names_.push_back(std::move(name));
  }
  std::optional<Reference> reference(const std::string& kind, bool weak) const {
    if (names_.empty()) return std::nullopt;
    return Reference{.name = fmt::format("{} ({})", kind, fmt::join(names_, ", ")),
                     .change = change_,
                     .weak = weak};
  }

 private:
  std::vector<std::string> names_;
  Interval change_{};
};

std::optional<Reference> by_anchors(const AnchorTimes& before, const AnchorTimes& after) {
  Hull hull;
  for (const auto& [name, seconds] : before) {
    const auto now = after.find(name);
    if (now == after.end()) continue;
    const auto old_time = log_time(seconds);
    const auto new_time = log_time(now->second);
    if (!old_time || !new_time) continue;
    const Uncertain change = difference(*new_time, *old_time);
    const Interval interval = interval_at(change, reference_level);
    hull.add(name, {interval.low - process_error, interval.high + process_error});
  }
  return hull.reference("the anchors", false);
}

/// Peaks are rates: a machine that takes twice as long has half of them.
std::optional<Reference> by_peaks(const PeakValues& before, const PeakValues& after) {
  constexpr std::string_view prefix = "peak_";
  constexpr std::string_view suffix = "_per_second";
  Hull hull;
  for (const auto& [name, rate] : before) {
    const auto now = after.find(name);
    if (!name.starts_with(prefix) || now == after.end() || !(rate > 0) || !(now->second > 0)) {
      continue;
    }
    std::string shown = name.substr(prefix.size());
    if (shown.ends_with(suffix)) shown.resize(shown.size() - suffix.size());
    const double change = std::log(rate / now->second);
    hull.add(std::move(shown), {change - peak_error, change + peak_error});
  }
  return hull.reference("the measured peaks", true);
}

/// The fields that speak of the library, "cudnn" or "onednn_version", rather than of the machine.
bool is_of_library(const std::string& field, const std::string& backend) {
  return field.starts_with(backend);
}

template <class Value>
Value value_or_none(const std::map<std::string, Value>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? Value{} : found->second;
}

}  // namespace

double Reference::upper() const { return weak ? std::max(0.0, change.high) : change.high; }
double Reference::lower() const { return weak ? std::min(0.0, change.low) : change.low; }

Interval interval_at(const Uncertain& value, double level) {
  if (value.standard_error == 0) return {value.value, value.value};
  const boost::math::students_t distribution(value.degrees);
  const double error = value.standard_error *
                       boost::math::quantile(boost::math::complement(distribution, level / 2));
  return {value.value - error, value.value + error};
}

Witnesses witnesses(const Results& before, const Results& after) {
  Witnesses found;
  for (const auto& [backend, system] : before.systems) {
    const auto now = after.systems.find(backend);
    if (now == after.systems.end()) continue;
    std::string differences;
    bool changed = false;
    for (const auto& [field, old_value, new_value] : contradictions(system, now->second)) {
      if (is_of_library(field, backend)) {
        changed = true;
        continue;
      }
      differences += fmt::format("{}{} {}, now {}", differences.empty() ? "" : "; ", field,
                                 *old_value, *new_value);
    }
    const bool stated = std::ranges::any_of(
        system, [&](const auto& entry) { return is_of_library(entry.first, backend); });
    if (changed) {
      found.changed.insert(backend);
    } else if (stated) {
      found.unchanged.insert(backend);
    }
    if (!differences.empty()) {
      found.other_machine[backend] = differences;
      continue;
    }
    auto reference =
        by_anchors(value_or_none(before.anchors, backend), value_or_none(after.anchors, backend));
    if (!reference) {
      reference =
          by_peaks(value_or_none(before.peaks, backend), value_or_none(after.peaks, backend));
    }
    if (reference) found.references[backend] = *std::move(reference);
  }
  return found;
}

}  // namespace benanza::analysis
