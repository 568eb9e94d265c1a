#include "generator/lists/list.h"

namespace benanza::lists {
namespace {

Entry read(const Row& row) {
  return {.sizes = row.text("dtype") + ' ' + row.text("reduction") + " of " +
                   std::to_string(row.integer("elements")) + " elements a rank",
          .passes = {{.name = "fwd",
                      .reason = "takes several ranks: bench_nccl and bench_mpi measure it"}}};
}

}  // namespace

Kind all_reduce_kind() { return {"all_reduce", read}; }

}  // namespace benanza::lists
