#include "analysis/profiles/file/profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/profiles/file/byte_source.h"
#include "analysis/profiles/file/json_scan.h"
#include "analysis/profiles/file/trace_event.h"
#include "core/base/text.h"

namespace benanza::analysis {
namespace {

bool is_events_member(std::string_view name) { return name == "traceEvents" || name == "trace"; }

/// What stands behind an event that was put right: the next one, or the end.
bool may_follow_event(std::string_view rest) {
  const std::size_t at = skip_space(rest, 0);
  if (at >= rest.size()) return false;
  if (rest[at] == ']') return true;
  if (rest[at] != ',') return false;
  const std::size_t next = skip_space(rest, at + 1);
  return next < rest.size() && rest[next] == '{';
}

bool may_follow_member(std::string_view rest) {
  const std::size_t at = skip_space(rest, 0);
  if (at >= rest.size()) return false;
  if (rest[at] == '}') return true;
  if (rest[at] != ',') return false;
  const std::size_t next = skip_space(rest, at + 1);
  return next < rest.size() && rest[next] == '"';
}

/// Another encoding than UTF-8, by its mark or by the zeros around a bracket; empty if none shows.
std::string_view encoding_of(std::string_view text) {
  using namespace std::string_view_literals;
  for (const std::string_view start :
       {"\xff\xfe\0\0"sv, "\0\0\xfe\xff"sv, "\0\0\0{"sv, "\0\0\0["sv, "{\0\0\0"sv, "[\0\0\0"sv}) {
    if (text.starts_with(start)) return "UTF-32";
  }
  for (const std::string_view start :
       {"\xff\xfe"sv, "\xfe\xff"sv, "\0{"sv, "\0["sv, "{\0"sv, "[\0"sv}) {
    if (text.starts_with(start)) return "UTF-16";
  }
  return "";
}

std::string shown(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return code > 0x20 && code < 0x7f ? fmt::format("'{}'", letter)
                                    : fmt::format("byte 0x{:02x}", code);
}

}  // namespace

/// One pass over the file.
class ProfileFile::Walk {
 public:
  Walk(const ProfileFile& file, Repairs& repairs)
      : file_(file), repairs_(repairs), window_(file.path()) {}

  /// `use_member` gets the file's members, `use_event` the events; either may be empty.
  void go(const std::function<void(const std::string& name, nlohmann::json value)>& use_member,
          const UseText& use_event) {
    const char letter = first();
    if (letter == '[') {
      window_.skip(1);
      has_only_events_ = true;
      events(use_event);
    } else {
      window_.skip(1);
      members(use_member, use_event);
    }
    while (true) {
      window_.skip(skip_space(window_.text(), 0));
      if (!window_.text().empty()) {
        throw broken(window_.offset(), "the file to end", window_.text()[0], 0);
      }
      if (!window_.read_more()) return;
    }
  }

  bool has_only_events() const { return has_only_events_; }

 private:
  /// The first letter, which is a bracket.
  char first() {
    if (!window_.read_more()) throw file_.error("is empty, not " + file_.kind());
    if (window_.text().starts_with("\xef\xbb\xbf")) window_.skip(3);
    if (window_.text().empty() && !window_.read_more()) {
      throw file_.error("is empty, not " + file_.kind());
    }
    const std::string_view start = window_.text();
    if (const std::string_view other = encoding_of(start); !other.empty()) {
      throw file_.error(fmt::format("is not {}: its text is {} from byte 0 on: convert it to UTF-8",
                                    file_.kind(), other));
    }
    if (file_.path().extension() == ".pb") {
      throw file_.error("is a protobuf file (XSpace): name the .trace.json.gz beside it");
    }
    if (start.starts_with("SQLite format 3")) {
      throw file_.error("is an SQLite file, not " + file_.kind() +
                        ": unpack it if it is packed, and ask benanza-analyze profile about it");
    }
    constexpr std::size_t place_of_mark = 257;
    if (start.size() > place_of_mark && start.substr(place_of_mark).starts_with("ustar")) {
      throw file_.error("is a tar archive: unpack it, and name one file");
    }
    const char letter = peek(window_.offset());
    if (letter != '{' && letter != '[') {
      throw file_.error(fmt::format("is not {}: not JSON: it starts with {} at byte {}",
                                    file_.kind(), shown(letter), window_.offset()));
    }
    return letter;
  }

  /// The next letter that is no space; `since` is the start of what is read.
  char peek(std::uint64_t since) {
    while (true) {
      window_.skip(skip_space(window_.text(), 0));
      if (!window_.text().empty()) return window_.text()[0];
      if (!window_.read_more()) throw cut_short(since);
    }
  }

  Error cut_short(std::uint64_t since) const {
    return file_.error(
        fmt::format("is not {}: cut short: it ends at byte {}, within what starts at "
                    "byte {}{}",
                    file_.kind(), window_.offset() + window_.text().size(), since, compressed()));
  }
  Error broken(std::uint64_t at, std::string_view expected, char found, std::uint64_t since) const {
    return file_.error(
        fmt::format("is not {}: not JSON at byte {}, in what starts at byte {}{}: {} was expected, "
                    "but there is {}",
                    file_.kind(), at, since, compressed(), expected, shown(found)));
  }
  std::string_view compressed() const {
    return window_.is_compressed() ? " of the unpacked text" : "";
  }

  void members(const std::function<void(const std::string&, nlohmann::json)>& use_member,
               const UseText& use_event) {
    const std::uint64_t since = window_.offset() - 1;
    if (peek(since) == '}') return window_.skip(1);
    while (true) {
      if (const char letter = peek(since); letter != '"') {
        throw broken(window_.offset(), "a member's name in quotes", letter, since);
      }
      std::string name;
      value(may_follow_name, [&](std::string_view text, std::uint64_t, bool) {
        const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
        if (parsed.is_string()) name = parsed.get<std::string>();
      });
      if (const char letter = peek(since); letter != ':') {
        throw broken(window_.offset(), "a colon", letter, since);
      }
      window_.skip(1);
      if (peek(since) == '[' && is_events_member(name)) {
        window_.skip(1);
        if (use_member) use_member(name, nlohmann::json::array());
        events(use_event);
      } else {
        value(may_follow_member, [&](std::string_view text, std::uint64_t at, bool) {
          if (use_member) use_member(name, parsed_member(text, at));
        });
      }
      const char letter = peek(since);
      if (letter != ',' && letter != '}') {
        throw broken(window_.offset(), "a comma or }", letter, since);
      }
      window_.skip(1);
      if (letter == '}' || ends_behind_comma(since, '}')) return;
    }
  }

  static bool may_follow_name(std::string_view rest) {
    const std::size_t at = skip_space(rest, 0);
    return at < rest.size() && rest[at] == ':';
  }

  nlohmann::json parsed_member(std::string_view text, std::uint64_t at) {
    nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
    if (!value.is_discarded()) return value;
    const std::string good = repaired(text, {}, repairs_);
    try {
      return nlohmann::json::parse(good);
    } catch (const nlohmann::json::parse_error& reason) {
      throw file_.error(fmt::format("is not {}: not JSON at byte {}{}", file_.kind(),
                                    at + std::min(reason.byte, text.size()), compressed()));
    }
  }

  void events(const UseText& use) {
    const std::uint64_t since = window_.offset() - 1;
    if (peek(since) == ']') return window_.skip(1);
    while (true) {
      peek(since);
      value(may_follow_event, use);
      if (ends_without_bracket()) return;
      const char letter = peek(since);
      if (letter != ',' && letter != ']') {
        throw broken(window_.offset(), "a comma or ]", letter, since);
      }
      window_.skip(1);
      if (letter == ']' || ends_without_bracket() || ends_behind_comma(since, ']')) return;
    }
  }

  bool ends_behind_comma(std::uint64_t since, char bracket) {
    if (peek(since) != bracket) return false;
    window_.skip(1);
    ++repairs_["a comma that nothing follows"];
    return true;
  }

  /// In a file of events alone, the bracket at the end may be missing, as writers leave it out that
  /// may be stopped at any time.
  bool ends_without_bracket() {
    if (!has_only_events_) return false;
    while (true) {
      window_.skip(skip_space(window_.text(), 0));
      if (!window_.text().empty()) return false;
      if (!window_.read_more()) break;
    }
    ++repairs_[no_bracket];
    return true;
  }

  /// Passes the next value to `use` and skips it. `window_` is at its start.
  void value(bool (*may_follow)(std::string_view), const UseText& use) {
    while (true) {
      const ScannedValue scanned = scan_value(window_.text());
      if (scanned.state == ScannedValue::State::incomplete) {
        if (window_.read_more()) continue;
        if (repair(may_follow, use)) return;
        throw cut_short(window_.offset());
      }
      const std::size_t next = skip_space(window_.text(), scanned.at);
      const bool is_complete = scanned.state == ScannedValue::State::complete;
      if (is_complete && next >= window_.text().size() && window_.read_more()) continue;
      const bool fits =
          next >= window_.text().size() ||
          std::string_view(",:}]").find(window_.text()[next]) != std::string_view::npos;
      if (is_complete && fits) {
        use(window_.text().substr(0, scanned.at), window_.offset(), true);
        return window_.skip(scanned.at);
      }
      // Enough to see where a broken value ends.
      constexpr std::size_t enough = std::size_t{1} << 18;
      if (window_.text().size() < enough && window_.read_more()) continue;
      if (repair(may_follow, use)) return;
      throw broken(window_.offset() + (is_complete ? next : scanned.at),
                   is_complete ? "a comma or the end" : scanned.expected,
                   window_.text()[is_complete ? next : scanned.at], window_.offset());
    }
  }

  bool repair(bool (*may_follow)(std::string_view), const UseText& use) {
    constexpr std::size_t enough = std::size_t{1} << 18;
    const std::string_view text = window_.text().substr(0, enough);
    std::size_t end = 0;
    const auto inner = unescaped_quotes(text, end, may_follow);
    if (!inner) return false;
    const std::string good = repaired(text.substr(0, end), *inner, repairs_);
    use(good, window_.offset(), false);
    window_.skip(end);
    return true;
  }

  const ProfileFile& file_;
  Repairs& repairs_;
  TextWindow window_;
  bool has_only_events_ = false;
};

ProfileFile::ProfileFile(std::filesystem::path path, std::string_view kind, std::string_view remedy)
    : FileOfKind(std::move(path), kind, remedy) {
  constexpr std::size_t most = 100;
  Walk walk(*this, repairs_);
  walk.go([&](const std::string& name, nlohmann::json value) { root_[name] = std::move(value); },
          [&](std::string_view text, std::uint64_t, bool) {
            ++events_;
            if (seen_ < most) see(text);
          });
  has_only_events_ = walk.has_only_events();
  if (!has_only_events_ || !categories_.empty()) return;
  throw error("is not " + this->kind() + ": " +
              (events_ == 0 ? "an empty list"
                            : "a list in which nothing names a category, as a trace's events do" +
                                  first_members_));
}

void ProfileFile::see(std::string_view text) {
  const nlohmann::json event = nlohmann::json::parse(text, nullptr, false);
  if (!event.is_object()) return;
  if (events_ == 1) {
    for (const auto& [name, value] : event.items()) {
      first_members_ += (first_members_.empty() ? "; the first has " : ", ") + name;
    }
  }
  const auto text_of = [](const nlohmann::json& owner, const char* name) {
    const auto found = owner.find(name);
    const bool is_text = found != owner.end() && found->is_string();
    return is_text ? found->get<std::string>() : std::string();
  };
  see_start(event);
  // Names of hundreds of threads may stand before all else.
  if (text_of(event, "ph") != "M") ++seen_;
  if (const std::string category = text_of(event, "cat"); !category.empty()) {
    categories_.insert(category);
  }
  const auto arguments = event.find("args");
  if (text_of(event, "name") == "process_name" && arguments != event.end() &&
      arguments->is_object()) {
    process_names_.insert(text_of(*arguments, "name"));
  }
}

/// Microseconds since 1970 leave a number of double precision no digits for fractions.
void ProfileFile::see_start(const nlohmann::json& event) {
  const auto phase = event.find("ph");
  const auto start = event.find("ts");
  if (base_ || start == event.end() || phase == event.end() || (*phase != "X" && *phase != "B")) {
    return;
  }
  constexpr double far = 1e12;
  constexpr double most = 9.2e18;
  const auto time = start->is_string()   ? text::number<double>(start->get<std::string>())
                    : start->is_number() ? std::optional(start->get<double>())
                                         : std::nullopt;
  if (time && std::abs(*time) < most) base_ = std::abs(*time) < far ? 0 : std::floor(*time);
}

void ProfileFile::for_each_event(const std::function<void(const TraceEvent& event)>& use) const {
  simdjson::dom::parser parser;
  // The first pass has counted what concerns the structure.
  Repairs known;
  Repairs again;
  Repairs& repairs = has_read_events_ ? again : repairs_;
  EventPairs pairs;
  Walk walk(*this, known);
  walk.go({}, [&](std::string_view text, std::uint64_t at, bool is_padded) {
    simdjson::dom::element element;
    std::string good;
    auto status = parser.parse(text.data(), text.size(), !is_padded).get(element);
    if (status != simdjson::SUCCESS) {
      good = repaired(text, {}, repairs);
      status = parser.parse(good).get(element);
    }
    if (status != simdjson::SUCCESS) {
      throw error(fmt::format("is not {}: not JSON in the event at byte {}: {}", kind(), at,
                              simdjson::error_message(status)));
    }
    simdjson::dom::object members;
    if (element.get(members) != simdjson::SUCCESS) return;
    try {
      const std::string_view whole = good.empty() ? text : std::string_view(good);
      const TraceEvent event(members, base_.value_or(0), whole);
      if (event.text_times > 0) repairs["times written as texts"] += event.text_times;
      pairs.take(event, use);
    } catch (const JsonError& reason) {
      throw error(fmt::format("is not {}: the event at byte {}: {}", kind(), at, reason.what()));
    }
  });
  guard([&] { pairs.finish(use); });
  unpaired_ = pairs.unpaired();
  has_read_events_ = true;
}

std::vector<std::string> ProfileFile::remarks() const {
  std::vector<std::string> sentences;
  for (const auto& [what, count] : repairs_) {
    sentences.push_back(fmt::format("its text was broken and is put right: {} in {} place{}", what,
                                    count, count == 1 ? "" : "s"));
  }
  if (unpaired_ > 0) {
    sentences.push_back(fmt::format(
        "{} beginnings or ends of events lack the other part and are left out", unpaired_));
  }
  return sentences;
}

}  // namespace benanza::analysis
