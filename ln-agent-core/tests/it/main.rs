//! Chapters of tests that cross rooms.

#[cfg(test)]
mod floors;
#[cfg(test)]
mod offline;
#[cfg(test)]
mod plan_mutation;
#[cfg(test)]
mod planner;
#[cfg(test)]
mod toolbox;
#[cfg(test)]
mod certificate;
