#include "suites/harness/cases/case_file.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

namespace benanza::harness {
namespace {

constexpr std::string_view every_layout_word = "every-layout";
constexpr std::string_view default_word = "default";

/// A name that begins with another one comes first.
constexpr std::array<std::pair<Expectation, std::string_view>, 7> expectations{{
    {Expectation::ok_if_supported, "ok if supported"},
    {Expectation::ok, "ok"},
    {Expectation::unsupported, "unsupported"},
    {Expectation::incorrect, "incorrect"},
    {Expectation::failed, "failed"},
    {Expectation::no_way, "no way"},
    {Expectation::offers, "offers"},
}};

bool has_reason(Expectation expected) {
  return expected == Expectation::unsupported || expected == Expectation::incorrect ||
         expected == Expectation::failed || expected == Expectation::offers;
}

/// The words with one space between them.
std::string with_single_spaces(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::string words;
  for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

struct Expected {
  Expectation expected = Expectation::ok;
  std::string reason;
};

/// What a line says; what it leaves out is empty.
struct Line {
  std::vector<Precision> precisions;
  std::vector<Layout> layouts;
  bool every_layout = false;
  std::string algorithm;
  std::optional<Expected> outcome;
};

[[noreturn]] void refuse(std::string_view what, std::string_view why) {
  throw Error('"' + std::string(what) + "\": " + std::string(why));
}

bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || is_space(line[i - 1]))) return line.substr(0, i);
  }
  return line;
}

/// A misspelt precision or layout must not become the name of an algorithm, which may be anything.
bool looks_like_precision(std::string_view word) {
  for (const std::string_view letters : {"fp", "tf", "bf", "int", "float"}) {
    if (word.starts_with(letters) && word.size() > letters.size() &&
        word.find_first_not_of("0123456789", letters.size()) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}
bool looks_like_layout(std::string_view word) {
  return word.find_first_not_of("ncdhw") == std::string_view::npos;
}

/// Adds what the word lists. Returns false if its first part is neither precision nor layout.
bool add_list(std::string_view word, Line& line) {
  const std::vector<std::string_view> parts = text::split(word, ',');
  const bool lists_precisions = parse_precision(parts.front()).has_value();
  const bool lists_layouts = parse_layout(parts.front()).has_value();
  if (!lists_precisions && !lists_layouts) return false;
  for (const std::string_view part : parts) {
    if (const auto precision = parse_precision(part); precision && lists_precisions) {
      line.precisions.push_back(*precision);
    } else if (const auto layout = parse_layout(part); layout && lists_layouts) {
      line.layouts.push_back(*layout);
    } else {
      refuse(part, lists_precisions ? "no precision; known: fp32, tf32, fp16, bf16, int8, fp8"
                                    : "no layout; known: nchw, nhwc, any, plain");
    }
  }
  return true;
}

void add_word(const std::string& word, Line& line) {
  if (word == every_layout_word) {
    line.every_layout = true;
  } else if (add_list(word, line)) {
    return;
  } else if (looks_like_precision(word)) {
    refuse(word, "no precision; known: fp32, tf32, fp16, bf16, int8, fp8");
  } else if (looks_like_layout(word)) {
    refuse(word, "no layout; known: nchw, nhwc, any, plain, every-layout");
  } else if (!line.algorithm.empty()) {
    refuse(word, "a second algorithm; \"" + line.algorithm + "\" is the first");
  } else {
    line.algorithm = word;
  }
}

Expected parse_expected(std::string_view text) {
  for (const auto& [expected, name] : expectations) {
    if (!text.starts_with(name)) continue;
    const std::string_view rest = text.substr(name.size());
    if (!rest.empty() && (!is_space(rest.front()) || !has_reason(expected))) continue;
    if (expected == Expectation::offers) {
      const std::string names = with_single_spaces(rest);
      if (names.empty()) refuse(text, "the names of algorithms follow, with spaces between them");
      return {expected, names};
    }
    return {expected, std::string(trimmed(rest))};
  }
  refuse(text,
         "expected after ->: ok, ok if supported, no way, offers with names of algorithms, or "
         "unsupported, incorrect or failed, with a part of the reason or without");
}

/// Splits at " -> "; the expectation is empty if there is none.
std::pair<std::string_view, std::optional<std::string_view>> split_arrow(std::string_view line) {
  constexpr std::string_view arrow = "->";
  for (std::size_t at = line.find(arrow); at != std::string_view::npos;
       at = line.find(arrow, at + 1)) {
    const std::size_t end = at + arrow.size();
    const bool alone =
        (at == 0 || is_space(line[at - 1])) && (end == line.size() || is_space(line[end]));
    if (alone) return {line.substr(0, at), trimmed(line.substr(end))};
  }
  return {line, std::nullopt};
}

/// `line` with what it leaves out taken from the default.
Line completed(Line line, const Line& from) {
  if (line.precisions.empty()) line.precisions = from.precisions;
  if (line.layouts.empty() && !line.every_layout) {
    line.layouts = from.layouts;
    line.every_layout = from.every_layout;
  }
  if (line.algorithm.empty()) line.algorithm = from.algorithm;
  if (!line.outcome) line.outcome = from.outcome;
  return line;
}

template <class T>
std::vector<std::optional<T>> each_or_none(const std::vector<T>& values) {
  if (values.empty()) return {std::nullopt};
  return {values.begin(), values.end()};
}

class Parser {
 public:
  explicit Parser(const std::filesystem::path& file) : file_(file) {}

  void read(std::string_view text, std::size_t number) {
    const auto [words, expected] = split_arrow(without_comment(text));
    std::istringstream in{std::string(words)};
    std::string first;
    if (!(in >> first)) {
      if (expected) refuse("->", "a problem's key comes first");
      return;
    }
    Line line;
    for (std::string word; in >> word;) add_word(word, line);
    if (line.every_layout && !line.layouts.empty()) {
      refuse(every_layout_word, "leave out the other layouts");
    }
    if (expected) line.outcome = parse_expected(*expected);
    if (first == default_word) {
      if (std::exchange(ends_defaults_, false)) defaults_.clear();
      defaults_.push_back(std::move(line));
      return;
    }
    ends_defaults_ = true;
    add_cases(first, line, number);
  }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  void add_cases(const std::string& key, const Line& line, std::size_t number) {
    Case one{.file = file_,
             .line = number,
             .problem = {},
             .precision = {},
             .layout = {},
             .algorithm = {},
             .reason = {}};
    try {
      one.problem = parse(key);
    } catch (const std::invalid_argument& error) {
      throw Error(error.what());
    }
    for (const auto& precision : each_or_none(line.precisions)) {
      Line own = line;
      if (precision) own.precisions = {*precision};
      bool any = false;
      for (const Line& from : defaults_) {
        const bool applies =
            !precision || from.precisions.empty() ||
            std::ranges::find(from.precisions, *precision) != from.precisions.end();
        if (!applies) continue;
        add(one, completed(own, from));
        any = true;
      }
      if (!any) add(one, own);
    }
  }

  void add(Case one, const Line& line) {
    one.every_layout = line.every_layout;
    one.algorithm = line.algorithm;
    const Expected outcome = line.outcome.value_or(Expected{});
    one.expected = outcome.expected;
    one.reason = outcome.reason;
    for (const auto& precision : each_or_none(line.precisions)) {
      for (const auto& layout : each_or_none(line.layouts)) {
        one.precision = precision;
        one.layout = layout;
        cases_.push_back(one);
      }
    }
  }

  const std::filesystem::path& file_;
  std::vector<Line> defaults_;
  /// The next default begins anew, because cases have followed the last.
  bool ends_defaults_ = false;
  std::vector<Case> cases_;
};

}  // namespace

std::string_view to_string(Expectation expected) {
  return std::ranges::find(expectations, expected, &decltype(expectations)::value_type::first)
      ->second;
}

std::string place_of(const Case& one) { return one.file.string() + ':' + std::to_string(one.line); }

std::string text_of(const Case& one) {
  std::string text = key(one.problem);
  const auto add = [&](std::string_view word) {
    if (!word.empty()) text += ' ' + std::string(word);
  };
  if (one.precision) add(to_string(*one.precision));
  if (one.layout) add(to_string(*one.layout));
  if (one.every_layout) add(every_layout_word);
  add(one.algorithm);
  add("->");
  add(to_string(one.expected));
  add(one.reason);
  return text;
}

std::vector<Case> parse_cases(std::string_view text, const std::filesystem::path& file) {
  Parser parser(file);
  std::size_t number = 0;
  for (const std::string_view line : text::split(text, '\n')) {
    ++number;
    try {
      parser.read(line, number);
    } catch (const Error& error) {
      throw Error(file.string() + ':' + std::to_string(number) + ": " + error.what());
    }
  }
  std::vector<Case> cases = parser.take();
  if (cases.empty()) throw Error(file.string() + ": no case; a line is KEY [...] -> EXPECTED");
  return cases;
}

std::vector<Case> read_cases(const std::filesystem::path& file) {
  return parse_cases(read_file(file), file);
}

}  // namespace benanza::harness
