//! Which hosts may be asked, by name and by what the name resolves to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ln_agent_core::tool::{ToolError, ToolErrorKind};
use reqwest::Url;

/// Checks a URL against the allow-list, resolves its host and checks every address, so that the connection can
/// be pinned to what was checked.
///
/// # Errors
///
/// `InvalidArguments` for a URL that is none, `Refused` for a host or address that is not allowed, `Unreachable`
/// for a name that does not resolve.
pub(super) async fn resolve(url: &Url, allowed: &[String]) -> Result<Vec<SocketAddr>, ToolError> {
    let refused = |why: String| ToolError::new(ToolErrorKind::Refused, why);
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err(refused("the URL names no host".to_owned()));
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if !allowed.iter().any(|entry| matches(entry, host, port)) {
        return Err(refused(format!(
            "host {host}:{port} is not on the allow-list: add it to HTTP_FETCH_ALLOW_HOSTS if it may be asked"
        )));
    }
    let found = tokio::net::lookup_host((host, port)).await;
    let addresses: Vec<SocketAddr> = found
        .map_err(|error| {
            ToolError::new(ToolErrorKind::Unreachable, format!("host {host} cannot be resolved: {error}"))
        })?
        .collect();
    let may_be_local = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok();
    match addresses.iter().find(|address| forbidden(address.ip(), may_be_local)) {
        Some(address) => Err(refused(format!("host {host} is at {}, which may not be asked", address.ip()))),
        None => Ok(addresses),
    }
}

/// An entry is `host`, `host:port` or `*.domain`; IPv6 addresses stand with or without brackets.
fn matches(entry: &str, host: &str, port: u16) -> bool {
    let host = host.to_ascii_lowercase();
    if entry == host || *entry == format!("[{host}]") || *entry == format!("[{host}]:{port}") {
        return true;
    }
    match entry.strip_prefix("*.") {
        Some(domain) => host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1),
        None => !host.contains(':') && *entry == format!("{host}:{port}"),
    }
}

/// Link-local addresses hold cloud machines' credentials; a name that claims to be elsewhere but leads back to
/// this machine is a trick.
fn forbidden(ip: IpAddr, may_be_local: bool) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            ip.is_link_local()
                || ip.is_unspecified()
                || ip.is_multicast()
                || ip.is_broadcast()
                || ip == ALIBABA_METADATA
                || (ip.is_loopback() && !may_be_local)
        }
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(inner) => forbidden(IpAddr::V4(inner), may_be_local),
            None => {
                ip.is_unicast_link_local()
                    || ip.is_unspecified()
                    || ip.is_multicast()
                    || ip == AWS_METADATA
                    || (ip.is_loopback() && !may_be_local)
            }
        },
    }
}

/// Serves credentials to machines of that cloud, outside the link-local range.
const ALIBABA_METADATA: Ipv4Addr = Ipv4Addr::new(100, 100, 100, 200);
/// The same of another cloud.
const AWS_METADATA: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_admits_its_host_and_no_lookalike() {
        let cases = [
            ("127.0.0.1", "127.0.0.1", 8402, true),
            ("api.example.org", "API.example.org", 443, true),
            ("api.example.org:8443", "api.example.org", 8443, true),
            ("api.example.org:8443", "api.example.org", 443, false),
            ("*.example.org", "a.b.example.org", 443, true),
            ("*.example.org", "example.org", 443, false),
            ("*.example.org", "evilexample.org", 443, false),
            ("::1", "::1", 80, true),
            ("[::1]:80", "::1", 80, true),
        ];
        for (entry, host, port, admitted) in cases {
            assert_eq!(matches(entry, host, port), admitted, "{entry} {host}:{port}");
        }
    }

    #[tokio::test]
    async fn link_local_addresses_are_refused_even_on_the_list() {
        for host in ["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "[fe80::1]", "0.0.0.0"]
        {
            let url: Url = format!("http://{host}/").parse().unwrap();
            let listed = url.host_str().unwrap().to_owned();

            let error = resolve(&url, &[listed]).await.unwrap_err();

            assert_eq!(error.kind, ToolErrorKind::Refused, "{host}: {}", error.message);
            assert!(error.message.contains("may not be asked"), "{host}: {}", error.message);
        }
    }
}
