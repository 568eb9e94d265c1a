#include "core/base/document.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/gzip.h"

namespace benanza {

Document::Document(std::filesystem::path path, std::string_view kind, std::string_view remedy)
    : FileOfKind(std::move(path), kind, remedy) {
  std::string text = read_file(this->path());
  if (text.empty()) throw error("is empty, not " + this->kind());
  if (is_gzip(text)) {
    try {
      text = gunzip(text);
    } catch (const Error& reason) {
      throw error(reason.what());
    }
  }
  root_ = parsed(text);
}

Error FileOfKind::error(std::string_view message) const {
  // Names in the file may have line breaks.
  std::string line(message);
  std::ranges::replace(line, '\n', ' ');
  return Error(path_.string() + ": " + line + "; " + remedy_);
}

Error FileOfKind::malformed(std::string_view reason) const {
  // Removes the bracket, meant for programmers, of "[json.exception.out_of_range.403] key 'x' not
  // found".
  if (const auto end = reason.find("] "); end != std::string_view::npos) {
    reason.remove_prefix(end + 2);
  }
  return error("is not " + kind_ + ": " + std::string(reason));
}

nlohmann::json FileOfKind::parsed(const std::string& text) const {
  nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded()) throw error("is not " + kind_ + ": not JSON, or cut short");
  if (!root.is_object()) throw error("is not " + kind_);
  return root;
}

void FileOfKind::require_schema(const nlohmann::json& holder, int expected) const {
  const auto schema = holder.find("schema");
  if (schema == holder.end()) throw error("is not " + kind_ + ": it has no \"schema\"");
  if (*schema != expected) {
    throw error("has schema " + schema->dump() + ", not " + std::to_string(expected));
  }
}

}  // namespace benanza
