#include "analysis/results/row_reader.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "analysis/results/json_text.h"
#include "core/base/error.h"

namespace benanza {
namespace {

/// Members by name. Their lengths tell most of them apart: faster than a hash of the name.
template <class Member>
class NameTable {
 public:
  struct Entry {
    std::string_view name;
    Member member;
  };
  NameTable(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) by_length_.at(entry.name.size()).push_back(entry);
  }
  Member find(std::string_view name) const {
    if (name.size() >= by_length_.size()) return Member::fact;
    for (const Entry& entry : by_length_[name.size()]) {
      if (entry.name == name) return entry.member;
    }
    return Member::fact;
  }

 private:
  std::array<std::vector<Entry>, 32> by_length_;
};

}  // namespace

RowReader::Member RowReader::member_of(std::string_view name) {
  static const NameTable<Member> members{{"name", Member::name},
                                         {"status", Member::status},
                                         {"reason", Member::reason},
                                         {"run_type", Member::run_type},
                                         {"time_unit", Member::time_unit},
                                         {"real_time", Member::real_time},
                                         {"repetition_index", Member::repetition},
                                         {"samples", Member::samples},
                                         {"workspace_bytes", Member::workspace},
                                         {"heuristic_rank", Member::heuristic_rank},
                                         {"tensor_core_counted", Member::counted},
                                         {"tensor_core_by_name", Member::by_name},
                                         {"tensor_core_claimed", Member::claimed},
                                         {"run_name", Member::derived},
                                         {"family_index", Member::derived},
                                         {"per_family_instance_index", Member::derived},
                                         {"repetitions", Member::derived},
                                         {"threads", Member::derived},
                                         {"iterations", Member::derived},
                                         {"cpu_time", Member::derived},
                                         {"FLOP/s", Member::derived},
                                         {"bytes/s", Member::derived},
                                         {"min", Member::derived},
                                         {"cv", Member::derived},
                                         {"sample_count", Member::derived},
                                         {"error_occurred", Member::derived},
                                         {"error_message", Member::derived}};
  return members.find(name);
}

void RowReader::refuse(const std::string& member) {
  throw Error("is not a results file: \"" + member + "\" is of another type");
}

void append_json(std::string& out, std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c >= ' ' && c != '"' && c != '\\' && c < 0x7f;
  });
  if (!plain) {
    out += quoted_json(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

}  // namespace benanza
