#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/statistics/summary.h"

/// An unknown value is null.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    json = value ? Json(*value) : Json(nullptr);
  }
};

namespace benanza::analysis {

/// One value of a table, as text and for programs.
struct Cell {
  std::string shown{};
  nlohmann::ordered_json value{};
};

/// How people see a number: times `factor`, with `decimals`, before `suffix`. Programs get it as it
/// is.
struct Unit {
  double factor = 1;
  int decimals = 3;
  const char* suffix = "";
};
inline constexpr Unit micro{1e6, 1};
inline constexpr Unit milli{1e3, 3};
inline constexpr Unit mega{1e-6, 3};
inline constexpr Unit tera{1e-12, 3};
inline constexpr Unit thousandths{1, 3};
inline constexpr Unit whole{1, 0};
inline constexpr Unit times{1, 2, "x"};
inline constexpr Unit percent{100, 1, "%"};

/// "-", and null.
Cell unknown_cell();
/// Unknown if empty.
Cell cell(std::optional<double> number, const Unit& unit);

namespace detail {
Cell text_cell(std::string_view text);
Cell flag_cell(bool flag);
Cell interval_cell(const Interval& interval);
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
}  // namespace detail

/// A text, a count, a flag ("yes"), an interval of ratios, what to_string() says of it, or one of
/// these that may be unknown ("-"; a flag "?"; an interval "").
template <class T>
Cell cell(const T& value) {
  if constexpr (std::same_as<T, Cell>) {
    return value;
  } else if constexpr (detail::is_optional<T>) {
    if (value) return cell(*value);
    if (std::same_as<T, std::optional<bool>>) return {.shown = "?", .value = nullptr};
    if (std::same_as<T, std::optional<Interval>>) return {.shown = "", .value = nullptr};
    return unknown_cell();
  } else if constexpr (std::same_as<T, bool>) {
    return detail::flag_cell(value);
  } else if constexpr (std::integral<T>) {
    return {.shown = std::to_string(value), .value = value};
  } else if constexpr (std::same_as<T, Interval>) {
    return detail::interval_cell(value);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return detail::text_cell(value);
  } else {
    return detail::text_cell(to_string(value));
  }
}

}  // namespace benanza::analysis
