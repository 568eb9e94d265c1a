// Every way of a call takes its place in a plan, whatever axes and formats the library sees.
#include <gmock/gmock.h>

#include "core/problem/name.h"
#include "core/problem/problem.h"
#include "suites/plan/backends.h"
#include "suites/plan/planned_model.h"
#include "suites/tests/asked.h"
#include "suites/tests/plan/safetensors.h"

namespace benanza::plan {
namespace {

using benanza::test::Folder;

/// Small integers, so that sums are exact; of each operand others.
std::vector<float> every_way_pattern(const Operand& operand, std::size_t index) {
  std::vector<float> values(static_cast<std::size_t>(element_count(operand.dims)));
  const float least = operand.domain == Domain::any ? -2 : 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * (7 + 2 * index) % (5 + 3 * index)) + least;
  }
  return values;
}

bool is_constant(const Operand& operand) { return operand.role != Role::data; }

/// One step, whose operands and result are row-major.
Plan plan_of(const std::string& problem, const std::string& call) {
  Plan plan{.model = "m", .precision = "fp32"};
  PlanStep step{.call = call, .work = {.problem = problem}};
  const auto add_buffer = [&](const Dims& dims) {
    const std::int64_t elements = element_count(dims);
    plan.buffers.push_back(
        {.elements = elements, .bytes = elements * 4, .offset = plan.arena_bytes});
    plan.arena_bytes += elements * 4;
    return plan.buffers.size() - 1;
  };
  for (const Operand& operand : inputs(parse(problem))) {
    const std::size_t index = plan.tensors.size();
    plan.tensors.push_back({.name = std::to_string(index), .type = "float", .shape = operand.dims});
    step.work.operands.push_back({.index = index});
    if (is_constant(operand)) continue;
    plan.tensors.back().buffer = add_buffer(operand.dims);
    plan.inputs.push_back(index);
  }
  step.results = {plan.tensors.size()};
  plan.results = {plan.tensors.size()};
  const Dims made = output(parse(problem));
  plan.tensors.push_back({.name = "y", .type = "float", .shape = made, .buffer = add_buffer(made)});
  plan.steps.push_back(std::move(step));
  return plan;
}

/// How many ways there are, besides those that overwrite an operand.
int check_every_way(const std::string& key) {
  const Folder folder;
  int no_flags = 0;
  const Backends backends(no_flags, nullptr);
  harness::Backend& backend = *backends.all().front();
  const Problem problem = parse(key);
  std::map<std::string, std::vector<float>> tensors;
  std::size_t operand = 0;
  for (const Operand& one : inputs(problem)) {
    tensors[std::to_string(operand)] = every_way_pattern(one, operand);
    ++operand;
  }
  int count = 0;
  for (const Layout layout : {Layout::nchw, Layout::plain, Layout::nhwc, Layout::any}) {
    const harness::Variant any{problem, Precision::fp32, layout, ""};
    for (const harness::Way& way : backend.ways(any, harness::AlgorithmSet::with_reference)) {
      if (way.traits.in_place) continue;
      const harness::Variant variant{problem, Precision::fp32, layout, way.name};
      const std::string name =
          key + "/fp32/" + std::string(to_string(layout)) + "/onednn/" + way.name;
      SCOPED_TRACE(name);
      std::shared_ptr<harness::Primitive> alone;
      try {
        alone = harness::made(backend, variant);
      } catch (const harness::Unsupported&) {
        continue;  // defective in this version
      }
      // What the call computes by itself: whether that is right, others check.
      for (std::size_t i = 0; i < operand; ++i) alone->upload(i, tensors[std::to_string(i)]);
      alone->run();
      tensors["y"] = alone->download();
      const Values values(test::write_values(folder, "values", tensors));
      PlannedModel planned(plan_of(key, name), backends.all(), &values);
      const auto worst = planned.check(values, 1e-4);
      EXPECT_TRUE(worst && worst->relative <= 1e-4)
          << (worst ? worst->relative : -1) << " of the largest element";
      // What follows reads the result row-major.
      planned.run();
      ++count;
    }
  }
  return count;
}

TEST(EveryWay, TakesRowMajorTensorsInAPlan) {
  for (const char* key :
       {"conv/1x16x6x5_k24x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_relu",
        "conv/2x16x6x5_k20x1x1_p0.0.0.0_s1x1_d1x1_g1_bias_residual_relu",
        "conv/1x16x6x5_k24x6x5_p0.0.0.0_s1x1_d1x1_g1_bias",
        "conv/1x3x12x8_k24x4x4_p0.0.0.0_s4x4_d1x1_g1_bias",
        "conv/1x10x6x5_k20x3x3_p1.1.1.1_s1x1_d1x1_g1",
        "conv/1x16x6x5_k16x3x3_p1.1.1.1_s1x1_d1x1_g16",
        "avgpool/2x12x5x5_k5x5_p0.0.0.0_s1x1_d1x1_exclude",
        "maxpool/1x10x6x6_k2x2_p0.0.0.0_s2x2_d1x1", "gemm/m7_n5_k13_nn_w_bias",
        "gemm/m7_n5_k13_nt_a2x3_b2x3", "add/2x12x5x5_1x12x1x1", "softmax/3x10x7_a1",
        "lrn/2x16x13x11_n5_a1e-04_b0.75_k1", "reducemean/3x7x5x4_a1", "batchnorm/2x12x5x5_e1e-05",
        "concat/1x12x5x5_1x8x5x5_a1", "copy/16x9x9_f81.9.1_t1.144.16"}) {
    EXPECT_GT(check_every_way(key), 1) << key;
  }
}

}  // namespace
}  // namespace benanza::plan
