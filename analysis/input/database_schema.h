#pragma once

#include "core/base/sqlite.h"

namespace benanza::analysis {

/// Creates the tables of a results database in an empty file:
///   systems       one row per backend: its system, and the device's peaks (numbers) with the
///   anchors' times
///                 (lists), as JSON objects
///   problems      the keys
///   measurements  one row per row of a results file. status is the value of enum Status; samples
///                 are the bytes of doubles, in seconds; tensor_cores is 0, 1 or null; facts are
///                 members_text(); hash covers what makes the row distinct within its problem.
/// Throws Error if the file belongs to another program or has another schema.
void create_tables(sqlite::Connection& connection);
/// Throws Error as create_tables() does, and also if the file is empty.
void require_tables(const sqlite::Connection& connection);

}  // namespace benanza::analysis
