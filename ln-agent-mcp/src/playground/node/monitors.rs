use std::cell::RefCell;
use std::collections::BTreeSet;
use std::mem;

use lightning::chain::ChannelMonitorUpdateStatus;
use lightning::chain::chainmonitor::Persist;
use lightning::chain::channelmonitor::{ChannelMonitor, ChannelMonitorUpdate};
use lightning::ln::types::ChannelId;
use lightning::sign::InMemorySigner;
use lightning::util::persist::MonitorName;

/// Which channel monitors changed since they were last staged.
///
/// An update counts as persisted at once, although it is written only when the command is committed. That keeps
/// LDK's promise because all nodes of a network are committed in one transaction before the answer leaves: after
/// a crash every node and the chain are back at the same moment, so no peer knows more than another.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    changed: RefCell<BTreeSet<ChannelId>>,
    archived: RefCell<BTreeSet<String>>,
}

impl Touched {
    pub(super) fn take_changed(&self) -> BTreeSet<ChannelId> {
        mem::take(&mut self.changed.borrow_mut())
    }

    pub(super) fn take_archived(&self) -> BTreeSet<String> {
        mem::take(&mut self.archived.borrow_mut())
    }
}

impl Persist<InMemorySigner> for Touched {
    fn persist_new_channel(
        &self,
        _name: MonitorName,
        monitor: &ChannelMonitor<InMemorySigner>,
    ) -> ChannelMonitorUpdateStatus {
        self.changed.borrow_mut().insert(monitor.channel_id());
        ChannelMonitorUpdateStatus::Completed
    }

    fn update_persisted_channel(
        &self,
        _name: MonitorName,
        _update: Option<&ChannelMonitorUpdate>,
        monitor: &ChannelMonitor<InMemorySigner>,
    ) -> ChannelMonitorUpdateStatus {
        self.changed.borrow_mut().insert(monitor.channel_id());
        ChannelMonitorUpdateStatus::Completed
    }

    fn archive_persisted_channel(&self, name: MonitorName) {
        self.archived.borrow_mut().insert(name.to_string());
    }
}
