#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::test {

/// Damages texts. The same seed gives the same damage on every machine.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  /// A number below `count`.
  std::size_t below(std::size_t count) { return random_() % count; }
  template <class List>
  const auto& any_of(const List& list) {
    return list[below(std::size(list))];
  }

  /// `text` with one to three changes: a number by an extreme one, a byte by another, a piece lost,
  /// doubled or taken from `other`.
  std::string changed(std::string text, std::string_view other) {
    for (std::size_t left = 1 + below(3); left > 0 && !text.empty(); --left) change(text, other);
    return text;
  }

  /// `text` with one of its numbers replaced by an extreme one; unchanged if it has none.
  std::string with_extreme_number(std::string text) {
    std::vector<std::pair<std::size_t, std::size_t>> numbers;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t begin = text.find_first_of(digits, at);
      if (begin == text.npos) break;
      at = std::min(text.find_first_not_of(digits, begin), text.size());
      numbers.emplace_back(begin, at - begin);
    }
    if (numbers.empty()) return text;
    const auto [begin, size] = any_of(numbers);
    return text.replace(begin, size, any_of(extremes));
  }

 private:
  static constexpr std::string_view digits = "0123456789";
  static constexpr std::string_view extremes[] = {"0",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "-1",
                                                  "-0",
                                                  "007",
                                                  "1.5",
                                                  "1e9",
                                                  "1e999",
                                                  "nan",
                                                  "-nan",
                                                  "inf",
                                                  "-inf",
                                                  "",
                                                  "65536",
                                                  "16777216",
                                                  "2147483647",
                                                  "2147483648",
                                                  "-2147483648",
                                                  "4294967296",
                                                  "281474976710656",
                                                  "281474976710657",
                                                  "1152921504606846976",
                                                  "4611686018427387904",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "9223372036854775808",
                                                  "18446744073709551616",
                                                  "99999999999999999999999"};

  void change(std::string& text, std::string_view other) {
    const std::size_t at = below(text.size());
    const std::size_t size = 1 + below(std::min<std::size_t>(text.size() - at, 24));
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        text = with_extreme_number(std::move(text));
        break;
      case 3:
        text[at] = static_cast<char>(random_());
        break;
      case 4:
        text[at] = static_cast<char>(text[at] ^ (1U << below(8)));
        break;
      case 5:
        text.erase(at, size);
        break;
      case 6:
        text.insert(at, text.substr(at, size));
        break;
      default:
        if (other.empty()) return;
        text.insert(at, other.substr(below(other.size()), size));
    }
  }

  std::mt19937 random_;
};

}  // namespace benanza::test
