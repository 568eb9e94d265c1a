// PyTorch: files of scripts/profile-pytorch, and bare traces of its profiler.

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "analysis/profiles/file/profile_file.h"
#include "analysis/profiles/kineto/aten.h"
#include "analysis/profiles/kineto/runs.h"
#include "analysis/profiles/kineto/trace.h"
#include "analysis/profiles/profile.h"
#include "core/library/kernel_name.h"

namespace benanza::analysis {
namespace {

using nlohmann::json;

/// What torch.compile says of its own work, one of the files of TORCH_TRACE.
bool is_of_compiler(const ProfileFile& document) {
  return document.categories().contains("dynamo_timed") &&
         !document.categories().contains("cpu_op");
}

/// A trace as PyTorch's profiler writes it, or its events alone.
bool is_trace(const ProfileFile& document) {
  if (!document.has_only_events()) return document.root().contains("traceEvents");
  constexpr std::string_view categories[] = {"cpu_op",          "kernel",   "cuda_runtime",
                                             "user_annotation", "Operator", "python_function"};
  return std::ranges::any_of(categories, [&](std::string_view category) {
    return document.categories().contains(std::string(category));
  });
}

bool recognises_pytorch(const ProfileFile& document) {
  return document.root().value("framework", "") == "pytorch" || is_trace(document) ||
         is_of_compiler(document);
}

bool is_product(const ProfiledNode& node) {
  return node.op == "Conv" || node.op == "MatMul" || node.op == "ConvTranspose";
}

bool multiplies_in_tf32(const ProfiledNode& node) {
  return is_product(node) && std::ranges::any_of(node.kernels, [](const ProfiledKernel& kernel) {
           return kernel_traits(kernel.name).products == Precision::tf32;
         });
}

/// The float types of all operands.
std::set<std::string_view> all_types(const kineto::Trace& trace) {
  std::set<std::string_view> types;
  for (const kineto::Op& op : trace.ops) {
    for (const kineto::Argument& argument : op.arguments) {
      const std::string_view type = argument.type;
      if (type == "c10::Half" || type == "c10::BFloat16" || type == "float") types.insert(type);
    }
  }
  return types;
}

/// The precision of the products' operands, without products of all: "mixed" if they are of several
/// types, in one product (autocast passes floats and converts them to half) or in different ones.
/// Float operands are TF32 if a kernel's name says so; kernels for half may have similar names.
std::string precision_of(const kineto::Trace& trace, const std::vector<ProfiledNode>& nodes) {
  std::set<std::string_view> types;
  for (const kineto::Op& op : trace.ops) {
    for (const std::size_t factor : kineto::factors(op)) {
      if (factor >= op.arguments.size()) continue;
      const std::string_view type = op.arguments[factor].type;
      if (type == "c10::Half" || type == "c10::BFloat16" || type == "float") types.insert(type);
    }
  }
  if (types.empty()) types = all_types(trace);
  if (types.empty()) return "";
  if (types.size() > 1) return "mixed";
  if (types.contains("c10::Half")) return "fp16";
  if (types.contains("c10::BFloat16")) return "bf16";
  return std::ranges::any_of(nodes, multiplies_in_tf32) ? "tf32" : "fp32";
}

void read_into(Profile& profile, const ProfileFile& document) {
  const json& root = document.root();
  const auto events = root.find("traceEvents");
  if (!document.has_only_events() && (events == root.end() || !events->is_array())) {
    throw document.error("has no traceEvents");
  }
  kineto::Trace trace = kineto::read_trace(document);
  kineto::ModelRun run = kineto::model_run(trace);
  if (run.found == 0) throw document.error("has no operators that worked on the GPU");
  profile.steps = run.used;
  for (std::vector<std::string>* const remarks : {&trace.remarks, &run.remarks}) {
    profile.remarks.insert(profile.remarks.end(), remarks->begin(), remarks->end());
  }
  if (run.used < run.found) {
    profile.remarks.push_back(std::to_string(run.found - run.used) + " of the trace's " +
                              std::to_string(run.found) +
                              " steps ran other operators and are left out");
  }
  profile.nodes = std::move(run.nodes);
  if (!trace.on_processor) profile.timeline = run.timeline;
  profile.repeats = run.is_undivided ? repeats(profile.nodes) : 1;
  // Without work on a GPU, it names one of the machine.
  if (profile.device.empty() && !trace.on_processor) profile.device = trace.device;
  if (profile.precision.empty()) profile.precision = precision_of(trace, profile.nodes);
}

Profile import_trace(const ProfileFile& document) {
  if (is_of_compiler(document)) {
    throw document.error(
        "tells what compiling took (torch.compile's own events), and of no run: trace the compiled "
        "model with torch.profiler");
  }
  Profile profile{.path = document.path(), .framework = "pytorch"};
  read_into(profile, document);
  return profile;
}

/// Reads the other costs of DistributedDataParallel; older files lack them.
void read_own_work(DataParallel& found, const json& ddp) {
  found.message_slowdown = optional_member<double>(ddp, "message_slowdown");
  found.worker_seconds =
      optional_member<std::vector<double>>(ddp, "worker_seconds").value_or(std::vector<double>{});
  found.host_seconds = optional_member<double>(ddp, "host_seconds");
  for (const json& copy : ddp.value("copies", json::array())) {
    const double bytes = copy.at("bytes").get<double>();
    found.copies[bytes] = copy.at("seconds").get<double>();
    found.scaled_copies[bytes] = copy.at("scaled_seconds").get<double>();
  }
  const json buffers = ddp.value("buffers", json::object());
  for (const auto& [type, bytes] : buffers.items()) {
    found.buffers[type] = bytes.get<std::vector<double>>();
  }
  found.pack_seconds = optional_member<double>(ddp, "pack_seconds");
  found.unpack_seconds = optional_member<double>(ddp, "unpack_seconds");
  found.buffers_seconds = optional_member<double>(ddp, "buffers_seconds");
}

/// Reads what scripts/profile-pytorch --ddp adds.
std::optional<DataParallel> data_parallel_of(const json& root, const ProfileFile& document) {
  const auto ddp = root.find("ddp");
  if (ddp == root.end()) return std::nullopt;
  DataParallel found{
      .workers = ddp->at("workers").get<std::int64_t>(),
      .latency_seconds = optional_member<std::vector<double>>(*ddp, "latency_seconds"),
      .contention = optional_member<double>(*ddp, "contention"),
      .to_device_seconds = std::nullopt};
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
  const auto& latencies = found.latency_seconds;
  if (found.workers < 2 ||
      (latencies && (latencies->empty() || !std::ranges::all_of(*latencies, is_time))) ||
      (found.contention && !(*found.contention >= 1))) {
    throw document.error("has a \"ddp\" that no measurement gives");
  }
  const auto to_device = ddp->find("to_device_seconds");
  if (to_device != ddp->end() && !to_device->is_null()) {
    found.to_device_seconds = to_device->at("pinned").get<double>();
  }
  read_own_work(found, *ddp);
  const auto all_times = [&](const std::map<double, double>& copies) {
    return std::ranges::all_of(
        copies, [&](const auto& copy) { return is_time(copy.first) && is_time(copy.second); });
  };
  if (!std::ranges::all_of(found.worker_seconds, is_time) ||
      (found.message_slowdown && !(*found.message_slowdown >= 1)) || !all_times(found.copies) ||
      !all_times(found.scaled_copies)) {
    throw document.error("has a \"ddp\" that no measurement gives");
  }
  return found;
}

/// PyTorch states cuDNN's version as one number: 91002 is 9.10.2, 8902 is 8.9.2.
std::string library_version(int number) {
  const int unit = number >= 90000 ? 10000 : 1000;
  return std::to_string(number / unit) + '.' + std::to_string(number % unit / 100) + '.' +
         std::to_string(number % 100);
}

Profile import_pytorch(const ProfileFile& document) {
  const json& root = document.root();
  if (is_trace(document) || is_of_compiler(document)) return import_trace(document);
  Profile profile = described(document, "pytorch");
  if (root.value("device_kind", "") == "cpu") {
    profile.threads = optional_member<std::int64_t>(root, "threads");
  }
  profile.graph_latency_seconds =
      optional_member<std::vector<double>>(root, "cuda_graph_latency_seconds")
          .value_or(std::vector<double>{});
  profile.data_parallel = data_parallel_of(root, document);
  if (profile.latency_seconds.empty()) throw document.error("has no latency");
  for (const char* const library : {"cuda", "cudnn", "driver"}) {
    const auto version = root.find(library);
    if (version == root.end() || version->is_null()) continue;
    profile.versions[library] =
        version->is_string() ? version->get<std::string>() : library_version(version->get<int>());
  }
  profile.options = root.value("options", std::vector<std::string>());
  const std::filesystem::path trace =
      document.path().parent_path() / root.at("trace").get<std::string>();
  require_same_file(document, trace);
  const ProfileFile traced(trace, "PyTorch's trace", "write both with scripts/profile-pytorch");
  traced.guard([&] {
    read_into(profile, traced);
    return 0;
  });
  return profile;
}

}  // namespace

Importer pytorch_importer() {
  return {.framework = "pytorch", .recognises = recognises_pytorch, .import = import_pytorch};
}

}  // namespace benanza::analysis
