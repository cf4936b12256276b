// What limits a kernel on a modelled device: its occupancy, its roofline, the tiles that it keeps in shared memory.
#pragma once

#include "interp/machine/access/operand_tiles.h"
#include "interp/machine/limits/roofline.h"
#include "interp/run/schedule_case.h"

namespace tl::run {

struct LaunchOccupancy {
  std::string name;
  CtaFigures resources;
  machine::Occupancy occupancy;
};

std::vector<LaunchOccupancy> occupancy_case(const KernelOptions& kernel, const machine::Device& device);

struct LaunchRoofline {
  std::string kernel;
  machine::Roofline roofline;
  machine::Schedule schedule;
  machine::Cause cause;  // of the schedule's time
  double shared_bytes = 0;
  std::string other_estimate;  // what `tilescope schedule` says of the time, and why it is another
};

std::vector<LaunchRoofline> rooflines_of(const ScheduledCase& scheduled);

struct SharedTiles {
  std::vector<machine::OperandTile> tiles;
  int warps = 4;
};

SharedTiles shared_tiles_of(const KernelOptions& kernel, const machine::Device& device);

}  // namespace tl::run
