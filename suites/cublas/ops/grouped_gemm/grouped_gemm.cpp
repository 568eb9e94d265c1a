#include "suites/cublas/ops/grouped_gemm/grouped_gemm.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "suites/harness/each_group.h"

// The products of a mixture of experts, whose groups have rows one after the other.
namespace benanza::cublas {

std::vector<GroupRun> runs_with_rows(const GroupedGemm& shape) {
  std::vector<GroupRun> runs;
  GroupRun next;
  for (std::size_t run = 0; run < shape.groups.size(); ++run) {
    next.groups = shape.groups[run];
    next.rows = shape.m[run];
    if (next.rows > 0) runs.push_back(next);
    next.first_group += next.groups;
    next.first_row += next.groups * next.rows;
  }
  return runs;
}

nvidia::CallSetup grouped_setup(const GroupedGemm& shape, const harness::Variant& variant) {
  const Precision precision = variant.precision;
  std::vector<nvidia::TensorFormat> inputs;
  for (const Operand& operand : shape.inputs()) {
    inputs.push_back(nvidia::tensor_format(precision, operand.dims, Layout::plain));
  }
  // As BLAS wants weights of 8-bit types.
  const bool is_transposed = packed(harness::product_of_group(shape, 1), precision).transpose_b;
  if (is_transposed != shape.transpose_b) inputs[1].strides = {shape.k * shape.n, 1, shape.k};
  return {.inputs = std::move(inputs),
          .results = {nvidia::tensor_format(variant.problem.packed ? Precision::bf16 : precision,
                                            shape.output(), Layout::plain)}};
}

GroupOffsets offsets_of(const GroupedGemm& shape, const GroupRun& run, std::int64_t group) {
  const std::int64_t row = run.first_row + group * run.rows;
  return {
      .a = row * shape.k, .b = (run.first_group + group) * shape.k * shape.n, .c = row * shape.n};
}

namespace {

/// Groups of a run that one call multiplies.
std::int64_t groups_of(LtUnit unit, const GroupRun& run) {
  return unit == LtUnit::run ? run.groups : 1;
}

/// The products of so many groups of a run.
Gemm product_of_groups(const GroupedGemm& shape, const GroupRun& run, std::int64_t groups) {
  Gemm product = harness::product_of_group(shape, run.rows);
  if (groups > 1) product.batch_a = product.batch_b = {groups};
  return product;
}

/// The alignment of a workspace.
std::int64_t round_up(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

ByLt::ByLt(const Request& request, const GroupedGemm& shape, const LtPlan& plan)
    : made_(request, shape), sides_(plan.side_streams) {
  const std::size_t choice = plan.choice;
  for (const GroupRun& run : made_.runs) {
    const std::int64_t groups = groups_of(plan.unit, run);
    const Gemm product = product_of_groups(shape, run, groups);
    LtMatmul matmul({.shape = product, .epilogue = {}}, made_.precision);
    LtDescriptors descriptors = matmul.descriptors();
    descriptors.alignment_bytes = alignment_of(descriptors.alignment_bytes, run);
    const std::vector<LtChoice> choices =
        heuristics(made_.library.lt(), descriptors, made_.precision,
                   made_.library.lt_workspace_bytes(), static_cast<int>(choice) + 1);
    const LtChoice& chosen = choices[std::min(choice, choices.size() - 1)];
    workspace_bytes_ = std::max(workspace_bytes_, round_up(chosen.workspace_bytes));
    products_.push_back({run, groups, std::move(matmul), chosen});
  }
}

std::int64_t ByLt::workspace_bytes() const {
  return workspace_bytes_ * static_cast<std::int64_t>(std::max<std::size_t>(sides_.count(), 1));
}

void ByLt::operator()(const nvidia::CudaPrimitive& call) const {
  sides_.fork(call.stream());
  std::size_t calls = 0;
  for (const Product& product : products_) {
    for (std::int64_t group = 0; group < product.run.groups; group += product.groups) {
      multiply(call, product, group, calls++);
    }
  }
  sides_.join(call.stream());
}

void ByLt::multiply(const nvidia::CudaPrimitive& call, const Product& product, std::int64_t group,
                    std::size_t number) const {
  const std::int64_t size = element_bytes(made_.precision);
  const float alpha = product.matmul.alpha();
  constexpr float beta = 0;
  const GroupOffsets offsets = offsets_of(made_.shape, product.run, group);
  std::byte* const result = call.output() + offsets.c * size;
  std::byte* workspace = call.workspace();
  cudaStream_t stream = call.stream();
  if (sides_.count() > 0) {
    const std::size_t side = number % sides_.count();
    stream = sides_.at(side);
    workspace += static_cast<std::int64_t>(side) * workspace_bytes_;
  }
  check(cublasLtMatmul(made_.library.lt(), product.matmul.operation(), &alpha,
                       call.input(1) + offsets.b * size, product.matmul.first(),
                       call.input(0) + offsets.a * size, product.matmul.second(), &beta,
                       product.matmul.unread_at(result), product.matmul.residual(), result,
                       product.matmul.result(), &product.choice.algorithm, workspace,
                       static_cast<std::size_t>(workspace_bytes_), stream),
        "cublasLtMatmul");
}

std::uint32_t ByLt::alignment_of(std::uint32_t whole, const GroupRun& run) const {
  const std::int64_t size = element_bytes(made_.precision);
  const std::int64_t rows = std::gcd(run.rows * made_.shape.k, run.rows * made_.shape.n);
  return static_cast<std::uint32_t>(std::gcd(std::int64_t{whole}, rows * size));
}

// The products of a mixture of experts, whose groups have rows one after the other.
namespace {

using harness::product_of_group;

/// The addresses of all groups' matrices, in device memory.
struct GroupAddresses {
  nvidia::DeviceMemory a;
  nvidia::DeviceMemory b;
  nvidia::DeviceMemory c;
};

GroupAddresses addresses_of(const GroupedCall& made, std::span<const GroupRun> runs,
                            const nvidia::CudaPrimitive& call) {
  std::vector<std::int64_t> a;
  std::vector<std::int64_t> b;
  std::vector<std::int64_t> c;
  for (const GroupRun& run : runs) {
    for (std::int64_t group = 0; group < run.groups; ++group) {
      const GroupOffsets offsets = offsets_of(made.shape, run, group);
      a.push_back(offsets.a);
      b.push_back(offsets.b);
      c.push_back(offsets.c);
    }
  }
  const std::int64_t size = element_bytes(made.precision);
  return {.a = device_addresses(call.input(0), a, size, call.stream()),
          .b = device_addresses(call.input(1), b, size, call.stream()),
          .c = device_addresses(call.output(), c, size, call.stream())};
}

const void* const* constant(const nvidia::DeviceMemory& addresses) {
  return reinterpret_cast<const void* const*>(addresses.data());
}
void* const* writable(const nvidia::DeviceMemory& addresses) {
  return reinterpret_cast<void* const*>(addresses.data());
}

/// cublasGemmGroupedBatchedEx: one call for all.
class Grouped {
 public:
  Grouped(const Request& request, const GroupedGemm& shape) : made_(request, shape) {
    const BlasGemm blas = blas_gemm(product_of_group(shape, 1));
    const std::size_t count = made_.runs.size();
    first_.assign(count, operation(blas.transpose_first));
    second_.assign(count, operation(blas.transpose_second));
    m_.assign(count, blas.m);
    k_.assign(count, blas.k);
    ld_first_.assign(count, blas.ld_first);
    ld_second_.assign(count, blas.ld_second);
    ld_result_.assign(count, blas.ld_result);
    alpha_.assign(count, 1.0F);
    beta_.assign(count, 0.0F);
    for (const GroupRun& run : made_.runs) {
      n_.push_back(run.rows);
      sizes_.push_back(run.groups);
    }
  }

  void placed(const nvidia::CudaPrimitive& call) {
    addresses_ = addresses_of(made_, made_.runs, call);
  }

  void operator()(const nvidia::CudaPrimitive&) const {
    check(cublasGemmGroupedBatchedEx_64(
              made_.library.handle(), first_.data(), second_.data(), m_.data(), n_.data(),
              k_.data(), alpha_.data(), constant(addresses_.b), made_.types.operand,
              ld_first_.data(), constant(addresses_.a), made_.types.operand, ld_second_.data(),
              beta_.data(), writable(addresses_.c), made_.types.operand, ld_result_.data(),
              std::ssize(made_.runs), sizes_.data(), made_.types.compute),
          "cublasGemmGroupedBatchedEx");
  }

 private:
  GroupedCall made_;
  // One element per run.
  std::vector<cublasOperation_t> first_;
  std::vector<cublasOperation_t> second_;
  std::vector<std::int64_t> m_;
  std::vector<std::int64_t> n_;
  std::vector<std::int64_t> k_;
  std::vector<std::int64_t> ld_first_;
  std::vector<std::int64_t> ld_second_;
  std::vector<std::int64_t> ld_result_;
  std::vector<float> alpha_;
  std::vector<float> beta_;
  std::vector<std::int64_t> sizes_;
  GroupAddresses addresses_;
};

/// cublasGemmBatchedEx for each run.
class Batched {
 public:
  Batched(const Request& request, const GroupedGemm& shape) : made_(request, shape) {}

  void placed(const nvidia::CudaPrimitive& call) {
    for (const GroupRun& run : made_.runs) {
      addresses_.push_back(addresses_of(made_, {&run, 1}, call));
    }
  }

  void operator()(const nvidia::CudaPrimitive&) const {
    constexpr float alpha = 1;
    constexpr float beta = 0;
    for (std::size_t i = 0; i < made_.runs.size(); ++i) {
      const BlasGemm blas = blas_gemm(product_of_group(made_.shape, made_.runs[i].rows));
      check(cublasGemmBatchedEx_64(made_.library.handle(), operation(blas.transpose_first),
                                   operation(blas.transpose_second), blas.m, blas.n, blas.k, &alpha,
                                   constant(addresses_[i].b), made_.types.operand, blas.ld_first,
                                   constant(addresses_[i].a), made_.types.operand, blas.ld_second,
                                   &beta, writable(addresses_[i].c), made_.types.operand,
                                   blas.ld_result, made_.runs[i].groups, made_.types.compute,
                                   CUBLAS_GEMM_DEFAULT),
            "cublasGemmBatchedEx");
    }
  }

 private:
  GroupedCall made_;
  std::vector<GroupAddresses> addresses_;
};

std::size_t group_count(const std::vector<GroupRun>& runs) {
  std::size_t count = 0;
  for (const GroupRun& run : runs) count += static_cast<std::size_t>(run.groups);
  return count;
}

/// A way whose calls `make` makes.
template <class Make>
harness::Way way_for(Library& library, const GroupedGemm& shape, const harness::Variant& prototype,
                     std::string name, std::size_t calls, Make make) {
  return nvidia::way_of(library, prototype, std::move(name),
                        [shape, make = std::move(make)](const Request& request) {
                          nvidia::CallSetup setup = grouped_setup(shape, request.variant);
                          auto made = make(request, shape);
                          if constexpr (requires { made.spare_bytes(); }) {
                            setup.spare_bytes = made.spare_bytes();
                          }
                          if constexpr (requires { made.workspace_bytes(); }) {
                            setup.workspace_bytes = made.workspace_bytes();
                          } else {
                            request.library.handle();
                            setup.handle_workspace_bytes = request.library.handle_workspace_bytes();
                          }
                          return call_of(request, std::move(setup), std::move(made));
                        },
                        {.calls = calls});
}

template <class Calls>
auto made_as() {
  return [](const Request& request, const GroupedGemm& shape) { return Calls(request, shape); };
}
auto made_by_lt(const LtPlan& plan) {
  return [plan](const Request& request, const GroupedGemm& shape) {
    return ByLt(request, shape, plan);
  };
}

/// How many of cuBLASLt's choices are tried for a run.
constexpr std::size_t strided_choices = 4;

Ways grouped_ways(Library& library, const GroupedGemm& shape, const harness::Variant& prototype,
                  harness::AlgorithmSet) {
  Ways found;
  const std::vector<GroupRun> runs = runs_with_rows(shape);
  const auto add = [&](std::string name, std::size_t calls, auto make) {
    found.push_back(way_for(library, shape, prototype, std::move(name), calls, std::move(make)));
  };
  const bool has_batches = element_bytes(prototype.precision) > 1;
  const bool has_equal_groups = group_count(runs) > runs.size();
  const auto add_strided = [&](std::size_t choice) {
    if (!has_equal_groups) return;
    add("strided." + std::to_string(choice), runs.size(), made_by_lt({LtUnit::run, choice}));
  };
  const auto add_streams = [&](std::size_t streams) {
    if (runs.size() < 2) return;
    add("streams." + std::to_string(streams), runs.size(),
        made_by_lt({.unit = LtUnit::run, .side_streams = streams}));
  };
  // The time for a problem may be limited: after the library's own call, the best candidates.
  if (has_batches) add("grouped", 1, made_as<Grouped>());
  add_streams(4);
  add_strided(0);
  if (has_batches) add("batched", runs.size(), made_as<Batched>());
  add_streams(16);
  for (std::size_t choice = 1; choice < strided_choices; ++choice) add_strided(choice);
  add("each", group_count(runs), made_by_lt({}));
  return found;
}

/// The library has no call for several products with scales of blocks. On side streams, 256 groups
/// of 8 rows take 0.23 of the time of one after the other (H200).
Ways ways_in_blocks(Library& library, const GroupedGemm& shape, const harness::Variant& prototype) {
  Ways found;
  const std::size_t groups = group_count(runs_with_rows(shape));
  for (const std::size_t streams : {16U, 32U, 4U, 0U}) {
    if (streams > 4 && groups <= streams / 2) continue;
    const std::string side = streams > 0 ? "." + std::to_string(streams) : "";
    found.push_back(way_for(library, shape, prototype, "blocks.each" + side, groups,
                            [streams](const Request& request, const GroupedGemm& of) {
                              return InBlocks(request, of, streams);
                            }));
  }
  return found;
}

}  // namespace

/// One call for all groups, one for each run of equal groups (of listed addresses or as a strided
/// batch), or one for each group.
void register_grouped_gemm(WayTable& table) {
  table.add(harness::Family<Library, GroupedGemm>{
      .layouts = [](const GroupedGemm&) { return std::vector{Layout::plain}; },
      .ways = grouped_ways,
      .chooses_leading = true});
  table.add(harness::Family<Library, GroupedGemm>{
      .layouts = [](const GroupedGemm&) { return std::vector{Layout::plain}; },
      .ways =
          [](Library& library, const GroupedGemm& shape, const harness::Variant& prototype,
             harness::AlgorithmSet set) {
            const auto plain = with_plain_weights(prototype, harness::mean_rows(shape));
            Ways found = grouped_ways(library, shape, plain, set);
            for (harness::Way& way : found) way.name.insert(0, unpacked);
            return found;
          },
      .for_packed = true,
      .chooses_leading = true});
  table.add(harness::Family<Library, GroupedGemm>{
      .layouts = [](const GroupedGemm&) { return std::vector{Layout::plain}; },
      .ways =
          [](Library& library, const GroupedGemm& shape, const harness::Variant& prototype,
             harness::AlgorithmSet) {
            require_blocks(prototype);
            return ways_in_blocks(library, shape, prototype);
          },
      .for_packed = true,
      .chooses_leading = true});
}

}  // namespace benanza::cublas
