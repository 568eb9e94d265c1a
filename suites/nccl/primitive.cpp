#include "suites/nccl/primitive.h"

#include <stdexcept>

#include "suites/nccl/gpus.h"
#include "suites/nccl/stopwatch.h"
#include "suites/nvidia/device/tensor_format.h"

namespace benanza::nccl {
namespace {

ncclDataType_t type_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return ncclFloat32;
    case Precision::fp16:
      return ncclFloat16;
    case Precision::bf16:
      return ncclBfloat16;
    default:
      throw harness::Unsupported("NCCL adds up no " + std::string(to_string(precision)));
  }
}

nvidia::TensorFormat format_of(Precision precision, std::int64_t elements) {
  return nvidia::tensor_format(precision, {elements}, Layout::plain);
}

/// The calls of all ranks, as one group.
class Group {
 public:
  Group() { check(ncclGroupStart(), "ncclGroupStart"); }
  ~Group() {
    if (!ended_) ncclGroupEnd();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  void end() {
    ended_ = true;
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

 private:
  bool ended_ = false;
};

}  // namespace

CollectivePrimitive::CollectivePrimitive(Gpus& gpus, GroupStopwatch& stopwatch,
                                         const Collective& shape, Precision precision,
                                         bool in_graph)
    : gpus_(gpus),
      stopwatch_(stopwatch),
      shape_(shape),
      precision_(precision),
      in_graph_(in_graph) {
  gpus_.communicators(ranks());
  const std::size_t senders = shape.inputs().size();
  for (int rank = 0; rank < ranks(); ++rank) {
    gpus_.use(rank);
    const bool sends = static_cast<std::size_t>(rank) < senders;
    sent_.push_back(
        sends ? nvidia::DeviceMemory(span_bytes(format_of(precision, shape.sent_elements())))
              : nvidia::DeviceMemory());
    received_.emplace_back(span_bytes(format_of(precision, shape.received_elements())));
  }
}

CollectivePrimitive::~CollectivePrimitive() { stopwatch_.forget(*this); }

void CollectivePrimitive::upload(std::size_t index, std::span<const float> values) {
  const auto rank = static_cast<int>(index);
  gpus_.use(rank);
  sent_.at(index).write(to_storage(values, format_of(precision_, shape_.sent_elements())),
                        gpus_.stream(rank));
}

void CollectivePrimitive::poison_output() {
  for (int rank = 0; rank < ranks(); ++rank) {
    gpus_.use(rank);
    received_[static_cast<std::size_t>(rank)].fill(nvidia::poison_byte(precision_),
                                                   gpus_.stream(rank));
  }
}

void CollectivePrimitive::run() {
  const std::vector<Communicator>& all = gpus_.communicators(ranks());
  Group group;
  for (int rank = 0; rank < ranks(); ++rank) {
    gpus_.use(rank);
    enqueue(rank, all[static_cast<std::size_t>(rank)].get());
  }
  group.end();
}

void CollectivePrimitive::enqueue(int rank, ncclComm_t communicator) {
  const auto place = static_cast<std::size_t>(rank);
  const std::byte* const from = sent_[place].data();
  std::byte* const to = received_[place].data();
  const ncclDataType_t type = type_of(precision_);
  const cudaStream_t stream = gpus_.stream(rank);
  const auto elements = static_cast<std::size_t>(shape_.elements);
  const std::size_t part = elements / static_cast<std::size_t>(shape_.ranks);
  switch (shape_.kind) {
    case CollectiveKind::all_reduce:
      return check(ncclAllReduce(from, to, elements, type, ncclSum, communicator, stream),
                   "ncclAllReduce");
    case CollectiveKind::all_gather:
      return check(ncclAllGather(from, to, part, type, communicator, stream), "ncclAllGather");
    case CollectiveKind::reduce_scatter:
      return check(ncclReduceScatter(from, to, part, type, ncclSum, communicator, stream),
                   "ncclReduceScatter");
    case CollectiveKind::broadcast:
      return check(ncclBroadcast(from, to, elements, type, 0, communicator, stream),
                   "ncclBroadcast");
    case CollectiveKind::all_to_all: {
      // Composed as in the library's documentation.
      const std::size_t bytes = part * static_cast<std::size_t>(element_bytes(precision_));
      for (int peer = 0; peer < ranks(); ++peer) {
        const std::size_t offset = static_cast<std::size_t>(peer) * bytes;
        check(ncclSend(from + offset, part, type, peer, communicator, stream), "ncclSend");
        check(ncclRecv(to + offset, part, type, peer, communicator, stream), "ncclRecv");
      }
      return;
    }
  }
  throw std::logic_error("unknown collective");
}

std::vector<float> CollectivePrimitive::download() {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(shape_.ranks * shape_.received_elements()));
  std::vector<std::byte> bytes;
  for (int rank = 0; rank < ranks(); ++rank) {
    gpus_.use(rank);
    const nvidia::DeviceMemory& memory = received_[static_cast<std::size_t>(rank)];
    bytes.resize(static_cast<std::size_t>(memory.size_bytes()));
    memory.read(bytes, gpus_.stream(rank));
    const std::vector<float> one =
        from_storage(bytes, format_of(precision_, shape_.received_elements()));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

Facts CollectivePrimitive::facts() { return stopwatch_.facts(*this); }

}  // namespace benanza::nccl
