//! From words to clauses: who does what, with how much, to whom, under which condition.

mod act;
mod act_channel;
mod act_money;
mod act_node;
mod beyond;
mod command;
mod condition;
mod entity;
mod filter;
mod frame;
mod link;
mod money;
mod mood;
mod node;
mod probe;
mod read;
mod split;
mod stance;
mod topic;
mod verb;
mod words;

pub(super) use frame::{asks_whether, frames, leaves_a_choice, takes_back};
pub(super) use link::{Scene, Understood, understand};
pub(super) use mood::{Mood, mood};
pub(super) use probe::{Texts, amount_at, deeds, direction, last_deed, leaves_a_command, mentions, texts};
pub(super) use split::split;
pub(super) use topic::subject;
pub(super) use verb::Verb;
pub(super) use words::{Words, amount_of, words};
