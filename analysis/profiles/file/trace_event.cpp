#include "analysis/profiles/file/trace_event.h"

#include "core/base/json_view.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

std::string_view text_of(std::string_view name, const simdjson::dom::element& value) {
  const auto text = EventValue(value).text();
  if (!text) throw JsonError("\"" + std::string(name) + "\" must be a string");
  return *text;
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

TraceEvent::TraceEvent(simdjson::dom::object members) : members_(members) {
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
    } else if (key == "pid") {
      process.emplace(value);
    } else if (key == "tid") {
      thread.emplace(value);
    } else if (key == "args" && value.is_object()) {
      arguments.emplace(value);
    }
  }
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

}  // namespace benanza::analysis
