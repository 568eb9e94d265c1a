#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/document.h"

/// A type's mapping to JSON is one function, map(io, value), in the type's namespace. It names each
/// member once, and both writes and reads it.
namespace benanza {

/// Appends a value in JSON. Text that is not UTF-8 gets replacement characters.
template <class T>
void append_json(std::string& text, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    text += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    text += std::to_string(value);
  } else {
    const nlohmann::json json(value);
    text += json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
}
template <class T>
void append_json(std::string& text, const std::vector<T>& values) {
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    append_json(text, values[i]);
  }
  text += ']';
}

/// Writes members that differ from what a reader takes for absent ones.
class JsonWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value, const T& usual = {}) {
    if (value != usual) append_json(begin(name), value);
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) append_json(begin(name), *value);
  }
  template <class T>
  void each(const char* name, const std::vector<T>& values) {
    if (values.empty()) return;
    begin(name) += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) text_ += ',';
      add(values[i]);
    }
    text_ += ']';
  }
  template <class T>
  void nested(const char* name, const std::optional<T>& value) {
    if (value) inner(name, *value);
  }
  template <class T>
  void inner(const char* name, const T& value) {
    begin(name);
    add(value);
  }
  /// The object.
  std::string take() { return std::move(text_) + '}'; }

  template <class T>
  static std::string written(const T& value) {
    JsonWriter writer;
    map(writer, const_cast<T&>(value));  // reads only
    return writer.take();
  }

 private:
  std::string& begin(const char* name) {
    if (text_.back() != '{') text_ += ',';
    text_ += '"';
    text_ += name;
    text_ += "\":";
    return text_;
  }
  template <class T>
  void add(const T& value) {
    text_ += '{';
    map(*this, const_cast<T&>(value));  // reads only
    text_ += '}';
  }

  std::string text_ = "{";
};

class JsonReader {
 public:
  explicit JsonReader(const nlohmann::json& object) : object_(&object) {}

  template <class T>
  void operator()(const char* name, T& value, const T& usual = {}) {
    value = object_->contains(name) ? object_->at(name).get<T>() : usual;
  }
  template <class T>
  void optional(const char* name, std::optional<T>& value) {
    value = optional_member<T>(*object_, name);
  }
  template <class T>
  void each(const char* name, std::vector<T>& values) {
    if (!object_->contains(name)) return;
    for (const nlohmann::json& value : object_->at(name)) values.push_back(read<T>(value));
  }
  template <class T>
  void nested(const char* name, std::optional<T>& value) {
    if (object_->contains(name)) value = read<T>(object_->at(name));
  }
  template <class T>
  void inner(const char* name, T& value) {
    value = read<T>(object_->at(name));
  }

  template <class T>
  static T read(const nlohmann::json& object) {
    T value;
    JsonReader reader(object);
    map(reader, value);
    return value;
  }

 private:
  const nlohmann::json* object_;
};

}  // namespace benanza
