#include "analysis/profiles/file/trace_event.h"

#include <algorithm>
#include <cmath>

#include "core/base/json_view.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

std::string_view text_of(std::string_view name, const simdjson::dom::element& value) {
  const auto text = EventValue(value).text();
  if (!text) throw JsonError("\"" + std::string(name) + "\" must be a string");
  return *text;
}

/// A decimal number without exponent, less `base`, in all its digits.
std::optional<double> less_base(std::string_view number, double real_base) {
  constexpr double most = 9.2e18;
  if (!(std::abs(real_base) < most)) return std::nullopt;
  const auto base = static_cast<std::int64_t>(real_base);
  const std::size_t point = std::min(number.find('.'), number.size());
  const auto whole = text::number<std::int64_t>(number.substr(0, point));
  if (!whole) return std::nullopt;
  if (point == number.size()) return static_cast<double>(*whole - base);
  const auto fraction = text::number<double>("0" + std::string(number.substr(point)));
  if (!fraction) return std::nullopt;
  return static_cast<double>(*whole - base) + (number.starts_with('-') ? -*fraction : *fraction);
}

/// The text of the event's own member `name`, without quotes; empty if it is none.
std::string_view member_text(std::string_view event, std::string_view name) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < event.size(); ++at) {
    const char letter = event[at];
    if (letter == '{' || letter == '[') ++depth;
    if (letter == '}' || letter == ']') --depth;
    if (letter != '"') continue;
    const std::size_t first = at + 1;
    for (at = first; at < event.size() && event[at] != '"'; ++at) {
      if (event[at] == '\\') ++at;
    }
    if (depth != 1 || at >= event.size() || event.substr(first, at - first) != name) continue;
    constexpr std::string_view around = " \t\r\n:\"";
    const std::size_t value = event.find_first_not_of(around, at + 1);
    if (value == event.npos || event.find(':', at) > value) continue;
    return event.substr(value, event.find_first_of(" \t\r\n,}\"", value) - value);
  }
  return {};
}

std::optional<double> time_of(std::string_view name, const simdjson::dom::element& value,
                              std::size_t& text_times) {
  if (value.is_null()) return std::nullopt;
  auto time = EventValue(value).real();
  if (const auto text = EventValue(value).text()) {
    time = text::number<double>(*text);
    ++text_times;
  }
  if (!time) throw JsonError("\"" + std::string(name) + "\" must be a number");
  return time;
}

}  // namespace

std::optional<std::string_view> EventValue::text() const {
  std::string_view text;
  if (element_.get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

std::optional<double> EventValue::real() const {
  double number = 0;
  if (element_.get(number) != simdjson::SUCCESS) return std::nullopt;
  return number;
}

std::optional<std::int64_t> EventValue::integer() const {
  std::int64_t number = 0;
  if (element_.get(number) == simdjson::SUCCESS) return number;
  const auto fraction = real();
  constexpr double most = 9e18;
  if (!fraction || !(*fraction > -most && *fraction < most)) return std::nullopt;
  return static_cast<std::int64_t>(*fraction);
}

std::optional<std::int64_t> EventValue::id() const {
  const auto written = text();
  return written ? text::number<std::int64_t>(*written) : integer();
}

TraceEvent::TraceEvent(simdjson::dom::object members, double base, std::string_view text)
    : members_(members) {
  for (const auto& [key, value] : members) {
    if (key == "ph") {
      phase = text_of(key, value);
    } else if (key == "cat") {
      category = text_of(key, value);
    } else if (key == "name") {
      name = text_of(key, value);
    } else if (key == "ts") {
      start = time_of(key, value, text_times);
    } else if (key == "dur") {
      duration = time_of(key, value, text_times);
      // More than eleven days: the end less 0, or 0 less the start.
      constexpr double no_time = 1e12;
      if (duration && std::abs(*duration) >= no_time) duration.reset();
    } else if (key == "pid") {
      process.emplace(value);
    } else if (key == "tid") {
      thread.emplace(value);
    } else if (key == "id") {
      id.emplace(value);
    } else if (key == "args" && value.is_object()) {
      arguments.emplace(value);
    }
  }
  if (!start) return;
  if (base != 0) {
    const auto exact = text.empty() ? std::nullopt : less_base(member_text(text, "ts"), base);
    start = exact ? *exact : *start - base;
  }
  constexpr double three_thousand_years = 1e17;
  if (!(std::abs(*start) < three_thousand_years)) start.reset();
}

std::string_view TraceEvent::required_name() const {
  if (!name) throw JsonError("key 'name' not found");
  return *name;
}

std::optional<EventValue> TraceEvent::argument(std::string_view name) const {
  simdjson::dom::element found;
  if (!arguments || arguments->element().at_key(name).get(found) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return EventValue(found);
}

std::string_view TraceEvent::text_argument(std::string_view name) const {
  const auto found = argument(name);
  return found ? found->text().value_or("") : "";
}

void EventPairs::take(const TraceEvent& event, const Use& use) {
  if (event.phase != "B" && event.phase != "E") return use(event);
  std::vector<Part>& parts = parts_[(event.process ? event.process->json() : "null") + '/' +
                                    (event.thread ? event.thread->json() : "null")];
  const bool begins = event.phase == "B";
  const double before = parts.empty() ? 0 : parts.back().place;
  parts.push_back({.begins = begins,
                   .start = event.start,
                   .place = event.start.value_or(before),
                   .name = std::string(event.name.value_or("")),
                   .event = begins || event.arguments ? event.json() : ""});
}

void EventPairs::finish(const Use& use) {
  for (auto& [thread, parts] : parts_) finish(parts, use);
  parts_.clear();
}

void EventPairs::finish(std::vector<Part>& parts, const Use& use) {
  if (!std::ranges::is_sorted(parts, {}, &Part::place)) {
    std::ranges::stable_sort(parts, {}, &Part::place);
  }
  std::vector<const Part*> open;
  for (const Part& part : parts) {
    if (part.begins) {
      open.push_back(&part);
      continue;
    }
    const auto is_its = [&](const Part* begin) {
      return part.name.empty() || begin->name == part.name;
    };
    const auto begin = std::find_if(open.rbegin(), open.rend(), is_its);
    if (begin == open.rend()) {
      ++unpaired_;
      continue;
    }
    use_whole(**begin, part, use);
    open.erase(std::next(begin).base());
  }
  unpaired_ += open.size();
}

void EventPairs::use_whole(const Part& begin, const Part& end, const Use& use) {
  simdjson::dom::object members;
  if (parser_.parse(begin.event).get(members) != simdjson::SUCCESS) return;
  TraceEvent whole(members);
  whole.phase = "X";
  whole.start = begin.start;
  whole.duration.reset();
  if (begin.start && end.start) whole.duration = *end.start - *begin.start;
  simdjson::dom::element arguments;
  if (!whole.arguments && !end.event.empty() &&
      parser_of_ends_.parse(end.event)["args"].get(arguments) == simdjson::SUCCESS) {
    whole.arguments.emplace(arguments);
  }
  use(whole);
}

}  // namespace benanza::analysis
