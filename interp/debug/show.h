// How a moment of a run reads: the line with a caret, results by name, loads and stores lane by lane, faults with their
// fix.
#pragma once

#include "interp/debug/fault_text.h"
#include "interp/debug/paint.h"
#include "interp/debug/session.h"

namespace tl::debug {

// `offs = [2 3]  i32[2]`; pointers as `x + [2 3]`.
std::string value_text(const trace::RecordedProgram& program, const trace::RecordedLaunch& launch, std::int32_t value,
                       const Printing& printing = {});
// Without the type.
std::string elements_text(const trace::RecordedValue& value, const trace::RecordedLaunch& launch,
                          const Printing& printing = {});

// `lane 5: 0.25`, `lane 98 [3, 2]: 677`.
std::string lane_text(const trace::RecordedValue& value, std::int64_t lane, char base = 0);

// The text line of an op, its number before it, a caret beneath its token.
std::string line_text(const SourceModel& model, int token, const Paint& paint);
// Lines around one, that one marked.
std::string listing(const SourceModel& model, int first, int last, int marked, const Paint& paint);

// What steps first .. end made, as `frame` sees it: what its variables took, what was loaded and stored; of a single op
// its result, named or not.
std::string steps_text(Session& session, std::uint32_t first, std::uint32_t end, int frame, const Paint& paint);
const char* verb(trace::AccessKind kind);  // loads, stores, adds to
// Lanes, cells, mask and values of a load or store.
std::string access_text(const ProgramView& view, const trace::RecordedLaunch& launch, std::uint32_t s,
                        std::int64_t lane, const Paint& paint);

// `where: headline`, the line with a caret and the detail beneath it, the fix.
std::string fault_text(const Fault& fault, const SourceModel* model, const Paint& paint);

}  // namespace tl::debug
