#pragma once

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

/// `part` over `whole`, where both are known and the whole is positive.
std::optional<double> ratio(std::optional<double> part, std::optional<double> whole);
/// "?" behind the name of a model whose sums are too small.
std::string marked(const StudiedModel& model);
/// What the mark means; nothing if no model has it.
std::optional<std::string> note_on_marks(const std::vector<const StudiedModel*>& models);

}  // namespace benanza::analysis
