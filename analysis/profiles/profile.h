#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/document.h"
#include "core/problem/precision.h"
#include "core/problem/text.h"
#include "core/statistics/summary.h"

namespace benanza::analysis {

class ProfileFile;

/// One kernel, copy or fill on the GPU.
struct ProfiledKernel {
  std::string name{};
  double seconds = 0;
  /// Time that the GPU was idle before it because the host launched it too late.
  double waited_seconds = 0;
};

/// What an optional step with one operand beside its input may read.
enum class StepOperand {
  any,
  number,  // one element: a scale, a constant of a formula
  same,    // one element, or as many as the result
  row      // the same, a row of parameters, or one element for each row
};

/// One ONNX operator that a framework's operator does, as far as its kind and shapes show.
struct Part {
  std::string op{};
  /// Key of the problem; empty if shapes, types and attributes do not determine one.
  std::string problem{};
  /// Why it is empty, if that is known: "argument 6 is 3".
  std::string reason{};
  /// At which the problem ran; nullopt if types are not stated.
  std::optional<Precision> precision{};
  /// Shape of the result; empty if unknown.
  Dims output{};
  /// The model may have no such layer (the bias of a product, the steps of a GELU): matches only a
  /// layer of equal shapes.
  bool optional = false;
  /// Of an optional part: the operator did it in any case (the mask of attention).
  bool done = false;
  /// Of an optional part without a problem.
  StepOperand operand = StepOperand::any;
  /// True for a product whose operator also adds a bias, or a tensor with the result's extents.
  bool bias = false;
  bool residual = false;
  /// Key of the one problem that does this and all other parts of its operator (attention); empty
  /// if there is none.
  std::string whole{};
};

/// One operator of a framework's run.
struct ProfiledNode {
  /// The framework's name.
  std::string name{};
  /// The model's node or tensor that it comes from, as far as its name shows; otherwise equal to
  /// `name`. Empty in profiles that lack the model's names: there, `parts` describe the operator.
  std::string origin{};
  /// The tensor of the one layer that it does by another operator, if the model has nothing called
  /// `origin`.
  std::string replaced{};
  /// The ONNX operator that does most of its work, e.g. "Conv" for a fused convolution. Empty if
  /// there is none.
  std::string op{};
  /// Seconds per run of the model, the median over the profiled runs; GPU time if it ran on a GPU.
  double seconds = 0;
  /// The shortest and the longest of these runs; empty if there was one only.
  std::optional<Interval> range{};
  /// Known only if `origin` is empty.
  std::vector<Part> parts{};
  /// Shapes of what it reads and writes, of nodes with an origin; empty if not stated. Weights that
  /// the framework has packed are missing.
  std::vector<Dims> inputs{};
  std::vector<Dims> outputs{};
  /// True if its name says that it also does what follows the layer it is named after.
  bool does_next = false;
  /// True if the name says that this ends in an activation.
  bool does_activation = false;
  /// True if the profile lacks some of its kernels: its time is too short.
  bool lacks_kernels = false;
  /// In the order they ran; times are medians over the profiled runs.
  std::vector<ProfiledKernel> kernels{};
};

/// The GPU during one run of the model, with the profiler on. Medians over the runs.
struct Timeline {
  /// From the first operator's call, or the end of the work of earlier runs if that is later, to
  /// the end of the last kernel.
  double span_seconds = 0;
  /// At least one kernel ran.
  double busy_seconds = 0;
  /// The GPU was idle because the host had not launched the next kernel.
  double host_bound_seconds = 0;
};

/// Measured training steps of several workers, each with its own samples.
struct DataParallel {
  std::int64_t workers = 2;
  /// Seconds per step, not empty. Not measured: only the costs that predict it.
  std::optional<std::vector<double>> latency_seconds{};
  /// Factor by which computation is slower while gradients are in flight all the time.
  std::optional<double> contention{};
  /// Factor by which an all-reduce is slower during computation.
  std::optional<double> message_slowdown{};
  /// Copy of a worker's samples from the host's page-locked memory to the device.
  std::optional<double> to_device_seconds{};
  /// Step of each worker without communication; empty: not measured.
  std::vector<double> worker_seconds{};
  /// Time in which the host launches a step.
  std::optional<double> host_seconds{};
  /// Seconds of a copy on the device by its bytes; the copies of `scaled_copies` also multiply.
  /// Empty: not measured.
  std::map<double, double> copies{};
  std::map<double, double> scaled_copies{};
  /// Bytes of each buffer that worker 0 broadcasts before the forward pass, by type.
  std::map<std::string, std::vector<double>> buffers{};
  /// Copying the model's own gradients into messages and back, and broadcasting its buffers; each
  /// measured alone.
  std::optional<double> pack_seconds{};
  std::optional<double> unpack_seconds{};
  std::optional<double> buffers_seconds{};
};

/// The runs of one of several processes that ran the model one after the other.
struct ProcessRuns {
  /// Seconds per run, with the framework's profiler off; at least one.
  std::vector<double> latency_seconds{};
  /// The same with the whole run captured in a CUDA graph; may be empty.
  std::vector<double> graph_latency_seconds{};
};

/// The same model with fewer threads than the profile's.
struct FewerThreads {
  std::int64_t threads = 1;
  std::int64_t instead_of = 2;
  std::vector<ProcessRuns> processes{};
};

/// A recorded run of a model by a framework.
struct Profile {
  std::filesystem::path path{};
  std::string framework{};
  std::string version{};
  /// How the framework was told to run the model, and on what.
  std::vector<std::string> options{};
  /// Empty if the profile does not state it.
  std::string model{};
  std::optional<std::int64_t> batch{};
  /// "mixed" if the products' operands are of several types; empty if not stated.
  std::string precision{};
  std::optional<std::int64_t> threads{};
  /// Model of the processor or accelerator; empty if not stated.
  std::string device{};
  /// Of libraries and the driver, by name, as far as stated.
  std::map<std::string, std::string> versions{};
  /// Not empty if the operators' times are what the host took to launch them: by whom they ran.
  std::string launched_on{};
  /// Operators of the program that did not run in the trace, although it tells the others.
  std::size_t not_traced = 0;
  /// Seconds per run, with the framework's profiler off, of all processes. Empty only for a bare
  /// trace. Runs of one process share its state: latency.h says what they are in all.
  std::vector<double> latency_seconds{};
  /// The same with the whole run captured in a CUDA graph; may be empty.
  std::vector<double> graph_latency_seconds{};
  /// Empty if all runs are of one process.
  std::vector<ProcessRuns> processes{};
  std::vector<FewerThreads> fewer_threads{};
  std::optional<DataParallel> data_parallel{};
  /// In the order they ran.
  std::vector<ProfiledNode> nodes{};
  /// Only for runs on a GPU.
  std::optional<Timeline> timeline{};
  /// A processor's run as a whole, with the profiler on, if the trace states it; the median.
  std::optional<double> traced_seconds{};
  /// The number of runs over which the times are medians.
  std::size_t steps = 1;
  /// Number of times that the operators repeat the same sequence, if the profile does not show
  /// whether that is one run of a model or several (one_run() decides).
  std::size_t repeats = 1;
  /// Caveats for the reader, one sentence each.
  std::vector<std::string> remarks{};

  bool is_of_gpu() const { return timeline.has_value() || !launched_on.empty(); }

  /// The version and the options: "2.11.0 channels_last".
  std::string named_version() const;
  bool has_option(std::string_view option) const {
    return std::ranges::find(options, option) != options.end();
  }
};

/// A framework's file format. Every .cpp file of frameworks/ defines one, as
/// `Importer <file name>_importer()`; it needs no other registration.
struct Importer {
  std::string_view framework;
  bool (*recognises)(const ProfileFile& document);
  /// May throw Error and nlohmann::json::exception.
  Profile (*import)(const ProfileFile& document);
};

/// Returns all importers, sorted by framework. Generated from the files of frameworks/.
std::vector<Importer> importers();

/// Whether a profile must have a latency or, of a GPU, a timeline. A bare trace of a processor has
/// neither.
enum class NeedsLatency { yes, no };

/// Reads a framework's profile and detects the framework from the content. Throws Error, one line,
/// if the framework is unknown, or the file is truncated or lacks a latency that is needed, or
/// operators.
Profile read_profile(const std::filesystem::path& path, NeedsLatency needs = NeedsLatency::yes);

/// Reads an export of Nsight Systems as a profile: what an NVTX range launched is a node, and so is
/// a kernel outside of all ranges. Throws Error if it has no kernel.
Profile nsight_profile(const std::filesystem::path& path);

/// What the description that every scripts/profile-* writes says of its run. Throws Error for one
/// of another schema.
Profile described(const ProfileFile& document, const std::string& framework);

/// Throws Error if `file`, beside the profile `document`, is not the one that was written with it,
/// by the checksums of its member "files". Older profiles have none.
void require_same_file(const ProfileFile& document, const std::filesystem::path& file);

/// Reads the fields `processes` and `fewer_threads` of a profile that one of the project's scripts
/// wrote. Older ones have neither: their runs are of one process. Throws Error if a process has no
/// latency, or if the processes' runs are not the profile's.
void read_processes(const ProfileFile& document, Profile& profile);

/// Returns true if both have the same operators with the same shapes, in the same order.
bool is_same_sequence(std::span<const ProfiledNode> a, std::span<const ProfiledNode> b);

/// Returns true if `nodes` repeat one sequence `count` times. `count` must divide their number.
bool are_equal(std::span<const ProfiledNode> nodes, std::size_t count);

/// Returns the largest number of equal sequences that `nodes` consist of; 1 if nothing repeats.
std::size_t repeats(std::span<const ProfiledNode> nodes);

/// Returns one sequence with the median time of every operator and kernel. The sequences must be
/// the same; if an operator's kernels differ, the last sequence's kernels are used.
std::vector<ProfiledNode> medians(const std::vector<std::vector<ProfiledNode>>& sequences);

/// Sets the time of an operator and its range from those of several runs; at least one.
void set_times(ProfiledNode& node, const std::vector<double>& seconds);

/// Splits `nodes` into `count` equal sequences and returns their medians().
std::vector<ProfiledNode> one_of(std::span<const ProfiledNode> nodes, std::size_t count);

}  // namespace benanza::analysis
