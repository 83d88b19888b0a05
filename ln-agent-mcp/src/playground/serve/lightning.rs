use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{Notify, mpsc};

use crate::playground::lightningd::{Frames, Request};
use crate::playground::{CallError, Network};

const READ_BYTES: usize = 16 * 1024;

/// Serves one connection to a node's RPC socket until the caller hangs up or sends what is not JSON.
///
/// Requests run side by side; each answer leaves as soon as it is there. `stopped` is told when the node was asked
/// to stop, or runs no longer, so that its socket can be removed.
pub(super) async fn connection(stream: UnixStream, node: u16, network: Network, stopped: Arc<Notify>) {
    let (mut reader, mut writer) = stream.into_split();
    let (answers, mut ready) = mpsc::unbounded_channel::<Vec<u8>>();
    let writing = tokio::spawn(async move {
        while let Some(answer) = ready.recv().await {
            if writer.write_all(&answer).await.is_err() {
                return;
            }
        }
    });
    let mut frames = Frames::default();
    let mut buffer = vec![0; READ_BYTES];
    'reading: loop {
        match reader.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => frames.push(&buffer[..count]),
        }
        while let Some(next) = frames.next() {
            match next {
                Ok(request) => {
                    let answers = answers.clone();
                    let (network, stopped) = (network.clone(), Arc::clone(&stopped));
                    tokio::spawn(async move {
                        let answer = answer(&request, node, &network).await;
                        // `None` is a node that does not run: the connection just ends, as lightningd's does.
                        let stops = answer.is_none() || request.method == "stop";
                        if let Some(answer) = answer {
                            drop(answers.send(answer));
                        }
                        if stops {
                            stopped.notify_one();
                        }
                    });
                }
                Err((refusal, close)) => {
                    drop(answers.send(refusal.to_frame()));
                    if close {
                        break 'reading;
                    }
                }
            }
        }
    }
    drop(answers);
    drop(writing.await);
}

async fn answer(request: &Request, node: u16, network: &Network) -> Option<Vec<u8>> {
    match network.lightning(node, &request.method, request.params.clone()).await {
        Ok(result) => Some(request.answer(Ok(result))),
        Err(CallError::Rpc(error)) => Some(request.answer(Err(error))),
        Err(_) => None,
    }
}
