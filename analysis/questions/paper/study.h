#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/model/collective_curves.h"
#include "analysis/questions/common/subject.h"
#include "analysis/questions/profile/recorded.h"

namespace benanza::analysis {

/// A model at a batch size and a precision, with the answers of the questions about it.
class StudiedModel {
 public:
  /// All arguments must outlive this object.
  StudiedModel(const Inputs& inputs, const Graph& graph, const MeasurementFilter& filter,
               Precision tensor_cores);

  const Subject& subject() const { return subject_; }
  /// "resnet50_v1, batch 8".
  std::string name() const;
  /// The question's answer as JSON; null if it has none. Computed once.
  const nlohmann::ordered_json& facts(std::string_view question) const;
  /// The number at a JSON pointer ("/bounds/sequential/seconds") of the answer; empty if it is
  /// absent or null.
  std::optional<double> number(std::string_view question, const std::string& pointer) const;
  /// True if a layer lacks a time or has no call: sums are too small.
  bool is_partial() const;
  const std::string& model() const { return subject_.graph.model; }
  const std::optional<std::int64_t>& batch() const { return subject_.graph.batch; }

 private:
  Subject subject_;
  mutable std::map<std::string, nlohmann::ordered_json, std::less<>> facts_;
};

/// The subject of a paper: all models at all precisions.
struct Study {
  const Inputs& inputs;
  std::vector<StudiedModel> models;
  /// Lists of problems that are not models: DeepBench's.
  std::vector<StudiedModel> lists;
  /// Times of all-reduces in fp32 over several GPUs or processes; may be empty.
  CollectiveCurves collectives;
  /// Programs that were recorded; may be empty.
  std::vector<Recorded> recordings{};

  /// The models at one precision, in the order of the graphs.
  std::vector<const StudiedModel*> at(Precision precision) const;
  std::vector<Precision> precisions() const;
};

/// `models` at one precision, whose name is `word`.
struct AtPrecision {
  std::vector<const StudiedModel*> models{};
  std::string word{};
};

/// A chapter of the paper. Every .cpp file of chapters/ defines one, as `Chapter <file
/// name>_chapter()`; it needs no other registration. Every named table of the section becomes a CSV
/// file, every plot an SVG file.
struct Chapter {
  std::string_view title{};
  /// Returns nothing if the study has no data for it. Null: the introduction, and what `add` adds
  /// at each precision; nothing if it adds nothing.
  std::optional<Section> (*section)(const Study& study) = nullptr;
  std::string_view introduction{};
  void (*add)(Section& section, const AtPrecision& at) = nullptr;
  /// Sort key of chapters, ascending.
  int place = 100;

  std::optional<Section> of(const Study& study) const;
};

/// All chapters. Generated from the files of chapters/.
std::vector<Chapter> chapters();

/// A run of the model by a framework, at the studied precision.
struct FrameworkRun {
  /// "pytorch 2.11.0, CUDA graph".
  std::string name;
  double seconds = 0;
  /// The sequential bound divided by `seconds` (the Benanza ratio).
  std::optional<double> ratio{};
};
std::vector<FrameworkRun> framework_runs(const StudiedModel& model);
/// The run with the least latency, with or without a CUDA graph.
std::optional<FrameworkRun> fastest_run(const StudiedModel& model);

/// A sum of calls' times at a JSON pointer of `bound`'s answer; empty if no call has a time.
std::optional<double> bound_seconds(const StudiedModel& model, const std::string& pointer);

/// The models of each batch size, ascending; those without one come first.
std::map<std::optional<std::int64_t>, std::vector<const StudiedModel*>> by_batch(
    const std::vector<const StudiedModel*>& models);
/// One bar per model, "value" in the legend; if a model comes at several batch sizes, one series
/// per batch size. Models without a value are left out. A `unit` of "%" shows fractions as percent.
Bars bars_of(std::string title, const std::string& value,
             const std::vector<const StudiedModel*>& models,
             const std::function<std::optional<double>(const StudiedModel&)>& value_of,
             const std::string& unit = "", int decimals = 2);

/// Columns of tables whose rows are models: the number at a JSON pointer of a question's answer, or
/// the same as a count.
std::function<std::optional<double>(const StudiedModel*)> number_at(std::string question,
                                                                    std::string pointer);
std::function<std::optional<std::size_t>(const StudiedModel*)> count_at(std::string question,
                                                                        std::string pointer);

/// Text on the origin of the numbers: devices, versions of libraries and frameworks, and the spread
/// of the bounds.
std::string conditions(const Study& study);

/// Empty if the field is absent or no number.
std::optional<double> number_in(const nlohmann::ordered_json& object, const char* field);
/// The model's name, followed by "?" if its sums are too small.
std::string marked(const StudiedModel& model);
/// The same, as the first column of tables.
inline std::string marked_name(const StudiedModel* model) { return marked(*model); }
/// Explains the mark; empty if no model has it.
std::optional<std::string> note_on_marks(const std::vector<const StudiedModel*>& models);

}  // namespace benanza::analysis
