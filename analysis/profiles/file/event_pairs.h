#pragma once

#include <simdjson.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profiles/file/trace_event.h"

namespace benanza::analysis {

/// Events in two parts, a beginning ("B") and an end ("E"), as one with a duration ("X").
class EventPairs {
 public:
  /// Passes `event` to `use`; of one in two parts, the whole at its end.
  void take(const TraceEvent& event, const std::function<void(const TraceEvent& event)>& use);
  /// Parts without the other one so far.
  std::size_t unpaired() const;

 private:
  struct Beginning {
    /// As JSON.
    std::string event{};
    std::optional<double> start{};
  };
  /// The latest last, by process and thread.
  std::map<std::string, std::vector<Beginning>> open_;
  std::size_t ends_alone_ = 0;
  simdjson::dom::parser parser_;
};

}  // namespace benanza::analysis
