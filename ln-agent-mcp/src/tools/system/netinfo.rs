//! `sys_netinfo`.

use std::net::{IpAddr, UdpSocket};

use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::node::Nodes;

/// Where this machine is found.
#[derive(Debug)]
pub(super) struct NetInfo {
    pub(super) nodes: Nodes,
}

/// Arguments of `sys_netinfo`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NetInfoArgs {}

/// Payload of `sys_netinfo`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Addresses {
    /// The machine's name.
    hostname: String,
    /// The address it is seen with from outside its own network segment; null without a route.
    default_outbound_ip: Option<String>,
    /// All its IPv4 addresses but the loopback ones.
    all_ips: Vec<String>,
    /// Where nodes listen.
    ln_bind_host: String,
    /// Where nodes say they are found.
    ln_announce_host: String,
}

#[async_trait::async_trait]
impl TypedTool for NetInfo {
    const NAME: &'static str = "sys_netinfo";
    const TITLE: &'static str = "Machine's addresses";
    const DESCRIPTION: &'static str = "Shows this machine's name and IP addresses, for nodes that connect from \
        other machines. Nodes on this machine are found by ln_getinfo.";
    const EFFECT: Effect = Effect::Read;
    type Args = NetInfoArgs;
    type Output = Addresses;

    async fn call(&self, _args: NetInfoArgs) -> Result<Addresses, ToolError> {
        let interfaces = if_addrs::get_if_addrs().map_err(|error| {
            ToolError::new(ToolErrorKind::Failed, format!("interfaces cannot be listed: {error}"))
        })?;
        let mut all_ips: Vec<IpAddr> = interfaces.iter().map(if_addrs::Interface::ip).collect();
        all_ips.retain(|ip| ip.is_ipv4() && !ip.is_loopback());
        all_ips.sort_unstable();
        all_ips.dedup();
        let config = self.nodes.config();
        Ok(Addresses {
            hostname: gethostname::gethostname().to_string_lossy().into_owned(),
            default_outbound_ip: outbound_ip().map(|ip| ip.to_string()),
            all_ips: all_ips.iter().map(ToString::to_string).collect(),
            ln_bind_host: config.bind_host.clone(),
            ln_announce_host: config.announce_host.clone(),
        })
    }
}

/// The source address the system would use. Connecting a UDP socket sends no packet; the target is reserved for
/// documentation.
fn outbound_ip() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;

    #[tokio::test]
    async fn no_loopback_address_is_listed() {
        let config = NodesConfig { bind_host: "0.0.0.0".into(), ..NodesConfig::at("/nowhere".as_ref()) };

        let found = NetInfo { nodes: Nodes::new(config) }.call(NetInfoArgs {}).await.unwrap();

        assert!(!found.hostname.is_empty());
        assert!(found.all_ips.iter().all(|ip| !ip.starts_with("127.")), "{:?}", found.all_ips);
        assert_eq!(found.ln_bind_host, "0.0.0.0");
    }
}
