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

// 16 KiB a block of 256 threads: copies them.
.visible .entry benanza_copy(.param .u64 destination, .param .u64 source)
{
  .reg .b32 %thread, %block, %v<16>;
  .reg .b64 %to, %from, %offset, %within;
  ld.param.u64 %to, [destination];
  ld.param.u64 %from, [source];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %offset, %block, 16384;
  mul.wide.u32 %within, %thread, 16;
  add.s64 %offset, %offset, %within;
  add.s64 %to, %to, %offset;
  add.s64 %from, %from, %offset;
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%from];
  ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%from+4096];
  ld.global.v4.u32 {%v8, %v9, %v10, %v11}, [%from+8192];
  ld.global.v4.u32 {%v12, %v13, %v14, %v15}, [%from+12288];
  st.global.v4.u32 [%to], {%v0, %v1, %v2, %v3};
  st.global.v4.u32 [%to+4096], {%v4, %v5, %v6, %v7};
  st.global.v4.u32 [%to+8192], {%v8, %v9, %v10, %v11};
  st.global.v4.u32 [%to+12288], {%v12, %v13, %v14, %v15};
  ret;
}

// 16 KiB a block of 256 threads: reads them. Writes only what a thread's 64 bytes hardly ever are.
.visible .entry benanza_read(.param .u64 destination, .param .u64 source)
{
  .reg .pred %p;
  .reg .b32 %thread, %block, %v<16>;
  .reg .b64 %to, %from, %offset, %within;
  ld.param.u64 %to, [destination];
  ld.param.u64 %from, [source];
  cvta.to.global.u64 %to, %to;
  cvta.to.global.u64 %from, %from;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mul.wide.u32 %offset, %block, 16384;
  mul.wide.u32 %within, %thread, 16;
  add.s64 %offset, %offset, %within;
  add.s64 %from, %from, %offset;
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%from];
  ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%from+4096];
  ld.global.v4.u32 {%v8, %v9, %v10, %v11}, [%from+8192];
  ld.global.v4.u32 {%v12, %v13, %v14, %v15}, [%from+12288];
  xor.b32 %v0, %v0, %v1;
  xor.b32 %v2, %v2, %v3;
  xor.b32 %v4, %v4, %v5;
  xor.b32 %v6, %v6, %v7;
  xor.b32 %v8, %v8, %v9;
  xor.b32 %v10, %v10, %v11;
  xor.b32 %v12, %v12, %v13;
  xor.b32 %v14, %v14, %v15;
  xor.b32 %v0, %v0, %v2;
  xor.b32 %v4, %v4, %v6;
  xor.b32 %v8, %v8, %v10;
  xor.b32 %v12, %v12, %v14;
  xor.b32 %v0, %v0, %v4;
  xor.b32 %v8, %v8, %v12;
  xor.b32 %v0, %v0, %v8;
  setp.eq.u32 %p, %v0, 0x9e3779b9;
  @%p st.global.u32 [%to], %v0;
  ret;
}

// The row that block `row` copies: of outer block row / count, the one that index row % count names;
// a negative index counts from the end.
.func (.reg .b64 %start) benanza_row(.reg .b32 %row, .reg .b64 %indices, .reg .b32 %count,
    .reg .b64 %extent, .reg .b32 %index_bytes)
{
  .reg .pred %p;
  .reg .b32 %outer, %at, %narrow;
  .reg .b64 %address, %index;
  div.u32 %outer, %row, %count;
  rem.u32 %at, %row, %count;
  mul.wide.u32 %address, %at, %index_bytes;
  add.s64 %address, %address, %indices;
  cvta.to.global.u64 %address, %address;
  setp.eq.u32 %p, %index_bytes, 8;
  @%p ld.global.s64 %index, [%address];
  @!%p ld.global.s32 %narrow, [%address];
  @!%p cvt.s64.s32 %index, %narrow;
  setp.lt.s64 %p, %index, 0;
  @%p add.s64 %index, %index, %extent;
  cvt.u64.u32 %address, %outer;
  mad.lo.s64 %start, %address, %extent, %index;
  ret;
}

// A block of 256 threads for each of the chosen rows, 16 bytes at a time.
.visible .entry benanza_gather(.param .u64 destination, .param .u64 source, .param .u64 indices,
    .param .u64 row_bytes, .param .u32 count, .param .u64 extent, .param .u32 index_bytes)
{
  .reg .pred %done;
  .reg .b32 %row, %thread, %v<4>;
  .reg .b64 %from, %to, %size, %offset, %start, %a, %b;
  .reg .b64 %source, %indices, %extent;
  .reg .b32 %count, %index_bytes;
  ld.param.u64 %to, [destination];
  ld.param.u64 %source, [source];
  ld.param.u64 %indices, [indices];
  ld.param.u64 %size, [row_bytes];
  ld.param.u32 %count, [count];
  ld.param.u64 %extent, [extent];
  ld.param.u32 %index_bytes, [index_bytes];
  mov.u32 %row, %ctaid.x;
  call (%start), benanza_row, (%row, %indices, %count, %extent, %index_bytes);
  mad.lo.s64 %from, %start, %size, %source;
  cvta.to.global.u64 %from, %from;
  cvt.u64.u32 %a, %row;
  mad.lo.s64 %to, %a, %size, %to;
  cvta.to.global.u64 %to, %to;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %offset, %thread, 16;
next:
  setp.ge.s64 %done, %offset, %size;
  @%done bra end;
  add.s64 %a, %from, %offset;
  add.s64 %b, %to, %offset;
  ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%a];
  st.global.v4.u32 [%b], {%v0, %v1, %v2, %v3};
  add.s64 %offset, %offset, 4096;
  bra next;
end:
  ret;
}

// A block of 256 threads for each of the chosen rows, 2 bytes at a time.
.visible .entry benanza_gather_narrow(.param .u64 destination, .param .u64 source, .param .u64 indices,
    .param .u64 row_bytes, .param .u32 count, .param .u64 extent, .param .u32 index_bytes)
{
  .reg .pred %done;
  .reg .b32 %row, %thread;
  .reg .b16 %v;
  .reg .b64 %from, %to, %size, %offset, %start, %a, %b;
  .reg .b64 %source, %indices, %extent;
  .reg .b32 %count, %index_bytes;
  ld.param.u64 %to, [destination];
  ld.param.u64 %source, [source];
  ld.param.u64 %indices, [indices];
  ld.param.u64 %size, [row_bytes];
  ld.param.u32 %count, [count];
  ld.param.u64 %extent, [extent];
  ld.param.u32 %index_bytes, [index_bytes];
  mov.u32 %row, %ctaid.x;
  call (%start), benanza_row, (%row, %indices, %count, %extent, %index_bytes);
  mad.lo.s64 %from, %start, %size, %source;
  cvta.to.global.u64 %from, %from;
  cvt.u64.u32 %a, %row;
  mad.lo.s64 %to, %a, %size, %to;
  cvta.to.global.u64 %to, %to;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %offset, %thread, 2;
next:
  setp.ge.s64 %done, %offset, %size;
  @%done bra end;
  add.s64 %a, %from, %offset;
  add.s64 %b, %to, %offset;
  ld.global.u16 %v, [%a];
  st.global.u16 [%b], %v;
  add.s64 %offset, %offset, 512;
  bra next;
end:
  ret;
}
)ptx";

}  // namespace benanza::nvidia
