#include "suites/nvidia/run/device_code.h"

namespace benanza::nvidia {

const char device_code_ptx[] = R"ptx(
.version 6.4
.target sm_75
.address_size 64

// Ends when the GPU's wall clock has advanced by `nanoseconds`.
.visible .entry benanza_delay(.param .u64 nanoseconds)
{
  .reg .pred %p;
  .reg .b64 %limit, %start, %now, %elapsed;
  ld.param.u64 %limit, [nanoseconds];
  mov.u64 %start, %globaltimer;
wait:
  mov.u64 %now, %globaltimer;
  sub.u64 %elapsed, %now, %start;
  setp.lt.u64 %p, %elapsed, %limit;
  @%p bra wait;
  ret;
}

// Writes {nanoseconds, cycles} of SM 0 to `reading`; blocks on other SMs do nothing.
.visible .entry benanza_read_clock(.param .u64 reading)
{
  .reg .pred %p;
  .reg .b32 %sm;
  .reg .b64 %generic, %address, %time, %cycles;
  mov.u32 %sm, %smid;
  setp.ne.u32 %p, %sm, 0;
  @%p bra done;
  ld.param.u64 %generic, [reading];
  cvta.to.global.u64 %address, %generic;
  mov.u64 %time, %globaltimer;
  mov.u64 %cycles, %clock64;
  st.global.u64 [%address], %time;
  st.global.u64 [%address+8], %cycles;
done:
  ret;
}
)ptx";

}  // namespace benanza::nvidia
