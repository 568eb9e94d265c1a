#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "generator/onnx/model/program.h"

/// Steps that take values apart and put them together around bodies that are read as part of the
/// program.
namespace benanza::onnx {

/// A value, and what nodes call it.
struct NamedValue {
  std::string name;
  Value* value = nullptr;
};

std::unique_ptr<::onnx::NodeProto> node_of(const std::string& op);
void set_integers(::onnx::NodeProto& node, const std::string& name, std::int64_t value);

/// A step of the standard operators' opset 11 or, for a Slice, the last one whose places are
/// attributes.
Step made_step(Program& program, const std::string& name, std::unique_ptr<::onnx::NodeProto> proto,
               const std::vector<NamedValue>& from, const NamedValue& to);

/// Reads one element of `axis`, without that axis; `cut` null: the only one, else a new value for
/// the element with its axis.
void add_element(Program& program, std::vector<Step>& steps, const std::string& owner,
                 const NamedValue& from, const NamedValue& to, std::int64_t axis,
                 std::int64_t place, Value* cut);

/// Joins parts along `axis`.
Step joined_step(Program& program, const std::string& name, const std::vector<NamedValue>& parts,
                 const NamedValue& to, std::int64_t axis);

/// A new value with a number that is known, called `name` where a step of `owner` reads it.
Value* known_number(Program& program, const Step& owner, const std::string& name, int type,
                    std::int64_t number);

/// The step as its body's run `number` of `count` is named.
Step named_run(const Step& step, std::int64_t number, std::int64_t count);

/// Counts steps that bodies add, `each` of `count` runs; false if there would be too many to read.
bool may_add(Program& program, std::int64_t count, std::int64_t each);

}  // namespace benanza::onnx
