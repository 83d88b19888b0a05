//! What a command needs before it can work: configuration, a network, tools, an agent.

mod agent;
mod approval;
mod control;
mod daemon;
mod keyboard;
mod place;
mod toolbox;

pub(crate) use agent::{Wishes, agent, backends, model_names};
pub(crate) use control::Control;
pub(crate) use daemon::{Playground, start};
pub(crate) use keyboard::Keyboard;
pub(crate) use place::Place;
pub(crate) use toolbox::Toolbox;
