#include "core/metrics/metric_sets.h"

#include "core/base/error.h"

namespace benanza {

std::vector<std::string> gpu_metric_set(std::string_view name) {
  if (name == "memory") {
    // gpu__time_duration is in nanoseconds.
    return {"dram_bytes = dram__bytes_read.sum + dram__bytes_write.sum",
            "dram_bytes_per_second = (dram__bytes_read.sum + dram__bytes_write.sum) / "
            "gpu__time_duration.sum * 1e9",
            "l2_hit_percent = lts__t_sector_hit_rate.pct"};
  }
  if (name == "compute") {
    return {"ipc = smsp__inst_executed.sum / smsp__cycles_active.sum",
            "instructions = smsp__inst_executed.sum",
            "occupancy_percent = sm__warps_active.avg.pct_of_peak_sustained_active"};
  }
  if (name == "tensor") {
    const std::string matrix =
        "(sm__inst_executed_pipe_tensor_op_hmma.sum - "
        "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum + "
        "sm__inst_executed_pipe_tensor_op_gmma.sum + sm__inst_executed_pipe_tensor_op_imma.sum + "
        "sm__inst_executed_pipe_tensor_op_dmma.sum)";
    return {"matrix_instructions = " + matrix,
            "matrix_instruction_part = " + matrix + " / smsp__inst_executed.sum"};
  }
  throw Error("--metrics=" + std::string(name) + ": expected memory, compute or tensor");
}

}  // namespace benanza
