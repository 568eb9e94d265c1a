#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/row.h"

namespace benanza {

/// `text` as a JSON string, behind what is in `out`.
void append_json(std::string& out, std::string_view text);

/// Receives the members of one row, as scan_flat_object() tells them. Members that are objects or
/// lists, "samples" but for one, are passed over: the suites write none.
class RowReader {
 public:
  void boolean(bool value) {
    if (depth_ != 1) return;
    switch (member_) {
      case Member::counted:
        counted_ = value;
        break;
      case Member::by_name:
        by_name_ = value;
        break;
      case Member::claimed:
        claimed_ = value;
        break;
      case Member::fact:
        break;
      default:
        return ignore_or_refuse();
    }
    begin_fact();
    row.facts += value ? "true" : "false";
  }
  /// `value()` is the number that `text` spells.
  template <class Value>
  void number(std::string_view text, Value&& value) {
    Measurement& measurement = row.measurement;
    if (in_samples_) return measurement.samples.push_back(value());
    if (depth_ != 1) return;
    switch (member_) {
      case Member::real_time:
        real_time = value();
        break;
      case Member::repetition:
        row.repetition = static_cast<std::int64_t>(value());
        break;
      case Member::workspace:
        measurement.workspace_bytes = static_cast<std::int64_t>(value());
        break;
      case Member::heuristic_rank:
        measurement.heuristic_rank = static_cast<int>(value());
        break;
      case Member::fact:
        begin_fact();
        row.facts += text;
        break;
      default:
        return ignore_or_refuse();
    }
  }
  void text(std::string_view value) {
    if (in_samples_) refuse("samples");
    if (depth_ != 1) return;
    switch (member_) {
      case Member::name:
        name = value;
        break;
      case Member::status:
        status = value;
        break;
      case Member::reason:
        row.measurement.reason = value;
        break;
      case Member::run_type:
        aggregate = value == "aggregate";
        break;
      case Member::time_unit:
        time_unit = value;
        break;
      case Member::fact:
        begin_fact();
        append_json(row.facts, value);
        break;
      default:
        return ignore_or_refuse();
    }
  }
  void key(std::string_view name_of_member) {
    if (depth_ != 1) return;
    member_ = member_of(name_of_member);
    key_ = name_of_member;
  }
  void enter() {
    if (depth_ == 1 && member_ != Member::fact && !in_samples_) refuse(key_);
    ++depth_;
  }
  void leave() { --depth_; }
  void enter_list() {
    in_samples_ = depth_ == 1 && member_ == Member::samples;
    enter();
  }
  void leave_list() {
    in_samples_ = false;
    leave();
  }
  std::vector<double>* numbers() {
    return depth_ == 1 && member_ == Member::samples ? &row.measurement.samples : nullptr;
  }

  /// By the hardware's counters if they were read, else by the kernels' names, else as the library
  /// says.
  std::optional<bool> tensor_cores() const {
    if (counted_) return counted_;
    return by_name_ ? by_name_ : claimed_;
  }

  ResultRow row{};
  std::string name{};
  std::string status{};
  std::string time_unit{};
  std::optional<double> real_time{};
  bool aggregate = false;

 private:
  /// Members that analysis reads, or that follow from others and are not kept.
  enum class Member {
    name,
    status,
    reason,
    run_type,
    time_unit,
    real_time,
    repetition,
    samples,
    workspace,
    heuristic_rank,
    counted,
    by_name,
    claimed,
    derived,
    fact
  };

  static Member member_of(std::string_view name);
  [[noreturn]] static void refuse(const std::string& member);
  void ignore_or_refuse() const {
    if (member_ != Member::derived) refuse(key_);
  }
  void begin_fact() {
    if (!row.facts.empty()) row.facts += ',';
    append_json(row.facts, key_);
    row.facts += ':';
  }

  int depth_ = 0;
  bool in_samples_ = false;
  Member member_ = Member::fact;
  std::string key_;
  std::optional<bool> counted_;
  std::optional<bool> by_name_;
  std::optional<bool> claimed_;
};

}  // namespace benanza
