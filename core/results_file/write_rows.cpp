#include "core/results_file/write_rows.h"

#include <utility>

namespace benanza {

nlohmann::ordered_json origin_json(const Origin& origin) {
  return {{"schema", results_schema}, {"backend", origin.backend}, {"system", origin.system}};
}

RowWriter::RowWriter(std::ostream& out, nlohmann::ordered_json context, const Origin& origin)
    : out_(out) {
  for (const auto& [name, value] : origin.peaks) context[name] = value;
  for (const auto& [name, seconds] : origin.anchors)
    context["anchor_" + name + "_seconds"] = seconds;
  context["benanza"] = origin_json(origin);
  using Json = nlohmann::ordered_json;
  out_ << "{\n\"context\": " << context.dump(1, ' ', false, Json::error_handler_t::replace)
       << ",\n\"benchmarks\": [";
}

void RowWriter::add(const Row& row, const RowPosition& position) {
  out_ << std::exchange(separator_, ",\n") << row_text(row, position);
}

void RowWriter::finish() { out_ << "\n]\n}\n"; }

}  // namespace benanza
