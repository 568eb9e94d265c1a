// The fastest kind of algorithm for each convolution.

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "analysis/questions/paper/study.h"
#include "core/problem/problem.h"

namespace benanza::analysis {
namespace {

/// With fewer convolutions a map shows no more than the table.
constexpr std::size_t fewest_on_a_map = 8;

constexpr const char* kinds[] = {"matrix product", "implicit product or direct", "Winograd", "FFT"};

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Index into `kinds`, from the suites' names of algorithms.
std::size_t kind_of(const VariantName& call) {
  if (has(call.algorithm, "winograd")) return 2;
  if (has(call.algorithm, "fft")) return 3;
  const bool is_product = call.backend == "cublas" || call.algorithm == "gemm" ||
                          call.algorithm.starts_with("gemm:") || has(call.algorithm, ":gemm:") ||
                          call.algorithm.starts_with("product.") ||
                          call.algorithm.starts_with("inner_product.");
  return is_product ? 0 : 1;
}

std::string kernel_of(const Convolution& shape) {
  std::string text;
  for (const std::int64_t extent : shape.window.kernel) {
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  }
  if (shape.groups > 1) text += shape.groups == shape.input[1] ? ", depthwise" : ", grouped";
  return text;
}

/// Maps of the winning kinds: a point per convolution, by products per output and number of
/// outputs.
using Maps = std::map<std::string, Roofline>;

void add_point(Maps& maps, const std::string& kernel, const std::string& word,
               const Convolution& shape, std::size_t kind, double seconds) {
  Roofline& map = maps[kernel];
  if (map.points.empty()) {
    map.title = "Fastest algorithm of " + kernel + " convolutions, " + word;
    map.x_name = "products summed up for each output: kernel x channels of a group";
    map.y_name = "outputs of a filter: batch x pixels";
    map.series.assign(std::begin(kinds), std::end(kinds));
  }
  const Dims outputs = output({.shape = shape, .epilogue = {}});
  std::int64_t summed = shape.input[1] / shape.groups;
  for (const std::int64_t extent : shape.window.kernel) summed *= extent;
  const auto pixels = element_count(outputs) / outputs[1];
  map.points.push_back({.x = static_cast<double>(summed),
                        .y = static_cast<double>(pixels),
                        .weight = seconds,
                        .label = fmt::format("{} filters: {}", shape.filters, kinds[kind]),
                        .series = kind});
}

void add_precision(Section& section, const Study& study, Precision precision, bool& any) {
  const std::string word(to_string(precision));
  std::set<std::string> keys;
  for (const StudiedModel* model : study.at(precision)) {
    for (const Layer& layer : model->subject().graph.layers) {
      for (const std::string& key : layer.problems) {
        if (key.starts_with("conv/")) keys.insert(key);
      }
    }
  }
  Sheet sheet{.name = "winners_" + word,
              .caption = "Fastest algorithm of every convolution, " + word,
              .columns = {{"kernel", "kernel"},
                          {"n", "n", true},
                          {"c", "c", true},
                          {"k", "k", true},
                          {"h", "h", true},
                          {"us", "seconds", true},
                          {"kind", "kind"},
                          {"call", "call"}}};
  Maps maps;
  std::map<std::pair<std::string, std::int64_t>, std::map<std::size_t, double>> by_kernel;
  for (const std::string& key : keys) {
    const Problem problem = parse(key);
    const auto* shape = std::get_if<Convolution>(&problem.shape);
    if (shape == nullptr) continue;
    const Selected found =
        select_measurement(key, study.inputs.results.measurements,
                           study.at(precision).front()->subject().filter, precision);
    if (found.best == nullptr) continue;
    const std::size_t kind = kind_of(found.best->variant);
    const std::string kernel = kernel_of(*shape);
    ++by_kernel[{kernel, shape->input[0]}][kind];
    add_point(maps, kernel, word, *shape, kind, found.best->seconds());
    const auto count = [](std::int64_t value) {
      return count_cell(static_cast<std::size_t>(value));
    };
    sheet.rows.push_back({text_cell(kernel), count(shape->input[0]), count(shape->input[1]),
                          count(shape->filters), count(shape->input[2]),
                          us_cell(found.best->seconds()), text_cell(kinds[kind]),
                          text_cell(call_text(found.best))});
  }
  if (sheet.rows.empty()) return;
  any = true;
  Bars bars{.title = "Convolutions by kernel, and what computes them fastest, " + word,
            .decimals = 0,
            .stacked = true};
  for (const char* kind : kinds) bars.series.push_back({.name = kind});
  for (const auto& [kernel, counts] : by_kernel) {
    bars.categories.push_back(kernel.first + ", batch " + std::to_string(kernel.second));
    for (std::size_t i = 0; i < std::size(kinds); ++i) {
      const auto entry = counts.find(i);
      bars.series[i].values.push_back(entry == counts.end() ? 0 : entry->second);
    }
  }
  section.add(std::move(bars));
  for (auto& [kernel, map] : maps) {
    if (map.points.size() >= fewest_on_a_map) section.add(std::move(map));
  }
  section.add(std::move(sheet));
}

std::optional<Section> section(const Study& study) {
  Section section;
  section.add(
      "Every distinct convolution of the models, and the kind of algorithm that is fastest for "
      "it. On the maps, the area of a point is the time of its call.");
  bool any = false;
  for (const Precision precision : study.precisions())
    add_precision(section, study, precision, any);
  if (!any) return std::nullopt;
  return section;
}

}  // namespace

Chapter winners_chapter() {
  return {.title = "Convolution algorithms", .section = section, .place = 35};
}

}  // namespace benanza::analysis
