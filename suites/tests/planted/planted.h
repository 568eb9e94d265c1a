#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// What is slowed down, and how. Read from the environment: BENANZA_PLANT_FACTOR (1.1),
/// BENANZA_PLANT_ONE_IN (20): this share of all variants, picked by a hash of their names.
struct Plant {
  double factor = 1.1;
  unsigned one_in = 20;

  static Plant from_environment();
  bool picks(const Variant& variant) const;
};

/// Waits where the backend's calls run: `seconds` after those that are enqueued. Empty where a call
/// is over when it returns: it is then stretched by what it has taken itself.
using Delay = std::function<void(double seconds)>;
/// The stopwatch must not keep anything of a primitive that dies.
using Forget = std::function<void(const Primitive&)>;

/// A library some of whose calls have become slower: proves that the gate of benanza-regress sees
/// it. Rows of those have a fact "planted", by how much they are slower as measured.
class PlantedBackend : public Backend {
 public:
  PlantedBackend(std::unique_ptr<Backend> library, Plant plant, Delay delay, Forget forget)
      : library_(std::move(library)),
        plant_(plant),
        delay_(std::move(delay)),
        forget_(std::move(forget)) {}

  std::string_view name() const override { return library_->name(); }
  std::vector<std::string> devices() const override { return library_->devices(); }
  System system() override { return library_->system(); }
  std::vector<std::pair<std::string, std::string>> context() override {
    return library_->context();
  }
  std::vector<Layout> layouts(const Problem& problem) const override {
    return library_->layouts(problem);
  }
  std::vector<Algorithm> algorithms(const Problem& problem, Precision precision, Layout layout,
                                    AlgorithmSet set) override {
    return library_->algorithms(problem, precision, layout, set);
  }
  std::unique_ptr<Primitive> create(const Variant& variant) override;
  Stopwatch& stopwatch() override { return library_->stopwatch(); }
  Observer* observer() override { return library_->observer(); }

 private:
  std::unique_ptr<Backend> library_;
  Plant plant_;
  Delay delay_;
  Forget forget_;
};

}  // namespace benanza::harness
