#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace benanza::analysis {

/// A member of a trace's event. Views live as long as the event.
class EventValue {
 public:
  explicit EventValue(simdjson::dom::element element) : element_(element) {}

  bool is_number() const { return element_.is_number(); }
  /// Empty if it is no string.
  std::optional<std::string_view> text() const;
  /// Empty if it is no number.
  std::optional<double> real() const;
  /// The same of whole numbers; of others, without the fraction.
  std::optional<std::int64_t> integer() const;
  /// The same, of a number that may be written as a text ("12").
  std::optional<std::int64_t> id() const;
  /// As JSON.
  std::string json() const { return simdjson::minify(element_); }
  const simdjson::dom::element& element() const { return element_; }

 private:
  simdjson::dom::element element_;
};

/// One event of a trace in Chrome's format. Views live as long as it.
struct TraceEvent {
  /// "X" for one with a duration.
  std::string_view phase{};
  std::string_view category{};
  std::optional<std::string_view> name{};
  /// Microseconds, the start since the trace's base; empty if the trace states none, or a number
  /// that is none, or no time (a clock's wrong end, an overflow).
  std::optional<double> start{};
  std::optional<double> duration{};
  std::optional<EventValue> process{};
  std::optional<EventValue> thread{};
  /// What the two ends of a flow have in common.
  std::optional<EventValue> id{};
  /// An object, or empty.
  std::optional<EventValue> arguments{};
  /// How many of the times are written as texts ("12.5").
  std::size_t text_times = 0;

  /// `base`: whole microseconds that are taken off the start before it becomes a number of few
  /// digits. `text`: of the event; if empty, the start has the digits of `members`. Throws
  /// JsonError if a member has another type than it must.
  explicit TraceEvent(simdjson::dom::object members, double base = 0, std::string_view text = {});

  /// As JSON.
  std::string json() const { return simdjson::minify(members_); }

  /// The name; throws JsonError if there is none.
  std::string_view required_name() const;
  /// Argument `name`; empty if there is none.
  std::optional<EventValue> argument(std::string_view name) const;
  /// The argument as a text; empty if there is none, or no text.
  std::string_view text_argument(std::string_view name) const;

 private:
  simdjson::dom::object members_;
};

}  // namespace benanza::analysis
