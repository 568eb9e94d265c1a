#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/profiles/file/json_scan.h"
#include "analysis/profiles/file/trace_event.h"
#include "core/base/document.h"
#include "core/base/json_view.h"

namespace benanza::analysis {

class TextWindow;

/// A profile's JSON file, plain or gzipped: an object whose member "traceEvents" or "trace" may
/// hold the events of a trace, or only such events. These are read one by one and never kept. What
/// is broken in a text and certain is put right. Every error is one line: the file, what is wrong
/// and at which byte, what to do.
class ProfileFile : public FileOfKind {
 public:
  /// Throws Error if the file cannot be read, or is not exactly one JSON object or array.
  ProfileFile(std::filesystem::path path, std::string_view kind, std::string_view remedy);

  /// All members but the events, in place of which is an empty array; an empty object for a file of
  /// events alone.
  const nlohmann::json& root() const { return root_; }
  bool has_only_events() const { return has_only_events_; }
  /// Of the first events that are no metadata.
  const std::set<std::string>& categories() const { return categories_; }
  /// As far as the first events name them.
  const std::set<std::string>& process_names() const { return process_names_; }
  std::size_t events() const { return events_; }
  /// A list of events that does not end: its writer was stopped.
  bool lacks_end() const { return repairs_.contains(no_bracket); }
  /// One sentence for each kind of repair in what was read so far.
  std::vector<std::string> remarks() const;

  /// Calls `use` for every event that is an object, in the order of the file; for those in two
  /// parts, a beginning and an end, after all others.
  void for_each_event(const std::function<void(const TraceEvent& event)>& use) const;

  /// Throws Error unless the member "schema" equals `expected`.
  void require_schema(int expected) const { FileOfKind::require_schema(root_, expected); }
  /// The same for members of events.
  template <class Read>
  auto guard(Read&& read) const {
    try {
      return FileOfKind::guard(read);
    } catch (const JsonError& exception) {
      throw malformed(exception.what());
    }
  }

 private:
  static constexpr std::string_view no_bracket = "no bracket at the end";

  /// Notes what an event says of the file's kind.
  void see(std::string_view event);
  void see_start(const nlohmann::json& event);

  /// Text of a value, and where it starts in the file.
  using UseText = std::function<void(std::string_view text, std::uint64_t at, bool is_padded)>;
  class Walk;

  nlohmann::json root_ = nlohmann::json::object();
  bool has_only_events_ = false;
  std::set<std::string> categories_;
  std::set<std::string> process_names_;
  std::size_t events_ = 0;
  /// Those that see() saw and that are no metadata.
  std::size_t seen_ = 0;
  /// Of the first event, for a message.
  std::string first_members_{};
  /// Microseconds; 0 if the first events start near it.
  std::optional<double> base_;
  mutable Repairs repairs_;
  mutable std::size_t unpaired_ = 0;
  mutable bool has_read_events_ = false;
};

}  // namespace benanza::analysis
