#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/document.h"

/// A type's mapping to JSON is one function, map(io, value), in the type's namespace. It names each
/// member once, and both writes and reads it.
namespace benanza {

/// Writes members that differ from what a reader takes for absent ones.
class JsonWriter {
 public:
  template <class T>
  void operator()(const char* name, const T& value, const T& usual = {}) {
    if (value != usual) object_[name] = value;
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = *value;
  }
  template <class T>
  void each(const char* name, const std::vector<T>& values) {
    if (values.empty()) return;
    nlohmann::ordered_json& list = object_[name] = nlohmann::ordered_json::array();
    for (const T& value : values) list.push_back(written(value));
  }
  template <class T>
  void nested(const char* name, const std::optional<T>& value) {
    if (value) object_[name] = written(*value);
  }
  template <class T>
  void inner(const char* name, const T& value) {
    object_[name] = written(value);
  }
  nlohmann::ordered_json take() { return std::move(object_); }

  template <class T>
  static nlohmann::ordered_json written(const T& value) {
    JsonWriter writer;
    T copy = value;
    map(writer, copy);
    return writer.take();
  }

 private:
  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
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
