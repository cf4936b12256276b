#!/usr/bin/env python3
"""Lays what a probe stamped beside what ncu counted, launch by launch, and writes the list that machine_fit reads.

    collect.py PROBE OUT [OUT ...] > results/PROBE.json

PROBE: walk, or the loops by tensor maps of loops. OUT: folders that run.sh left, one for each chip; where a probe ran several times (walk.csv, walk.2.csv), each is a round."""
import csv
import json
import os
import sys
from statistics import mean


def rows_of_ncu(file):
    rows = list(csv.reader(line for line in open(file) if not line.startswith("==")))
    return [dict(zip(rows[0], row)) for row in rows[2:]]  # the second row has units


def chip_of(folder):
    return json.loads("{" + "".join(line for line in open(folder + "/chip.txt") if line.startswith('"')).rstrip().rstrip(",") + "}")


def by_gpc(values, sms, groups):
    """Each GPC's mean, in parts of a million of all its mean."""
    of = {g: [v for v, sm in zip(values, sms) if groups[sm] == g] for g in range(max(groups) + 1)}
    return [round(1e6 * (mean(v) / mean(values) - 1)) for v in of.values()]


def launch(stamped, counted, groups):
    count = lambda name: int(float(counted[name].replace(",", "")))
    first, last = stamped["stamps_ns"][0], stamped["stamps_ns"][-1]
    ns = [b - a for a, b in zip(first, last)]
    cycles = [b - a for a, b in zip(stamped["cycles"][0], stamped["cycles"][-1])]
    # A persistent CTA stamps when it begins a tile and when it has ended; one of a tile each when it begins its first and its last step.
    steps = stamped["length"] * (len(stamped["stamps_ns"]) - 1) if stamped["route"] == "mapped" else stamped["length"] - 1
    known = ("kind", "route", "index_work", "tile", "warps", "layers", "rows", "columns", "length", "group", "requested_bytes")
    return {k: stamped[k] for k in known if k in stamped} | {
        "step_ns": round(mean(ns) / steps, 1),
        "step_cycles": round(mean(cycles) / steps, 1),
        "group_pace_ppm": by_gpc(ns, stamped["sm"], groups),
        "clock_ghz": round(mean(c / t for c, t in zip(cycles, ns)), 3),
        "clock_ppm": by_gpc([t / c for c, t in zip(cycles, ns)], stamped["sm"], groups),
        "dram_read_bytes": count("dram__bytes_read.sum"),
        "dram_write_bytes": count("dram__bytes_write.sum"),
        "tex_sectors": count("lts__t_sectors_srcunit_tex_op_read.sum"),
        "tex_hit_sectors": count("lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"),
        "fabric_sectors": count("lts__t_sectors_srcunit_ltcfabric.sum"),
        "fabric_hit_sectors": count("lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum"),
        "duration_ns": count("gpu__time_duration.sum"),
    }


def main(probe, folders):
    chips, launches = [], []
    for number, folder in enumerate(folders):
        chip = chip_of(folder)
        chips.append(chip)
        for at, name in enumerate(n for n in (probe, probe + ".2", probe + ".3") if os.path.exists(f"{folder}/{n}.csv")):
            stamped = [json.loads(line) for line in open(f"{folder}/{name}.jsonl")]
            counted = rows_of_ncu(f"{folder}/{name}.csv")
            if len(stamped) != len(counted):
                sys.exit(f"{folder}/{name}: {len(stamped)} launches, but ncu saw {len(counted)}; run the probe again")
            for s, c in zip(stamped, counted):
                if s["kind"] != "own" and s["route"] in ("staged", "mapped"):
                    launches.append(launch(s, c, chip["sm_group"]) | {"chip": number, "round": at})
    name, driver = open(folders[0] + "/device.txt").readline().strip().split(", ")
    head = {"device": name, "driver": driver, "date": open(folders[0] + "/device.txt").read().split()[-1], "command": "tests/machine/probes/run.sh OUT"}
    head["chips"] = [chip["group_pace_ppm"] for chip in chips]
    print("{" + ",\n ".join(f'"{k}": {json.dumps(v)}' for k, v in head.items()) + ',\n "launches": [\n  ' + ",\n  ".join(map(json.dumps, launches)) + "\n ]}")


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("walk", "loops"):
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
