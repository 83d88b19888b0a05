use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::error::RpcError;
use super::params::Params;
use crate::playground::node::{Live, Node};
use crate::playground::world::World;

/// One call of one method on one running node.
pub(crate) struct Call<'a> {
    pub(crate) world: &'a mut World,
    /// The node that was called, counted from 1.
    pub(crate) me: u16,
    pub(crate) params: Params,
}

/// What a method gives back.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The result.
    Done(Value),
    /// The result comes later; the actor goes on meanwhile.
    Later(Wait),
}

/// Asked after every command; its first `Some` is the call's answer.
type Ready = Box<dyn Fn(&World) -> Option<Result<Value, RpcError>>>;

/// A call that waits for something to happen on its node.
pub(crate) struct Wait {
    pub(crate) ready: Ready,
    /// Real time after which `late` is the answer; `None` waits for ever.
    pub(crate) timeout: Option<Duration>,
    pub(crate) late: RpcError,
}

impl fmt::Debug for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

/// What a method answers.
pub(crate) type Outcome = Result<Answer, RpcError>;

impl Call<'_> {
    /// The node that was called.
    pub(crate) fn node(&self) -> &Node {
        self.world.nodes.get(&self.me).expect("the actor calls methods of existing nodes only")
    }

    /// The node that was called, to be changed.
    pub(crate) fn node_mut(&mut self) -> &mut Node {
        self.world.nodes.get_mut(&self.me).expect("the actor calls methods of existing nodes only")
    }

    /// The running half of the node that was called.
    pub(crate) fn live(&self) -> &Live {
        self.node().live.as_ref().expect("the actor calls methods of running nodes only")
    }
}

/// An answer of these members; those that are `None` are left out.
pub(super) fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// A finished answer of one list.
pub(super) fn list(name: &str, items: Vec<Value>) -> Outcome {
    Ok(Answer::Done(Value::Object(object([(name, Some(Value::Array(items)))]))))
}
