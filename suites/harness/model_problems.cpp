#include "suites/harness/model_problems.h"

#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"

namespace benanza {
namespace {

using nlohmann::json;

/// As written by benanza-generate.
constexpr int graph_schema = 1;

class Keys {
 public:
  void add(const std::string& key) {
    if (seen_.insert(key).second) keys_.push_back(key);
  }
  void add(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found != object.end() && !found->is_null()) add(found->get<std::string>());
  }
  std::vector<std::string> take() { return std::move(keys_); }

 private:
  std::vector<std::string> keys_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> problems_of_model(const std::filesystem::path& graph) {
  const auto error = [&](const std::string& what) {
    return Error(graph.string() + ": " + what + "; give a .graph.json of benanza-generate");
  };
  try {
    const json root = json::parse(read_file(graph));
    if (!root.is_object() || !root.contains("layers")) throw error("is no graph file");
    if (root.value("schema", 0) != graph_schema) throw error("has another schema");
    Keys keys;
    for (const json& layer : root.at("layers")) {
      for (const json& key : layer.at("problems")) keys.add(key.get<std::string>());
    }
    for (const json& fusion : root.value("fusions", json::array())) keys.add(fusion, "problem");
    for (const json& transform : root.value("transforms", json::array())) {
      keys.add(transform, "to_nhwc");
      keys.add(transform, "to_nchw");
    }
    return keys.take();
  } catch (const json::exception&) {
    throw error("is no graph file");
  }
}

}  // namespace benanza
