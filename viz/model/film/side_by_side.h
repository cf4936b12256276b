// One film, or several on one clock with the totals that differ.
#pragma once

#include <memory>
#include <span>

#include "viz/model/film/look.h"

namespace tl::viz::film {

// `view`: time, canvas and what is lit; the camera is set on `path`. For files.
Drawing side_by_side(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                     const Path& path, View view);
bool is_same_case(const Film& a, const Film& b);
// The settings in which each of two films differs from the other; where only the kernels do, these.
std::vector<std::string> names_that_differ(const Film& a, const Film& b);
// Sees of another film what `camera` sees of one: the same part of the node there, as far as both have such a node.
Camera camera_like(const Film& film, const Film& other, const Path& path, const Camera& camera, const Canvas& canvas);
// Of several: what each total is, those that differ.
viz::Table totals_that_differ(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names);
// Adds a drawing at a place of another.
void add_at(Drawing& to, Drawing&& part, float x, float y);

}  // namespace tl::viz::film
