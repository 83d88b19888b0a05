//! A clock that jumps from one sleeper to the next, and the loop that turns it.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use ln_agent_core::clock::Clock;

/// Shows a time that moves only when [`run`] finds everybody asleep; then the earliest sleeper wakes, of two equal
/// ones the one who lay down first.
#[derive(Debug, Default)]
pub(super) struct StepClock(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    now: u64,
    beds: u64,
    sleepers: BTreeMap<(u64, u64), Waker>,
}

/// The Unix time at which every clock starts, in milliseconds.
pub(super) const START: u64 = 1_700_000_000_000;

impl StepClock {
    /// Milliseconds since the start.
    pub(super) fn now(&self) -> u64 {
        self.0.lock().unwrap().now
    }

    /// Moves on to the next sleeper. `false` if there is none.
    fn step(&self) -> bool {
        let mut state = self.0.lock().unwrap();
        let Some(((until, _), waker)) = state.sleepers.pop_first() else { return false };
        state.now = state.now.max(until);
        drop(state);
        waker.wake();
        true
    }
}

#[async_trait::async_trait]
impl Clock for StepClock {
    fn unix_millis(&self) -> u64 {
        START + self.now()
    }

    fn monotonic_millis(&self) -> u64 {
        self.now()
    }

    async fn sleep(&self, duration: Duration) {
        let bed = {
            let mut state = self.0.lock().unwrap();
            state.beds += 1;
            (state.now + u64::try_from(duration.as_millis()).unwrap(), state.beds)
        };
        Sleep { clock: self, bed }.await;
    }
}

struct Sleep<'c> {
    clock: &'c StepClock,
    bed: (u64, u64),
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.clock.0.lock().unwrap();
        if state.now >= self.bed.0 {
            return Poll::Ready(());
        }
        state.sleepers.insert(self.bed, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        self.clock.0.lock().unwrap().sleepers.remove(&self.bed);
    }
}

/// Runs a future to its end, turning the clock whenever nothing else can happen.
pub(super) fn run<F: Future>(clock: &StepClock, future: F) -> F::Output {
    let mut future = pin!(future);
    let awake = Arc::new(Awake(AtomicBool::new(true)));
    let waker = Waker::from(Arc::clone(&awake));
    let mut context = Context::from_waker(&waker);
    loop {
        if awake.0.swap(false, Ordering::SeqCst) {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
        } else {
            assert!(clock.step(), "nobody sleeps and nobody works: it hangs");
        }
    }
}

/// Starts a future that has to wait for something.
pub(super) async fn begin<F: Future + Unpin>(future: &mut F) {
    let waits = poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await;
    assert!(waits, "it did not have to wait");
}

struct Awake(AtomicBool);

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn sleepers_wake_in_the_order_of_their_times() {
    let clock = StepClock::default();
    let woken = Mutex::new(Vec::new());
    let sleepers = [30, 10, 20, 10].into_iter().enumerate().map(|(index, millis)| {
        let (clock, woken) = (&clock, &woken);
        async move {
            clock.sleep(Duration::from_millis(millis)).await;
            woken.lock().unwrap().push((index, clock.now()));
        }
    });

    run(&clock, futures_util::future::join_all(sleepers));

    assert_eq!(*woken.lock().unwrap(), [(1, 10), (3, 10), (2, 20), (0, 30)]);
}
