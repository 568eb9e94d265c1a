// benanza-analyze census: how many layers of each operator a model has.
#include <map>
#include <memory>
#include <string>

#include "analysis/questions/question.h"

namespace benanza::analysis {
namespace {

Action ask(Flags& flags) {
  const auto path = std::make_shared<std::string>();
  flags.add_required("--graph", *path, "<model>.graph.json of benanza-generate", "FILE");
  return [path] {
    std::map<std::string, int> layers;
    for (const Layer& layer : read_graph(*path).layers) ++layers[layer.op];
    std::string text;
    for (const auto& [op, count] : layers) text += op + ' ' + std::to_string(count) + '\n';
    print(text);
  };
}

}  // namespace

Question census_question() {
  return {.name = "census", .help = "How many layers of each operator there are", .ask = ask};
}

}  // namespace benanza::analysis
