#include "suites/harness/each_group.h"

#include <algorithm>
#include <map>
#include <utility>

namespace benanza::harness {
namespace {

/// So many rows, from one on.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Places of one group's product: its rows of the grouped operand and result, and weights of its
/// own.
class GroupPlaces final : public OwnOperands {
 public:
  GroupPlaces(Allocator& allocator, Operands& all, std::int64_t rows)
      : OwnOperands(allocator), all_(&all), rows_(rows) {}

  void begin(const RowRange& range) { range_ = range; }

  std::byte* operand(std::size_t index, std::int64_t bytes, const MemoryFormat& format) override {
    if (index > 0) return block(bytes);
    return part(rows_of_operand_, bytes, format,
                [&](std::int64_t all) { return all_->operand(0, all, {}); });
  }
  std::byte* result(std::size_t, std::int64_t bytes, const MemoryFormat& format) override {
    return part(rows_of_result_, bytes, format,
                [&](std::int64_t all) { return all_->result(0, all, {}); });
  }
  std::byte* scratch(std::int64_t bytes) override { return all_->scratch(bytes); }

 private:
  /// All rows are asked for with the first group's.
  template <class Ask>
  std::byte* part(std::byte*& all, std::int64_t bytes, const MemoryFormat& format, Ask ask) {
    if (!format.name.empty() || bytes % range_.count != 0) {
      throw Unsupported("rows of a group in a format of their own");
    }
    const std::int64_t row_bytes = bytes / range_.count;
    if (all == nullptr) all = ask(rows_ * row_bytes);
    return all + range_.first * row_bytes;
  }

  Operands* all_;
  std::int64_t rows_;
  RowRange range_;
  std::byte* rows_of_operand_ = nullptr;
  std::byte* rows_of_result_ = nullptr;
};

/// The products of all groups with rows.
class EachGroup final : public Primitive {
 public:
  EachGroup(const GroupedGemm& shape, const std::map<std::int64_t, Way>& ways,
            std::shared_ptr<Allocator> allocator, Operands& operands)
      : shape_(shape),
        allocator_(std::move(allocator)),
        places_(*allocator_, operands, shape.rows()) {
    std::int64_t row = 0;
    std::int64_t group = 0;
    for (const std::int64_t rows : shape.rows_of_groups()) {
      if (rows > 0) {
        places_.begin({row, rows});
        products_.push_back({{row, rows}, group, ways.at(rows).make(places_)});
      }
      row += rows;
      ++group;
    }
  }

  void upload(std::size_t index, std::span<const float> values) override {
    const std::int64_t matrix = shape_.n * shape_.k;
    for (const auto& [rows, group, call] : products_) {
      const auto part = index == 0 ? std::pair(rows.first * shape_.k, rows.count * shape_.k)
                                   : std::pair(group * matrix, matrix);
      call->upload(index, values.subspan(static_cast<std::size_t>(part.first),
                                         static_cast<std::size_t>(part.second)));
    }
  }
  void restore() override {
    for (const auto& product : products_) product.call->restore();
  }
  void poison_output() override {
    for (const auto& product : products_) product.call->poison_output();
  }
  void run() override {
    for (const auto& product : products_) product.call->run();
  }
  std::vector<float> download() override {
    std::vector<float> all;
    for (const auto& product : products_) {
      const std::vector<float> part = product.call->download();
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  std::int64_t workspace_bytes() const override {
    std::int64_t most = 0;
    for (const auto& product : products_) most = std::max(most, product.call->workspace_bytes());
    return most;
  }
  bool shares_workspace() const override {
    return std::ranges::any_of(
        products_, [](const auto& product) { return product.call->shares_workspace(); });
  }

 private:
  struct Product {
    RowRange rows;
    std::int64_t group = 0;
    std::unique_ptr<Primitive> call;
  };

  GroupedGemm shape_;
  std::shared_ptr<Allocator> allocator_;
  GroupPlaces places_;
  std::vector<Product> products_;
};

}  // namespace

Gemm product_of_group(const GroupedGemm& shape, std::int64_t rows) {
  return {.m = rows,
          .n = shape.n,
          .k = shape.k,
          .transpose_b = shape.transpose_b,
          .batch_a = {},
          .batch_b = {},
          .constant_b = true};
}

std::int64_t mean_rows(const GroupedGemm& shape) {
  std::int64_t busy = 0;
  for (std::size_t run = 0; run < shape.groups.size(); ++run) {
    if (shape.m[run] > 0) busy += shape.groups[run];
  }
  return busy == 0 ? 0 : shape.rows() / busy;
}

std::vector<Way> each_group(const GroupedGemm& shape, const Variant& prototype,
                            const std::function<std::vector<Way>(const Variant& product)>& ways_of,
                            const std::function<std::shared_ptr<Allocator>()>& allocator) {
  std::map<std::int64_t, std::vector<Way>> of_rows;
  std::size_t calls = 0;
  for (const std::int64_t rows : shape.rows_of_groups()) {
    if (rows == 0) continue;
    ++calls;
    if (of_rows.contains(rows)) continue;
    Variant product = prototype;
    product.problem.shape = product_of_group(shape, rows);
    of_rows[rows] = ways_of(product);
  }
  std::vector<Way> found;
  for (const Way& first : of_rows.begin()->second) {
    std::map<std::int64_t, Way> same;
    for (const auto& [rows, ways] : of_rows) {
      const auto way = std::ranges::find(ways, first.name, &Way::name);
      if (way != ways.end()) same.emplace(rows, *way);
    }
    if (same.size() < of_rows.size()) continue;
    Way each{.name = "each." + first.name, .traits = first.traits};
    each.traits.calls = calls;
    each.traits.strided_axes = 0;
    if (first.prefetch) {
      each.prefetch = [same] {
        for (const auto& [rows, way] : same) {
          if (way.prefetch) way.prefetch();
        }
      };
    }
    each.make = [shape, same = std::move(same), allocator](Operands& operands) {
      return std::make_unique<EachGroup>(shape, same, allocator(), operands);
    };
    found.push_back(std::move(each));
  }
  if (found.empty()) throw Unsupported("no call that the products of all groups have");
  return found;
}

}  // namespace benanza::harness
