use super::call::{Call, Outcome, list};
use super::channel_view;
use super::methods::Method;

pub(super) const METHODS: &[Method] = &[Method {
    name: "listpeerchannels",
    params: &["id?", "short_channel_id?", "channel_id?"],
    writes: false,
    run,
}];

/// Blocks after which a closed channel is forgotten here, as in Core Lightning.
pub(super) const FORGET_BLOCKS: u32 = 100;

fn run(call: &mut Call<'_>) -> Outcome {
    let peer = call.params.node_id("id")?.map(|id| id.to_string());
    let scid = call.params.text("short_channel_id")?;
    let id = call.params.text("channel_id")?;
    let height = call.world.chain.borrow().height();
    let wanted =
        |asked: &Option<String>, got: Option<&str>| asked.as_deref().is_none_or(|want| got == Some(want));
    let rows = call.node().book.channels.iter().map(|(_, row)| row).filter(|row| {
        let fits = wanted(&peer, Some(&row.peer_id))
            && wanted(&scid, row.scid.as_deref())
            && wanted(&id, Some(&row.channel_id));
        let ended = channel_view::ended_at(call, row);
        fits && ended.is_none_or(|at| height < at + FORGET_BLOCKS)
    });
    list("channels", rows.map(|row| channel_view::describe(call, row)).collect())
}
