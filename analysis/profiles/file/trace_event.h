#pragma once

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Events in two parts, a beginning ("B") and an end ("E"), as one with a duration ("X").
class EventPairs {
 public:
  using Use = std::function<void(const TraceEvent& event)>;

  /// Passes an event in one part to `use`, and keeps a part.
  void take(const TraceEvent& event, const Use& use);
  /// Passes what was kept, as far as both parts are there: thread by thread, as the times say,
  /// since files are not always in order. An end that has a name is that of the latest beginning
  /// with this name.
  void finish(const Use& use);
  /// Parts without the other one.
  std::size_t unpaired() const { return unpaired_; }

 private:
  struct Part {
    bool begins = false;
    std::optional<double> start{};
    /// That of the part before if it states none.
    double place = 0;
    std::string name{};
    /// As JSON; of an end, only if it has arguments.
    std::string event{};
  };
  void finish(std::vector<Part>& parts, const Use& use);
  void use_whole(const Part& begin, const Part& end, const Use& use);

  /// By process and thread.
  std::map<std::string, std::vector<Part>> parts_;
  std::size_t unpaired_ = 0;
  simdjson::dom::parser parser_;
  simdjson::dom::parser parser_of_ends_;
};

}  // namespace benanza::analysis
