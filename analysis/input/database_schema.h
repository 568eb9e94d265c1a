#pragma once

#include "core/base/sqlite.h"

namespace benanza::analysis {

/// The tables of a results database:
///   systems       one row per backend: its system and the device's peaks, as JSON objects
///   problems      the keys
///   measurements  one row per row of a results file. status as the enumeration Status; samples as
///                 the bytes of doubles, seconds; tensor_cores 0, 1 or null; facts as
///                 ResultRow::facts; hash of what makes the row distinct within its problem.
/// Creates them in an empty file. Throws Error for a file that is another program's, or of another
/// schema.
void create_tables(sqlite::Connection& connection);
/// Throws as above, and for an empty file.
void require_tables(const sqlite::Connection& connection);

}  // namespace benanza::analysis
