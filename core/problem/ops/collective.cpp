#include "core/problem/ops/collective.h"

#include <stdexcept>
#include <string>

namespace benanza {
namespace {

bool reduces(CollectiveKind kind) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
}

bool has_parts(CollectiveKind kind) {
  return kind != CollectiveKind::all_reduce && kind != CollectiveKind::broadcast;
}

}  // namespace

std::string_view to_string(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "all_reduce";
    case CollectiveKind::all_gather:
      return "all_gather";
    case CollectiveKind::reduce_scatter:
      return "reduce_scatter";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::all_to_all:
      return "all_to_all";
  }
  throw std::logic_error("unknown collective");
}

std::optional<CollectiveKind> parse_collective(std::string_view text) {
  for (const CollectiveKind kind : all_collectives) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

void Collective::map(KeyFields& fields) {
  KeyReader* const reader = fields.reader();
  if (reader != nullptr) kind = *parse_collective(reader->op());
  fields.integer("", elements).integer("r", ranks);
  if (reader == nullptr) return;
  fields.require(elements >= 1, "positive elements").require(ranks >= 2, "two ranks or more");
  if (ranks > most_ranks) {
    reader->too_large("more than " + std::to_string(most_ranks) + " ranks");
  }
  fields.require(!has_parts(kind) || elements % ranks == 0, "elements that the ranks divide");
}

std::int64_t Collective::sent_elements() const {
  return kind == CollectiveKind::all_gather ? elements / ranks : elements;
}

std::int64_t Collective::received_elements() const {
  return kind == CollectiveKind::reduce_scatter ? elements / ranks : elements;
}

std::vector<Operand> Collective::inputs() const {
  const std::int64_t senders = kind == CollectiveKind::broadcast ? 1 : ranks;
  return std::vector<Operand>(static_cast<std::size_t>(senders),
                              {.name = "input", .dims = {sent_elements()}});
}

double Collective::flops() const {
  return reduces(kind) ? static_cast<double>(elements) * static_cast<double>(ranks - 1) : 0;
}

std::int64_t Collective::reduction_length() const { return reduces(kind) ? ranks : 1; }

double bus_factor(CollectiveKind kind, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  if (kind == CollectiveKind::broadcast) return 1;
  return (kind == CollectiveKind::all_reduce ? 2 : 1) * (n - 1) / n;
}

}  // namespace benanza
