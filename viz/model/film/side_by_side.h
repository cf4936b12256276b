// One film, or several on one clock with the totals that differ.
#pragma once

#include <memory>
#include <span>

#include "viz/model/film/look.h"

namespace tl::viz::film {

// `view`: time, canvas and what is lit; the camera is set on `path`, or for one of the tour's captions where that says,
// at its time. For files.
Drawing side_by_side(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names,
                     const Path& path, View view, const Caption* caption = nullptr);
bool is_same_case(const Film& a, const Film& b);
// The settings in which each of two films differs from the other; where only the kernels do, these.
std::vector<std::string> names_that_differ(const Film& a, const Film& b);
// A camera that shows the same part of another film's node as `camera` does, if that film has such a node.
Camera camera_like(const Film& film, const Film& other, const Path& path, const Camera& camera, const Canvas& canvas);
// A table of the totals in which several films differ.
viz::Table totals_that_differ(std::span<const std::shared_ptr<const Film>> films, std::span<const std::string> names);
// Adds a drawing at a place of another.
void add_at(Drawing& to, Drawing&& part, float x, float y);

}  // namespace tl::viz::film
