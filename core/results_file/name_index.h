#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace benanza {

/// Finds the place of a name in a fixed list, which is made into a hash table at compile time.
template <std::size_t count>
class NameIndex {
 public:
  explicit constexpr NameIndex(const std::array<std::string_view, count>& names) : names_(names) {
    for (std::size_t place = 0; place < count; ++place) {
      std::size_t slot = slot_of(names[place]);
      while (slots_[slot] != 0) slot = (slot + 1) % slots;
      slots_[slot] = static_cast<std::uint8_t>(place + 1);
    }
  }

  constexpr std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t slot = slot_of(name); slots_[slot] != 0; slot = (slot + 1) % slots) {
      const std::size_t place = slots_[slot] - 1U;
      if (names_[place] == name) return place;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t slots = 256;
  static_assert(count < slots / 2);

  static constexpr std::size_t slot_of(std::string_view name) {
    if (name.empty()) return 0;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(name[at]); };
    return (name.size() * 37U + byte(0) * 5U + byte(name.size() / 2) * 11U +
            byte(name.size() - 1) * 3U) %
           slots;
  }

  std::array<std::string_view, count> names_;
  /// The place + 1; 0: free.
  std::array<std::uint8_t, slots> slots_{};
};

/// Of a list whose entries have a `name`.
template <class Entry, std::size_t count>
constexpr NameIndex<count> name_index(const std::array<Entry, count>& list) {
  std::array<std::string_view, count> names;
  for (std::size_t place = 0; place < count; ++place) names[place] = list[place].name;
  return NameIndex<count>(names);
}

}  // namespace benanza
