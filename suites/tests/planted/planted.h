#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "suites/harness/backend.h"

namespace benanza::harness {

/// The slowdown, read from the environment: BENANZA_PLANT_FACTOR (1.1), and BENANZA_PLANT_ONE_IN
/// (20), which selects one in so many variants by a hash of their names.
struct Plant {
  double factor = 1.1;
  unsigned one_in = 20;

  static Plant from_environment();
  bool picks(const Variant& variant) const;
};

/// Enqueues a delay of `seconds` after the backend's enqueued calls. Empty if calls are
/// synchronous; these are stretched in proportion to their own time.
using Delay = std::function<void(double seconds)>;
/// Makes the stopwatch forget a primitive that is being destroyed.
using Forget = std::function<void(const Primitive&)>;

/// A backend with some calls slowed down, to prove that the gate of benanza-regress detects it. The
/// rows of slowed calls have a fact "planted", the measured slowdown.
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
  std::vector<Way> ways(const Variant& prototype, AlgorithmSet set) override {
    return library_->ways(prototype, set);
  }
  Way way(const Variant& variant) override;
  Allocator& allocator() override { return library_->allocator(); }
  Stopwatch& stopwatch() override { return library_->stopwatch(); }
  Observer* observer() override { return library_->observer(); }

 private:
  std::unique_ptr<Backend> library_;
  Plant plant_;
  Delay delay_;
  Forget forget_;
};

}  // namespace benanza::harness
