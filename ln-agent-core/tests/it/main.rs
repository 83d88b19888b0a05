//! Chapters of tests that cross rooms.

#[cfg(test)]
mod certificate;
#[cfg(test)]
mod floors;
#[cfg(test)]
mod plan_mutation;
#[cfg(test)]
mod planner;
#[cfg(test)]
mod summarizer;
#[cfg(test)]
mod toolbox;
