#include "suites/harness/run/sequence.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "core/base/document.h"
#include "core/base/file.h"
#include "core/problem/name.h"
#include "core/statistics/summary.h"
#include "suites/harness/measure/energy.h"
#include "suites/harness/report/progress.h"
#include "suites/harness/run/typical_call.h"

namespace benanza::harness {
namespace {

/// Any values of its type will do: an index or a divisor that another call wrote might not.
bool takes_any(const Operand& operand) {
  const bool is_any = operand.domain == Domain::any || operand.domain == Domain::unsigned_bytes;
  return operand.role == Role::data && is_any;
}

}  // namespace

SharedPlaces::SharedPlaces(Allocator& allocator, std::int64_t bytes)
    : OwnOperands(allocator), bytes_(bytes) {
  for (std::byte*& place : places_) place = block(bytes);
}

void SharedPlaces::begin(const Problem& problem) {
  first_.reset();
  second_.reset();
  const std::vector<Operand> operands = inputs(problem);
  for (std::size_t index = 0; index < operands.size(); ++index) {
    if (!takes_any(operands[index])) continue;
    if (!first_) {
      first_ = index;
    } else if (!second_) {
      second_ = index;
    }
  }
  ++calls_;
}

std::byte* SharedPlaces::fitting(std::size_t place, std::int64_t bytes) {
  return bytes <= bytes_ ? places_.at(place) : block(bytes);
}

std::byte* SharedPlaces::operand(std::size_t index, std::int64_t bytes, const MemoryFormat&) {
  if (index == first_ && calls_ > 1) return fitting(calls_ % 2, bytes);
  if (index == second_) return fitting(2, bytes);
  return block(bytes);
}

std::byte* SharedPlaces::result(std::size_t index, std::int64_t bytes, const MemoryFormat&) {
  return index == 0 ? fitting((calls_ + 1) % 2, bytes) : block(bytes);
}

std::byte* SharedPlaces::scratch(std::int64_t bytes) {
  if (bytes > scratch_bytes_) {
    scratch_ = block(bytes);
    scratch_bytes_ = bytes;
  }
  return scratch_;
}

std::int64_t place_bytes(std::span<const Problem> problems) {
  constexpr std::int64_t widest_element = 8;
  constexpr std::int64_t block = 16;
  std::int64_t most = 0;
  const auto take = [&](Dims dims) {
    if (dims.size() > 2) dims[1] = (dims[1] + block - 1) / block * block;
    most = std::max(most, element_count(dims) * widest_element);
  };
  for (const Problem& problem : problems) {
    for (const Operand& operand : inputs(problem)) {
      if (takes_any(operand)) take(operand.dims);
    }
    take(output(problem));
  }
  return most;
}

namespace {

using nlohmann::ordered_json;

/// Calls that run one after the other, each verified by itself when it was added.
class Chain final : public Primitive {
 public:
  void add(std::unique_ptr<TypicalCall> call) { calls_.push_back(std::move(call)); }

  /// Runs the calls and keeps their values in a usual range. Returns the place of the first call
  /// whose result is not finite all the same.
  std::optional<std::size_t> scale() {
    std::optional<std::size_t> first;
    for (std::size_t place = 0; place < calls_.size(); ++place) {
      if (!calls_[place]->scale() && !first) first = place;
    }
    return first;
  }

  void run() override {
    for (const auto& call : calls_) call->run();
  }
  std::int64_t workspace_bytes() const override {
    std::int64_t most = 0;
    for (const auto& call : calls_) most = std::max(most, call->workspace_bytes());
    return most;
  }
  void upload(std::size_t, std::span<const float>) override { throw has_none(); }
  void poison_output() override { throw has_none(); }
  std::vector<float> download() override { throw has_none(); }

 private:
  static std::logic_error has_none() {
    return std::logic_error("a sequence of calls has no operands");
  }

  std::vector<std::unique_ptr<TypicalCall>> calls_;
};

/// A suite's own backend and its companions.
class Backends {
 public:
  Backends(Backend& own, std::span<Backend* const> companions) : all_{&own} {
    all_.insert(all_.end(), companions.begin(), companions.end());
  }

  /// Throws Error if the call is of none of them.
  Backend& of(const VariantName& call) const {
    const auto found =
        std::ranges::find(all_, call.backend, [](Backend* one) { return one->name(); });
    if (found != all_.end()) return **found;
    throw Error(to_string(call) + ": is not a call of " + names(", ") +
                "; benanza-analyze calls --backend " + names(",") + " chooses among " +
                (all_.size() == 1 ? "its" : "their") + " calls alone");
  }

  /// "cudnn, cublas", say.
  std::string names(std::string_view separator) const {
    std::string text;
    for (const Backend* const one : all_) {
      if (!text.empty()) text += separator;
      text += one->name();
    }
    return text;
  }

 private:
  std::vector<Backend*> all_;
};

struct Call {
  Backend* backend;
  Variant variant;
};

std::vector<Call> calls_of(const ModelCalls& sequence, const Backends& backends) {
  std::vector<Call> calls;
  for (const SequenceCall& call : sequence.calls) {
    VariantName name = parse_variant_name(call.name);
    Backend& backend = backends.of(name);
    calls.push_back(
        {&backend, {parse(name.key), name.precision, name.layout, std::move(name.algorithm)}});
  }
  return calls;
}

std::int64_t place_bytes_of(const std::vector<Call>& calls) {
  std::vector<Problem> problems;
  for (const Call& call : calls) problems.push_back(call.variant.problem);
  return place_bytes(problems);
}

void set_up(Chain& chain, const ModelCalls& sequence, const std::vector<Call>& calls,
            SharedPlaces& places, const Verifier& verifier) {
  for (const auto& [backend, variant] : calls) backend->prefetch(variant);
  Progress progress(static_cast<std::int64_t>(calls.size()));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [backend, variant] = calls[i];
    const std::string& name = sequence.calls[i].name;
    progress.show(static_cast<std::int64_t>(i), name);
    try {
      const Way way = backend->way(variant);
      places.begin(variant.problem);
      auto primitive = std::make_unique<TypicalCall>(way.make(places), variant);
      // The verifier uploads the inputs.
      if (const auto mismatch = verifier(*primitive, variant, way.traits)) throw Error(*mismatch);
      primitive->use_all_bits();
      chain.add(std::move(primitive));
    } catch (const std::exception& error) {
      throw Error(name + ": " + one_line(error.what()));
    }
  }
}

/// The systems of the backends that the calls are of.
std::map<std::string, System> systems_of(const ModelCalls& sequence, const Backends& backends) {
  std::map<std::string, System> systems;
  for (const SequenceCall& call : sequence.calls) {
    const VariantName name = parse_variant_name(call.name);
    if (!systems.contains(name.backend)) systems[name.backend] = backends.of(name).system();
  }
  return systems;
}

ordered_json document_of(const ModelCalls& sequence, const std::map<std::string, System>& systems,
                         const std::vector<double>& samples) {
  ordered_json document{{"schema", 1},
                        {"command", "sequence"},
                        {"systems", systems},
                        {"model", sequence.model},
                        {"batch", nullptr},
                        {"precision", sequence.precision},
                        {"fused", sequence.fused},
                        {"seconds", samples},
                        {"calls", ordered_json::array()}};
  if (sequence.batch) document["batch"] = *sequence.batch;
  for (const SequenceCall& call : sequence.calls) {
    document["calls"].push_back(
        {{"layer", call.layer}, {"op", call.op}, {"seconds", call.seconds}, {"call", call.name}});
  }
  return document;
}

}  // namespace

ModelCalls read_sequence(const std::filesystem::path& path) {
  const Document document(path, "a list of calls", "write it with benanza-analyze calls --out");
  return document.guard([&] {
    document.require_schema(document.root(), 1);
    const auto& reports = document.root().at("reports");
    if (document.root().at("command") != "calls" || reports.size() != 1) {
      throw document.error("is not the calls of one model");
    }
    const auto& report = reports[0];
    ModelCalls sequence{.model = report.at("model").get<std::string>(),
                        .batch = optional_member<std::int64_t>(report, "batch"),
                        .precision = report.at("precision").get<std::string>(),
                        .fused = report.at("fused").get<bool>()};
    for (const auto& call : report.at("calls")) {
      sequence.calls.push_back({.layer = call.at("layer").get<std::string>(),
                                .op = call.at("op").get<std::string>(),
                                .seconds = call.at("seconds").get<double>(),
                                .name = call.at("call").get<std::string>()});
    }
    if (sequence.calls.empty()) throw document.error("has no call");
    return sequence;
  });
}

void run_sequence(Backend& backend, std::span<Backend* const> companions,
                  const SuiteOptions& options, const Verifier& verifier) {
  const ModelCalls sequence = read_sequence(options.sequence);
  const Backends backends(backend, companions);
  const std::vector<Call> calls = calls_of(sequence, backends);
  SharedPlaces places(backend.allocator(), place_bytes_of(calls));
  Chain chain;
  set_up(chain, sequence, calls, places, verifier);
  if (const auto place = chain.scale()) {
    std::cerr << "bench_" << backend.name() << ": the values are not finite from "
              << sequence.calls[*place].name
              << " on; with real ones, the sequence may take more time and energy\n";
  }
  std::vector<double> samples;
  for (std::int64_t repetition = 0; repetition < options.repetitions; ++repetition) {
    const Outcome outcome = measure(chain, backend.stopwatch(), options.measure);
    samples.insert(samples.end(), outcome.samples.begin(), outcome.samples.end());
  }
  ordered_json document = document_of(sequence, systems_of(sequence, backends), samples);
  double alone = 0;
  for (const SequenceCall& call : sequence.calls) alone += call.seconds;
  std::ostringstream line;
  line << std::fixed << std::setprecision(3) << sequence.calls.size()
       << " calls, one after the other: " << median(samples) * 1e3
       << " ms; each by itself: " << alone * 1e3 << " ms";
  if (options.energy_seconds) {
    EnergyMeter& meter = *backend.energy_meter();
    const auto energy = measure_energy(chain, backend.stopwatch(), meter, *options.energy_seconds);
    if (!energy || !(energy->joules_per_call > 0)) {
      throw Error("--energy: the meter did not advance; give it more seconds");
    }
    document["joules"] = energy->joules_per_call;
    document["energy_error"] = energy->relative_error;
    document["energy_source"] = std::string(meter.source());
    line << "; " << energy->joules_per_call << " J";
  }
  write_file(options.sequence_out, document.dump(1) + '\n');
  std::cout << line.str() << '\n';
}

}  // namespace benanza::harness
