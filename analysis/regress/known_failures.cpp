#include "analysis/regress/known_failures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/problem/problem.h"

namespace benanza::regress {
namespace {

constexpr std::array symptom_words{"wrong result",   "slow",   "worse choice", "cold start",
                                   "reference code", "memory", "crash"};
enum Field {
  library,
  precision,
  problem,
  size,
  from,
  to,
  fixed,
  where,
  symptom,
  source,
  note,
  fields
};
constexpr std::string_view heading =
    "library\tprecision\tproblem\tsize\tfrom\tto\tfixed\twhere\tsymptom\tsource\tnote";

std::optional<Version> version_of(const std::string& text, const char* column) {
  if (text.empty()) return std::nullopt;
  if (auto version = Version::parse(text)) return version;
  throw Error(fmt::format("{} \"{}\" is no version; write numbers between dots", column, text));
}

std::string canonical(const std::string& text) {
  try {
    std::string made = key(parse(text));
    if (made != text) throw Error(fmt::format("{}: write it as {}", text, made));
    return made;
  } catch (const std::invalid_argument& error) {
    throw Error(error.what());
  }
}

void add_where(KnownFailure& failure, const std::string& text) {
  if (text.empty()) return;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw Error("where \"" + text + "\": write MEMBER=VALUE|VALUE");
  failure.member = text.substr(0, equals);
  failure.values = text::split<std::string>(std::string_view(text).substr(equals + 1), '|');
}

KnownFailure parsed_row(std::string_view line) {
  const auto row = text::split<std::string>(line, '\t');
  if (row.size() != fields) {
    throw Error(fmt::format("{} columns, not {}: {}", row.size(), int{fields}, heading));
  }
  KnownFailure made{.library = row[library], .source = row[source], .note = row[note]};
  const auto known = parse_precision(row[precision]);
  if (!known) throw Error("no precision \"" + row[precision] + '"');
  made.precision = *known;
  made.key = canonical(row[problem]);
  if (row[size] != "source" && row[size] != "ours") {
    throw Error("size \"" + row[size] + "\": write source, if it names the problem, or ours");
  }
  made.is_named = row[size] == "source";
  made.from = version_of(row[from], "from");
  if (row[to].empty()) throw Error("to: a version, or * for all later ones");
  if (row[to] != "*") made.to = version_of(row[to], "to");
  made.fixed = version_of(row[fixed], "fixed");
  add_where(made, row[where]);
  const auto word = std::ranges::find(symptom_words, row[symptom]);
  if (word == symptom_words.end()) throw Error("no symptom \"" + row[symptom] + '"');
  made.symptom = static_cast<Symptom>(word - symptom_words.begin());
  if (!made.source.starts_with("https://")) throw Error("source: write an address");
  return made;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  Version made;
  for (const std::string_view part : text::split(text, '.')) {
    const auto value = text::number<int>(part);
    if (!value || *value < 0) return std::nullopt;
    made.parts_.push_back(*value);
  }
  return made;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  for (std::size_t i = 0; i < std::max(parts_.size(), other.parts_.size()); ++i) {
    const int mine = i < parts_.size() ? parts_[i] : 0;
    const int its = i < other.parts_.size() ? other.parts_[i] : 0;
    if (mine != its) return mine <=> its;
  }
  return std::strong_ordering::equal;
}

bool Version::is_up_to(const Version& last) const {
  Version start = *this;
  if (start.parts_.size() > last.parts_.size()) start.parts_.resize(last.parts_.size());
  return start <= last;
}

std::string Version::text() const { return fmt::format("{}", fmt::join(parts_, ".")); }

std::string_view to_string(Symptom symptom) {
  return symptom_words.at(static_cast<std::size_t>(symptom));
}

std::vector<KnownFailure> parse_known_failures(std::string_view text, const std::string& file) {
  std::vector<KnownFailure> made;
  bool has_heading = false;
  int number = 0;
  for (const std::string_view line : text::split(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      if (has_heading) {
        made.push_back(parsed_row(line));
      } else if (line != heading) {
        throw Error(fmt::format("the columns are: {}", heading));
      }
      has_heading = true;
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  if (!has_heading) throw Error(file + ": is empty; the columns are: " + std::string(heading));
  return made;
}

std::vector<KnownFailure> built_in_failures() {
  std::vector<KnownFailure> all;
  for (const KnownList& list : known_lists()) {
    std::vector<KnownFailure> rows = parse_known_failures(list.text, std::string(list.file));
    std::ranges::move(rows, std::back_inserter(all));
  }
  return all;
}

Presence presence(const KnownFailure& failure, const Version& version, const System& system) {
  if (failure.from && version < *failure.from) return Presence::no;
  if (failure.fixed && version >= *failure.fixed) return Presence::no;
  if (!failure.member.empty()) {
    const auto value = system.find(failure.member);
    if (value == system.end()) return Presence::unknown;
    if (std::ranges::find(failure.values, value->second) == failure.values.end()) {
      return Presence::no;
    }
  }
  const bool is_affected = !failure.to || version.is_up_to(*failure.to);
  return is_affected && failure.is_named ? Presence::yes : Presence::unknown;
}

std::string cases_text(std::span<const KnownFailure> failures) {
  std::set<std::string> lines;
  for (const KnownFailure& failure : failures) {
    lines.insert(
        fmt::format("{} {} -> ok if supported\n", failure.key, to_string(failure.precision)));
  }
  std::string text = "# Problems of known failures.\n";
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace benanza::regress
