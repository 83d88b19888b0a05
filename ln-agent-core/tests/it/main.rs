//! Chapters of tests that cross rooms.

mod floors;
