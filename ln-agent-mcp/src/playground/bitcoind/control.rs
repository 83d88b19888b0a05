use super::answer::Answer;
use super::method::{Call, FAMILIES, Method, find};
use super::params::{Kind, optional};
use crate::playground::chain::{Res, RpcErr, clock};

pub(super) const METHODS: &[Method] = &[
    Method {
        name: "help",
        params: &[optional("command", Kind::Text)],
        about: "List all commands, or get help for a specified command.",
        run: help,
    },
    Method { name: "stop", params: &[], about: "Refused: the playground is stopped as a whole.", run: stop },
    Method {
        name: "uptime",
        params: &[],
        about: "Returns how long the network has run by its own clock, in seconds.",
        run: uptime,
    },
];

fn help(call: &mut Call<'_>) -> Res<Answer> {
    let Some(name) = call.args.text(0) else {
        let sections = FAMILIES.iter().map(|(family, groups)| {
            let mut lines: Vec<String> = groups.iter().copied().flatten().map(Method::usage).collect();
            lines.sort();
            format!("== {family} ==\n{}", lines.join("\n"))
        });
        return Ok(sections.collect::<Vec<_>>().join("\n\n").into());
    };
    Ok(match find(name) {
        Some(method) => format!("{}\n\n{}\n", method.usage(), method.about).into(),
        None => format!("help: unknown command: {name}\n").into(),
    })
}

fn stop(_: &mut Call<'_>) -> Res<Answer> {
    let message = "this bitcoind is part of a playground network; `ln-agent network down` stops all of it";
    Err(RpcErr::new(-1, message))
}

fn uptime(call: &mut Call<'_>) -> Res<Answer> {
    Ok((clock(call.chain.height()) - clock(0)).into())
}
