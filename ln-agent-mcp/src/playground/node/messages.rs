use std::rc::Rc;

use bitcoin::secp256k1::{self, PublicKey, Secp256k1};
use lightning::blinded_path::message::{BlindedMessagePath, MessageContext, MessageForwardNode};
use lightning::ln::msgs::SocketAddress;
use lightning::onion_message::messenger::{Destination, MessageRouter, OnionMessagePath};
use lightning::sign::{KeysManager, ReceiveAuthKey};

/// Sends onion messages straight to their receiver, connecting to it first where needed.
///
/// Core Lightning does the same when it knows no path. It makes offers work between nodes without channels, and
/// keeps them free of any choice that could differ from run to run.
pub(crate) struct DirectRouter(pub(super) Rc<KeysManager>);

impl std::fmt::Debug for DirectRouter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DirectRouter")
    }
}

/// In-memory links have no address, but LDK asks to be connected only where it was given one.
const ANYWHERE: SocketAddress = SocketAddress::TcpIpV4 { addr: [127, 0, 0, 1], port: 9735 };

impl MessageRouter for DirectRouter {
    fn find_path(
        &self,
        _sender: PublicKey,
        _peers: Vec<PublicKey>,
        destination: Destination,
    ) -> Result<OnionMessagePath, ()> {
        Ok(OnionMessagePath {
            intermediate_nodes: Vec::new(),
            destination,
            first_node_addresses: vec![ANYWHERE],
        })
    }

    fn create_blinded_paths<T: secp256k1::Signing + secp256k1::Verification>(
        &self,
        recipient: PublicKey,
        local_node_receive_key: ReceiveAuthKey,
        context: MessageContext,
        _peers: Vec<MessageForwardNode>,
        secp_ctx: &Secp256k1<T>,
    ) -> Result<Vec<BlindedMessagePath>, ()> {
        let path = BlindedMessagePath::one_hop(
            recipient,
            local_node_receive_key,
            context,
            self.0.as_ref(),
            secp_ctx,
        );
        Ok(vec![path])
    }
}
