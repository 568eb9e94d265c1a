#pragma once

#include <simdjson.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace benanza {

/// Thrown if a member is absent or has another type; one line, in nlohmann::json's wording.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A view of a value of a parsed JSON text, which must outlive it. Parsing is several times as fast
/// as with nlohmann::json; the interface is similar. Throws JsonError.
class JsonView {
 public:
  explicit JsonView(simdjson::dom::element element) : element_(element) {}

  /// As JSON, without whitespace.
  std::string text() const { return simdjson::minify(element_); }
  bool is_null() const { return element_.is_null(); }
  bool is_string() const { return element_.is_string(); }

  /// Member `name` of an object. Throws if it is absent.
  JsonView at(std::string_view name) const {
    if (const auto found = find(name)) return *found;
    throw JsonError("key '" + std::string(name) + "' not found");
  }
  /// Empty if it is absent.
  std::optional<JsonView> find(std::string_view name) const {
    if (!element_.is_object()) throw wrong("object");
    simdjson::dom::element found;
    if (element_.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
    return JsonView(found);
  }
  std::vector<JsonView> elements() const {
    simdjson::dom::array array;
    if (element_.get(array) != simdjson::SUCCESS) throw wrong("array");
    std::vector<JsonView> views;
    views.reserve(array.size());
    for (const simdjson::dom::element element : array) views.emplace_back(element);
    return views;
  }
  /// The members of an object, in their order.
  std::vector<std::pair<std::string, JsonView>> members() const {
    simdjson::dom::object object;
    if (element_.get(object) != simdjson::SUCCESS) throw wrong("object");
    std::vector<std::pair<std::string, JsonView>> found;
    found.reserve(object.size());
    for (const auto& [name, value] : object) found.emplace_back(name, JsonView(value));
    return found;
  }
  /// The elements of the array `name`; none if it is absent.
  std::vector<JsonView> elements_of(std::string_view name) const {
    const auto found = find(name);
    return found ? found->elements() : std::vector<JsonView>{};
  }

  template <class T>
  T get() const {
    return convert(static_cast<T*>(nullptr));
  }
  /// Member `name`, or `otherwise` if it is absent.
  template <class T>
  T value(std::string_view name, T otherwise) const {
    const auto found = find(name);
    return found ? found->get<T>() : otherwise;
  }

 private:
  std::string convert(const std::string*) const {
    std::string_view text;
    if (element_.get(text) != simdjson::SUCCESS) throw wrong("string");
    return std::string(text);
  }
  bool convert(const bool*) const {
    bool flag = false;
    if (element_.get(flag) != simdjson::SUCCESS) throw wrong("boolean");
    return flag;
  }
  double convert(const double*) const {
    double number = 0;
    if (element_.get(number) != simdjson::SUCCESS) throw wrong("number");
    return number;
  }
  template <std::integral T>
  T convert(const T*) const {
    std::int64_t number = 0;
    if (element_.get(number) == simdjson::SUCCESS && std::in_range<T>(number)) {
      return static_cast<T>(number);
    }
    throw wrong(std::unsigned_integral<T> ? "whole number from 0 on" : "whole number");
  }
  template <class T>
  std::vector<T> convert(const std::vector<T>*) const {
    std::vector<T> values;
    for (const JsonView& element : elements()) values.push_back(element.get<T>());
    return values;
  }

  JsonError wrong(std::string_view wanted) const {
    return JsonError("type must be " + std::string(wanted) + ", but is " + type_name());
  }
  std::string type_name() const {
    switch (element_.type()) {
      case simdjson::dom::element_type::ARRAY:
        return "array";
      case simdjson::dom::element_type::OBJECT:
        return "object";
      case simdjson::dom::element_type::STRING:
        return "string";
      case simdjson::dom::element_type::BOOL:
        return "boolean";
      case simdjson::dom::element_type::NULL_VALUE:
        return "null";
      default:
        return "number";
    }
  }

  simdjson::dom::element element_;
};

/// Member `name` of `object`; empty if it is absent or null.
template <class T>
std::optional<T> optional_member(const JsonView& object, std::string_view name) {
  const auto found = object.find(name);
  if (!found || found->is_null()) return std::nullopt;
  return found->get<T>();
}

}  // namespace benanza
