#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace benanza {

/// What a table says of `key`; empty if it says nothing.
template <class Key, class Value, std::size_t size>
constexpr std::optional<Value> found_in(const std::pair<Key, Value> (&table)[size], Key key) {
  const auto* const row = std::ranges::find(table, key, &std::pair<Key, Value>::first);
  return row == std::end(table) ? std::nullopt : std::optional(row->second);
}

}  // namespace benanza
