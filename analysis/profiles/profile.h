#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/document.h"
#include "core/problem/text.h"

namespace benanza::analysis {

/// One kernel, copy or fill of the GPU.
struct ProfiledKernel {
  std::string name{};
  double seconds = 0;
  /// The GPU had nothing to do before it, because the host launched it too late.
  double waited_seconds = 0;
};

/// One ONNX operator that a framework's operator does, as far as its own kind and shapes tell.
struct Part {
  std::string op{};
  /// Key of the problem; empty where the shapes do not tell it.
  std::string problem{};
  /// Of the result; empty if unknown.
  Dims output{};
  /// Another model may have no such layer there (the bias of a product, the steps of a GELU): only
  /// a layer of equal shapes is this one.
  bool optional = false;
  /// A product whose operator adds a bias, too.
  bool bias = false;
};

/// One operator as a framework ran it.
struct ProfiledNode {
  /// As the framework calls it.
  std::string name{};
  /// The model's node or tensor it was made from, as far as its name tells; else equal to `name`.
  /// Empty in profiles that do not know the model's names: `parts` say what it does.
  std::string origin{};
  /// ONNX operator that does most of its work, e.g. "Conv" for a fused convolution. Empty if it has
  /// none.
  std::string op{};
  /// Seconds per run of the model: the median over the profiled runs. Of the GPU, where it works.
  double seconds = 0;
  /// Known where `origin` is empty.
  std::vector<Part> parts{};
  /// In the order they ran. Medians over the profiled runs.
  std::vector<ProfiledKernel> kernels{};
};

/// The GPU during one run of the model, with the profiler on. Medians over the runs.
struct Timeline {
  /// From the first operator's call to the end of the last kernel.
  double span_seconds = 0;
  /// Some kernel ran.
  double busy_seconds = 0;
  /// Idle, because the host had not launched the next kernel.
  double host_bound_seconds = 0;
};

/// Training steps of several workers, each with its own samples, as they were measured.
struct DataParallel {
  std::int64_t workers = 2;
  /// Seconds per step.
  std::vector<double> latency_seconds{};
  /// How many times as long a step computes while gradients travel all the time.
  std::optional<double> contention{};
  /// How many times as long an all-reduce takes beside computation.
  std::optional<double> message_slowdown{};
  /// A worker's samples, from the host's page-locked memory to the device.
  std::optional<double> to_device_seconds{};
  /// A step of each worker, without gradients travelling; empty: not measured.
  std::vector<double> worker_seconds{};
  /// In which the host has launched a step.
  std::optional<double> host_seconds{};
  /// Seconds of a copy on the device by its bytes; `scaled`: that multiplies, too. Empty: not
  /// measured.
  std::map<double, double> copies{};
  std::map<double, double> scaled_copies{};
  /// Bytes of each buffer that worker 0 sends to the others before the forward pass, by type.
  std::map<std::string, std::vector<double>> buffers{};
  /// The model's own gradients into messages and back, and its buffers to the other workers; each
  /// measured alone.
  std::optional<double> pack_seconds{};
  std::optional<double> unpack_seconds{};
  std::optional<double> buffers_seconds{};
};

/// A framework's run of a model, as it was recorded.
struct Profile {
  std::filesystem::path path{};
  std::string framework{};
  std::string version{};
  /// Empty if the profile does not say.
  std::string model{};
  std::optional<std::int64_t> batch{};
  /// "mixed" where the products' operands are of several types; empty if the profile does not say.
  std::string precision{};
  std::optional<std::int64_t> threads{};
  /// Model of the processor or accelerator; empty if the profile does not say.
  std::string device{};
  /// Seconds per run, the framework's profiler off. Not empty, but for a bare trace.
  std::vector<double> latency_seconds{};
  /// The same with the whole run captured in a CUDA graph; may be empty.
  std::vector<double> graph_latency_seconds{};
  std::optional<DataParallel> data_parallel{};
  /// In the order they ran.
  std::vector<ProfiledNode> nodes{};
  /// Profiles of a GPU.
  std::optional<Timeline> timeline{};
  /// Runs that the times are medians of.
  std::size_t steps = 1;
  /// The operators are this many times the same sequence, and the profile does not say whether that
  /// is one run of a model or several (one_run() decides).
  std::size_t repeats = 1;
  /// Reservations a reader should know of; one sentence each.
  std::vector<std::string> remarks{};
};

/// A framework's file format. Every .cpp file of frameworks/ defines one, as
/// `Importer <file name>_importer()`; nothing else has to know of it.
struct Importer {
  std::string_view framework;
  bool (*recognises)(const nlohmann::json& root);
  /// May throw Error and nlohmann::json::exception.
  Profile (*import)(const Document& document);
};

/// Every framework's, in the order of their names. Generated from the files of frameworks/.
std::vector<Importer> importers();

/// Reads a framework's profile; its content says which framework's. Throws Error, one line, if it
/// is none of those known, cut short, or holds no latency or no operator.
Profile read_profile(const std::filesystem::path& path);

}  // namespace benanza::analysis
