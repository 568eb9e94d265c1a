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
