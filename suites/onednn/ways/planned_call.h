#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "suites/harness/way.h"
#include "suites/onednn/ways/attempt.h"
#include "suites/onednn/ways/memory_format.h"

namespace benanza::onednn {

/// A lower bound on any call's work.
struct LeastWork {
  Work work;
  Precision precision = Precision::fp32;
  /// The factor by which the algorithm may need fewer products than `work` counts.
  double arithmetic_saving = 1;
};
/// Counts the products outside padding and the bytes that must be read and written. Transforms save
/// products; where data may be rounded, the rate of products is that of another precision.
LeastWork least_work(const Problem& problem, Precision precision, const harness::Traits& traits);

/// A call whose time is judged by its least work.
class JudgedCall : public harness::Primitive {
 public:
  virtual const LeastWork& least_work() const = 0;
};

/// A plan's call. Values are converted by the library's own reorders.
class PlannedCall : public JudgedCall {
 public:
  /// `result_elements` is the length of download()'s result; `threads` the number that the plan was
  /// made for, empty: all.
  PlannedCall(const Plan& plan, const dnnl::engine& engine, const dnnl::stream& stream,
              harness::Operands& places, std::int64_t result_elements, const LeastWork& least_work,
              std::optional<int> threads);

  void upload(std::size_t index, std::span<const float> values) override;
  void poison_output() override;
  void run() override;
  std::vector<float> download() override;
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }
  Facts facts() override { return facts_; }

  const LeastWork& least_work() const override { return least_work_; }

  Formats operand_formats(std::size_t index) const { return formats(operands_.at(index)); }
  Formats result_formats() const { return formats(results_.front()); }

 private:
  /// The library's and the problem's view of one tensor.
  struct Tensor {
    Memory memory;
    Argument argument;
  };

  static Formats formats(const Argument& argument, const Memory::desc& format) {
    return {argument.seen_as.value_or(format), argument.values};
  }
  static Formats formats(const Tensor& tensor) {
    return formats(tensor.argument, tensor.memory.get_desc());
  }
  /// The tensor by the axes of the problem's values.
  Memory seen(const Tensor& tensor) const;
  /// A gradient's forward call.
  struct Prepared {
    std::size_t last_operand;
    dnnl::primitive call;
    /// By operand. Shares the gradient's memory if both have the same format.
    std::map<std::size_t, Memory> operands;
    std::unordered_map<int, Memory> arguments;
  };

  /// Asks for a place for so many bytes. Null: memory of its own.
  using Place = std::function<std::byte*(std::int64_t bytes, const harness::MemoryFormat& format)>;
  Tensor allocate(const Plan& plan, const Argument& argument, const Place& place = nullptr);
  /// The steps of the constructor, in order.
  void allocate_operands(const Plan& plan, harness::Operands& places);
  void see_again(const Plan& plan);
  void fill(const Plan& plan);
  void allocate_results(const Plan& plan, harness::Operands& places);
  void allocate_scratch(const Plan& plan, harness::Operands& places);
  /// Allocates an operand of the plan's preparation, which the plan's call may not take.
  Tensor allocate_prepared(const Plan& plan, const Argument& argument, const Place& place);
  Memory memory(const Memory::desc& format, const Argument& argument, const Place& place) const;
  /// Call after allocating operands and fills.
  void prepare(const Plan& plan);
  void run_preparation();
  void add(const Constant& constant);
  /// Allocates an operand that `before` reads, and what it makes of it for the plan's call.
  Tensor allocate_before(const Plan& plan, const Argument& argument, const Before& before,
                         const Place& place);
  /// The same for the first result.
  Tensor allocate_after(const Plan& plan, const Place& place);
  /// Writes a result's values, in the problem's order, to `target`. Returns their number.
  std::int64_t read(const Tensor& result, std::span<float> target);

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<Tensor> operands_;
  std::vector<Memory> fills_;
  /// Memory that the call reads or writes in another format than somebody else: operands that it
  /// reads twice, what calls beside it make or take.
  std::vector<Memory> again_;
  /// By operand: what a call before the plan's makes of it.
  std::map<std::size_t, Memory> made_;
  std::vector<Memory> constants_;
  std::vector<Tensor> results_;
  /// The operand that run() reads from the result's memory, if there is one.
  std::optional<std::size_t> in_result_;
  Memory scratchpad_;
  std::optional<Prepared> prepared_;
  /// A call before or after the plan's.
  struct Aside {
    dnnl::primitive call;
    std::vector<Memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
    void run(const dnnl::stream& stream) const;
  };
  /// `given` and `made` are what it reads, also as the arguments `again`, and writes.
  Aside aside(const Implementation& implementation, const Memory& given, const Memory& made,
              const std::vector<int>& again);
  std::vector<Aside> before_;
  std::vector<Aside> after_;
  /// The workspace that a forward call keeps for its gradient.
  Memory kept_;
  std::int64_t result_elements_;
  std::int64_t workspace_bytes_ = 0;
  LeastWork least_work_;
  std::optional<int> threads_;
  Facts facts_;
  /// Created once, so that a run is the library's call only.
  std::vector<dnnl_exec_arg_t> arguments_;
};

}  // namespace benanza::onednn
