#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace benanza::record {

/// Knows whether any thread is inside of a range of one name. For several threads at once.
class RangeGate {
 public:
  /// An empty name: always open.
  explicit RangeGate(std::string name) : name_(std::move(name)) {}

  bool has_name() const { return !name_.empty(); }
  bool is_open() const;
  /// A range that ends with its thread's next pop(), in its domain.
  void push(std::uint64_t thread, const void* domain, std::string_view name);
  void pop(std::uint64_t thread, const void* domain);
  /// A range that any thread ends. Ids are unique among the open ones.
  void start(std::uint64_t id, std::string_view name);
  void end(std::uint64_t id);

 private:
  const std::string name_;
  mutable std::mutex mutex_;
  /// Of every thread and domain with an open range: is each of them one of the name?
  std::map<std::pair<std::uint64_t, const void*>, std::vector<bool>> stacks_;
  std::set<std::uint64_t> started_;
  std::size_t open_ = 0;
};

}  // namespace benanza::record
