// The nodes of a launch's film.
#pragma once

#include "viz/model/film/steps.h"

namespace tl::viz::film {

// Tensors, L2, SMs, the traffic between them. `inside`: the node that an SM shows.
Node launch_node(Film& film, const LaunchToPlay& launch, const std::vector<TileGrid>& grids,
                 const std::vector<TileStory>& stories, int inside);
// A program on its SM, with its slots and registers as nodes of their own; returns the node that an SM shows: that one,
// or, where several programs are there at once, one of all of them.
int add_program_nodes(Film& film, const LaunchToPlay& launch, const std::vector<Op>& ops);
// The tile of a load in shared memory; the block that threads hold in registers.
int add_slot_node(Film& film, const Op& op, bool is_by_tma);
int add_registers_node(Film& film, const ValueInRegisters& value);

// Helpers that draw nodes.
Shape& add_rect(Node& node, const Box& box, Colour fill, Colour stroke = {});
Shape& add_text(Node& node, float x, float y, std::string text, float size = 13, Align align = Align::left,
                Colour ink = {Role::ink});
// A colour's meaning: a swatch and a text; without room for the text both are left out.
Shape& add_key(Node& node, float x, float y, std::string text, Colour colour);
const std::vector<State>& found_states();   // by FoundAt
const std::vector<Colour>& wave_colours();  // of programs, wave by wave: no source's, two in turn
// Parts of the launch's node.
inline constexpr Box tensors_area{20, 50, 560, 655}, l2_area{700, 50, 270, 655}, sms_area{1090, 50, 490, 655},
    charts_area{0, 710, 1600, 290};

}  // namespace tl::viz::film
