#include "record/logs/shared/entry.h"

#include <algorithm>

#include "core/base/text.h"

namespace benanza::record {
namespace {

using text::between;
using text::integer;
using text::trimmed;

bool ends_with_name(std::string_view path, std::string_view name) {
  return path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '.');
}

std::string_view find(const std::map<std::string, std::string>& fields, std::string_view name) {
  if (const auto exact = fields.find(std::string(name)); exact != fields.end()) {
    return exact->second;
  }
  for (const auto& [path, value] : fields) {
    if (ends_with_name(path, name)) return value;
  }
  return {};
}

}  // namespace

Dims dims(std::string_view text) {
  Dims values;
  if (!text.starts_with('[')) return values;
  while (!text.empty() && text.front() != ']') {
    text.remove_prefix(1);
    const auto value = integer(text);
    if (!value) return {};
    values.push_back(*value);
    text = text.substr(std::min(text.find_first_of(",]"), text.size()));
  }
  return values;
}

std::string_view type_name(std::string_view type) {
  for (const std::string_view prefix : {"CUDNN_DATA_", "CUDA_"}) {
    if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
  }
  return type.substr(0, type.find_first_of(" ("));
}

std::optional<Precision> precision(std::string_view type) {
  constexpr std::pair<std::string_view, Precision> types[] = {
      {"R_32F", Precision::fp32},    {"FLOAT", Precision::fp32},  {"R_16F", Precision::fp16},
      {"HALF", Precision::fp16},     {"R_16BF", Precision::bf16}, {"BFLOAT16", Precision::bf16},
      {"R_8I", Precision::int8},     {"INT8", Precision::int8},   {"UINT8", Precision::int8},
      {"R_8F_E4M3", Precision::fp8}, {"FP8_E4M3", Precision::fp8}};
  for (const auto& [name, precision] : types) {
    if (type_name(type) == name) return precision;
  }
  return std::nullopt;
}

void remark_result(std::string_view type, std::string& remarks) {
  remarks += (remarks.empty() ? "" : ", ") + std::string(result_remark);
  remarks += type_name(type);
}

void remark_gaps(std::string& remarks) {
  remarks += (remarks.empty() ? "" : ", ") + std::string(gaps_remark);
}

std::string function_of(std::string_view line) {
  std::string_view declaration = between(line, " function ", "(");
  if (const auto space = declaration.rfind(' '); space != std::string_view::npos) {
    declaration.remove_prefix(space + 1);
  }
  return std::string(declaration);
}

void Entry::add(std::string_view line) {
  const std::size_t depth = std::min(line.find_first_not_of(' '), line.size());
  line = trimmed(line);
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos) return;
  while (!open_.empty() && open_.back().first >= depth) open_.pop_back();
  std::string path = open_.empty() ? "" : open_.back().second + '.';
  path += line.substr(0, colon);
  const int count = ++seen_[path];
  if (count > 1) path += '#' + std::to_string(count);
  open_.emplace_back(depth, path);
  const auto value = line.find("val=");
  if (value != std::string_view::npos) fields_[path] = trimmed(line.substr(value + 4));
  const auto type = between(line, "type=", ";:");
  types_[path] = type;
}

std::string_view Entry::value(std::string_view name) const { return find(fields_, name); }

std::string_view Entry::type(std::string_view name) const { return find(types_, name); }

std::vector<Entry> Entry::parts(std::string_view name) const {
  std::map<std::int64_t, std::string> paths;
  for (const auto& [path, type] : types_) {
    // "graph.operation#2".
    std::string_view last = path;
    if (const auto dot = last.rfind('.'); dot != last.npos) last.remove_prefix(dot + 1);
    const auto number = last.find('#');
    if (last.substr(0, number) != name) continue;
    paths.emplace(number == last.npos ? 1 : integer(last.substr(number + 1)).value_or(1), path);
  }
  const auto take_below = [](const std::map<std::string, std::string>& from,
                             const std::string& prefix, std::map<std::string, std::string>& to) {
    for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix);
         ++at) {
      to.emplace(at->first.substr(prefix.size()), at->second);
    }
  };
  std::vector<Entry> found;
  for (const auto& [number, path] : paths) {
    Entry& part = found.emplace_back(types_.at(path));
    take_below(fields_, path + '.', part.fields_);
    take_below(types_, path + '.', part.types_);
  }
  return found;
}

std::vector<std::pair<std::string, std::string>> Entry::below(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [path, value] : fields_) {
    const auto dot = path.rfind('.');
    if (dot != std::string::npos && ends_with_name(path.substr(0, dot), name)) {
      found.emplace_back(path.substr(dot + 1), value);
    }
  }
  return found;
}

Entry entry_of(std::string_view lines) {
  Entry entry(function_of(lines.substr(0, lines.find('\n'))));
  for (std::size_t at = lines.find('\n'); at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at + 1), lines.size());
    const std::string_view line = lines.substr(at + 1, end - at - 1);
    if (line.starts_with("i!")) entry.add(line.substr(2));
    at = end;
  }
  return entry;
}

}  // namespace benanza::record
