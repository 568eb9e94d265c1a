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

#include "analysis/questions/common/collective_curves.h"
#include "analysis/questions/common/subject.h"

namespace benanza::analysis {

/// A model at a batch size and a precision, and what the questions say of it.
class StudiedModel {
 public:
  /// Everything outlives it.
  StudiedModel(const Inputs& inputs, const Graph& graph, const MeasurementFilter& filter,
               Precision tensor_cores);

  const Subject& subject() const { return subject_; }
  /// "resnet50_v1, batch 8".
  std::string name() const;
  /// The question's answer as JSON; null where it has nothing to say. Asked once.
  const nlohmann::ordered_json& facts(std::string_view question) const;
  /// The number at a JSON pointer ("/bounds/sequential/seconds") of the answer; nothing where it is
  /// not there or null.
  std::optional<double> number(std::string_view question, const std::string& pointer) const;
  /// A layer of it lacks a time, or has no call: sums are too small.
  bool is_partial() const;
  const std::string& model() const { return subject_.graph.model; }
  const std::optional<std::int64_t>& batch() const { return subject_.graph.batch; }

 private:
  Subject subject_;
  mutable std::map<std::string, nlohmann::ordered_json, std::less<>> facts_;
};

/// Everything that a paper is about: all models at all precisions.
struct Study {
  const Inputs& inputs;
  std::vector<StudiedModel> models;
  /// Lists of problems, which are no models: DeepBench's.
  std::vector<StudiedModel> lists;
  /// What several GPUs, or processes, take to add up gradients in fp32; may be empty.
  CollectiveCurves collectives;

  /// Those at one precision, in the order of the graphs.
  std::vector<const StudiedModel*> at(Precision precision) const;
  std::vector<Precision> precisions() const;
};

/// A chapter of the paper. Every .cpp file of chapters/ defines one, as `Chapter <file
/// name>_chapter()`; nothing else has to know of it. Every table of the section with a name becomes
/// a CSV file, every plot an SVG file.
struct Chapter {
  std::string_view title{};
  /// Nothing where the study has no data for it.
  std::optional<Section> (*section)(const Study& study) = nullptr;
  /// Chapters are in ascending order of this.
  int place = 100;
};

/// Every one. Generated from the files of chapters/.
std::vector<Chapter> chapters();

/// A run of the model by a framework, at the precision that is studied.
struct FrameworkRun {
  /// "pytorch 2.11.0, CUDA graph".
  std::string name;
  double seconds = 0;
  /// What the sequential bound is of it (the Benanza ratio).
  std::optional<double> ratio{};
};
std::vector<FrameworkRun> framework_runs(const StudiedModel& model);
/// The one with the least latency, as it launches its work anyhow.
std::optional<FrameworkRun> fastest_run(const StudiedModel& model);

/// A sum of calls' times at a JSON pointer of `bound`'s answer; nothing where no call has a time.
std::optional<double> bound_seconds(const StudiedModel& model, const std::string& pointer);

/// The models of each batch size, in ascending order; those without one first.
std::map<std::optional<std::int64_t>, std::vector<const StudiedModel*>> by_batch(
    const std::vector<const StudiedModel*>& models);
/// Bars of one value a model, "value" in the legend; where models come at several batch sizes, one
/// below the other, for each batch size. Models without a value are left out.
Bars bars_of(std::string title, const std::string& value,
             const std::vector<const StudiedModel*>& models,
             const std::function<std::optional<double>(const StudiedModel&)>& value_of);

/// Where the numbers are from: devices, versions of libraries and frameworks, and the spread of the
/// bounds.
std::string conditions(const Study& study);

/// `part` over `whole`, where both are known and the whole is positive.
std::optional<double> ratio(std::optional<double> part, std::optional<double> whole);
/// "?" behind the name of a model whose sums are too small.
std::string marked(const StudiedModel& model);
/// What the mark means; nothing if no model has it.
std::optional<std::string> note_on_marks(const std::vector<const StudiedModel*>& models);

}  // namespace benanza::analysis
