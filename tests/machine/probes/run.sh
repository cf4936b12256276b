#!/bin/bash
# Runs the probes on a machine with a GPU, under ncu, and leaves their raw results in a folder: tests/machine/probes/run.sh OUT [BINARIES]
# BINARIES holds dispatch, capacity, streams, merging, pace, promotion, walk, sectors, lanes, loops, copies, rows, chip, launch, graph, flush, ctas and atomics built elsewhere; without it, nvcc builds them. Leaves the card's clocks as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$1
bin=${2:-}
arch=${ARCH:-90a}
if [ -z "$bin" ]; then
  bin=$(mktemp -d)
  for probe in dispatch capacity streams merging pace promotion walk sectors lanes loops copies rows chip launch graph flush ctas atomics; do
    nvcc -O2 -std=c++17 -gencode=arch=compute_$arch,code=sm_$arch -o "$bin/$probe" "$here/$probe.cu"
  done
fi
metrics=dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum
metrics+=,lts__t_sectors_op_read_lookup_miss.sum,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum
metrics+=,lts__t_sectors_srcunit_tex_op_write.sum,lts__d_sectors_fill_device.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_read_lookup_hit.sum,lts__t_requests_srcunit_tex_op_read.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__m_xbar2l1tex_read_sectors.sum,gpu__time_duration.sum,lts__t_requests_op_red.sum,lts__t_sectors_op_red.sum
few=dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum
few+=,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum,gpu__time_duration.sum
profile() {  # NAME PROGRAM ARGUMENTS...
  local name=$1; shift
  ncu --clock-control none --cache-control all --print-units base --csv --page raw --kernel-name regex:probe --metrics "$metrics" \
      --log-file "$out/$name.csv" "$@" | grep '^LAUNCH ' | cut -c8- > "$out/$name.jsonl"
}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"
date -u +%F | tee -a "$out/device.txt"
"$bin/chip" "$here/../../../interp/machine/devices/h200.json" | tee "$out/chip.txt"
"$bin/dispatch" > "$out/dispatch.json"
"$bin/streams" streams | grep '^LAUNCH ' | cut -c8- > "$out/streams_alone.jsonl"
"$bin/graph" | grep '^LAUNCH ' | cut -c8- > "$out/graph.jsonl"
"$bin/flush" | grep '^LAUNCH ' | cut -c8- > "$out/flush.jsonl"
"$bin/ctas" > "$out/ctas.jsonl"
"$bin/copies" | grep '^LAUNCH ' | cut -c8- > "$out/copies.jsonl"
"$bin/rows" | grep '^LAUNCH ' | cut -c8- > "$out/rows.jsonl"
"$bin/pace" | grep '^LAUNCH ' | cut -c8- > "$out/pace_alone.jsonl"
profile capacity "$bin/capacity"
profile pace "$bin/pace" counters
profile promotion "$bin/promotion"
metrics=$few profile walk "$bin/walk"
metrics=$few profile walk.2 "$bin/walk"  # two rounds: launches that tip over or do not
profile loops "$bin/loops"
profile sectors "$bin/sectors"
profile lanes "$bin/lanes"
profile launch "$bin/launch"
profile atomics "$bin/atomics"
profile pairs "$bin/streams" pairs
profile merging "$bin/merging"
profile streams "$bin/streams" streams
wc -l "$out"/*.csv "$out"/*.jsonl
