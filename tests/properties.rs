//! Random sequences of everything that a selector and its channels can go through: each backend
//! must do what the [model] says, after every single step.
#![cfg(target_os = "linux")]

mod common;
mod model;

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use common::{LONG, any_port, nonblocking, on_every_backend, returns_early, selector, waits_out};
use model::{Event, Flavour, Model, Refusal, Sight};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Error, Ops, SelectableChannel, SelectedKeyMut, SelectionKey, Selector};
use proptest::prelude::*;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::Shutdown;

/// Few, so that operations meet.
const SLOTS: usize = 4;

type Slot = usize;

#[derive(Clone, Copy, Debug)]
enum Operation {
    Open(Slot, Flavour),
    Drop(Slot),
    Happen(Slot, Event),
    Register(Slot, Ops),
    SetInterest(Slot, Ops),
    AddInterest(Slot, Ops),
    KeepInterest(Slot, Ops),
    Cancel(Slot),
    Wakeup,
    Select,
    SelectNow,
    SelectNowAgainAndAgain,
    SelectNowWith,
    Remove(Slot),
    Pop,
    Clear,
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let slot = || 0..SLOTS;
    prop_oneof![
        2 => (slot(), flavour()).prop_map(|(slot, flavour)| O::Open(slot, flavour)),
        1 => slot().prop_map(O::Drop),
        8 => (slot(), event()).prop_map(|(slot, event)| O::Happen(slot, event)),
        5 => (slot(), ops()).prop_map(|(slot, ops)| O::Register(slot, ops)),
        3 => (slot(), ops()).prop_map(|(slot, ops)| O::SetInterest(slot, ops)),
        1 => (slot(), ops()).prop_map(|(slot, ops)| O::AddInterest(slot, ops)),
        1 => (slot(), ops()).prop_map(|(slot, ops)| O::KeepInterest(slot, ops)),
        1 => slot().prop_map(O::Cancel),
        1 => Just(O::Wakeup),
        2 => Just(O::Select),
        6 => Just(O::SelectNow),
        3 => Just(O::SelectNowAgainAndAgain),
        2 => Just(O::SelectNowWith),
        1 => slot().prop_map(O::Remove),
        1 => Just(O::Pop),
        1 => Just(O::Clear),
    ]
}

fn flavour() -> impl Strategy<Value = Flavour> {
    prop_oneof![
        Just(Flavour::UnixStream),
        Just(Flavour::PipeSource),
        Just(Flavour::PipeSink),
        Just(Flavour::TcpStream),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::PeerWrites),
        2 => Just(Event::WeReadAll),
        1 => Just(Event::WeFill),
        1 => Just(Event::PeerReadsAll),
        1 => Just(Event::WeEnd),
        1 => Just(Event::PeerEnds),
        1 => Just(Event::PeerCloses),
    ]
}

/// Mostly what every channel has, sometimes what some or all refuse.
fn ops() -> impl Strategy<Value = Ops> {
    prop_oneof![
        3 => Just(Ops::READ),
        3 => Just(Ops::WRITE),
        3 => Just(Ops::READ | Ops::WRITE),
        1 => Just(Ops::empty()),
        1 => Just(Ops::CONNECT),
        1 => Just(Ops::READ | Ops::CONNECT),
        1 => Just(Ops::ACCEPT),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // A failure may be a wait that does not end.
        max_shrink_time: 60_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_backend_does_what_the_model_says(
        operations in prop::collection::vec(operation(), 1..80),
    ) {
        on_every_backend(|backend| {
            for policy in [Policy::default(), Policy::Eager] {
                if policy == Policy::default() || backend == Backend::Epoll {
                    Lockstep::new(backend, policy).perform_all(&operations);
                }
            }
        });
    }
}

/// What the model leaves out: Linux counts a hang-up as readable for select(2), not as writable.
#[test]
fn select_does_not_tell_a_writer_of_a_hang_up() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut line = Line::open(Flavour::UnixStream);
        for event in [Event::WeFill, Event::WeEnd, Event::PeerEnds] {
            line.happen(event);
        }
        let key = line.ours.register(&selector, Ops::WRITE, 0).unwrap();
        let told = usize::from(backend != Backend::Select);
        assert_eq!(selector.select_now().unwrap(), told);
        key.set_interest_ops(Ops::READ).unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert!(key.is_readable());
    });
}

/// A selector, its channels, and the model of both.
struct Lockstep {
    model: Model,
    selector: Selector<usize>,
    policy: Policy,
    lines: Vec<Option<Line>>,
    /// By the model's number.
    keys: Vec<SelectionKey>,
    attachments: usize,
}

impl Lockstep {
    fn new(backend: Backend, policy: Policy) -> Self {
        let builder = Selector::builder().backend(backend).doorbell(policy);
        Self {
            model: Model::new(SLOTS),
            selector: builder.open().unwrap(),
            policy,
            lines: (0..SLOTS).map(|_| None).collect(),
            keys: Vec::new(),
            attachments: 0,
        }
    }

    fn perform_all(&mut self, operations: &[Operation]) {
        println!("doorbell: {:?}", self.selector.doorbell());
        for (step, &operation) in operations.iter().enumerate() {
            println!("{step}: {operation:?}");
            self.perform(operation);
            self.compare();
        }
    }

    fn perform(&mut self, operation: Operation) {
        match operation {
            Operation::Open(slot, flavour) => {
                self.model.open(slot, flavour);
                self.lines[slot] = Some(Line::open(flavour));
            }
            Operation::Drop(slot) => {
                self.model.drop_channel(slot);
                self.lines[slot] = None;
            }
            Operation::Happen(slot, event) => self.happen(slot, event),
            Operation::Register(slot, ops) => self.register(slot, ops),
            Operation::SetInterest(slot, ops) => self.with_key(slot, |model, number, key| {
                let was = key.set_interest_ops(ops).map_err(refusal);
                assert_eq!(was, model.set_interest(number, ops).map(drop));
            }),
            Operation::AddInterest(slot, ops) => self.with_key(slot, |model, number, key| {
                let was = key.interest_ops_or(ops).map_err(refusal);
                assert_eq!(was, model.add_interest(number, ops));
            }),
            Operation::KeepInterest(slot, ops) => self.with_key(slot, |model, number, key| {
                let was = key.interest_ops_and(ops).map_err(refusal);
                assert_eq!(was, model.keep_interest(number, ops));
            }),
            Operation::Cancel(slot) => self.with_key(slot, |model, number, key| {
                model.cancel(number);
                key.cancel();
            }),
            Operation::Wakeup => {
                self.model.wakeup();
                self.selector.wakeup();
            }
            Operation::Select => self.select(),
            Operation::SelectNow => self.select_now(),
            Operation::SelectNowAgainAndAgain => self.select_now_again_and_again(),
            Operation::SelectNowWith => self.select_now_with(),
            Operation::Remove(slot) => self.remove(slot),
            Operation::Pop => self.pop(),
            Operation::Clear => {
                self.model.clear();
                self.selector.selected_keys().clear();
            }
        }
    }

    fn happen(&mut self, slot: Slot, event: Event) {
        if let Some(channel) = self.model.channel(slot)
            && channel.allows(event)
        {
            channel.happens(event);
            let line = self.lines[slot]
                .as_mut()
                .expect("the model has its channel");
            line.happen(event);
        }
    }

    fn register(&mut self, slot: Slot, ops: Ops) {
        let Some(line) = &self.lines[slot] else {
            return;
        };
        self.attachments += 1;
        let expected = self.model.register(slot, ops, self.attachments);
        let registered = line.ours.register(&self.selector, ops, self.attachments);
        match (expected, registered.map_err(refusal)) {
            (Ok(number), Ok(key)) if number == self.keys.len() => self.keys.push(key),
            (Ok(number), Ok(key)) => assert_eq!(self.keys[number], key),
            (expected, registered) => assert_eq!(registered.err(), expected.err()),
        }
    }

    fn with_key(&mut self, slot: Slot, act: impl FnOnce(&mut Model, usize, &SelectionKey)) {
        if let Some(number) = self.model.key_of(slot) {
            act(&mut self.model, number, &self.keys[number]);
        }
    }

    /// Waits long where it must not wait, and hardly at all where it must.
    fn select(&mut self) {
        if self.model.would_not_wait() {
            let count = returns_early(&mut self.selector);
            assert_eq!(count, self.model.select());
        } else {
            waits_out(&mut self.selector, Duration::from_micros(50));
            assert_eq!(self.model.select(), 0);
        }
        self.compare_all_keys();
    }

    fn select_now(&mut self) {
        assert_eq!(self.selector.select_now().unwrap(), self.model.select());
        self.compare_all_keys();
    }

    /// If there is nothing, a doorbell that comes at once has come by then.
    fn select_now_again_and_again(&mut self) {
        let before = self.selector.doorbell().answered;
        let finds_nothing = !self.model.would_not_wait();
        (0..4).for_each(|_| self.select_now());
        let doorbell = self.selector.doorbell();
        if finds_nothing && self.policy == Policy::Eager {
            let is_there = !matches!(doorbell.state, State::Unavailable(_));
            assert_eq!(doorbell.answered > before, is_there, "{doorbell:?}");
        }
    }

    fn select_now_with(&mut self) {
        let mut handed = Vec::new();
        let action = |key: SelectedKeyMut<'_, usize>| handed.push(sight(key));
        assert_eq!(self.selector.select_now_with(action).unwrap(), handed.len());
        handed.sort_unstable_by_key(|sight| sight.0);
        assert_eq!(handed, self.model.select_with());
        self.compare_all_keys();
    }

    fn remove(&mut self, slot: Slot) {
        let Self { selector, .. } = self;
        if let Some(number) = self.model.key_of(slot) {
            let removed = selector.selected_keys().remove(&self.keys[number]);
            assert_eq!(removed, self.model.remove(number));
        }
    }

    fn pop(&mut self) {
        let popped = self
            .selector
            .selected_keys()
            .pop()
            .map(|key| key.key().clone());
        match popped {
            Some(key) => {
                let number = self.keys.iter().position(|known| *known == key);
                assert!(self.model.remove(number.expect("it was registered")));
            }
            None => assert_eq!(self.model.selected(), []),
        }
    }

    fn compare(&mut self) {
        let selected = self.selector.selected_keys();
        let mut seen: Vec<Sight> = selected
            .iter()
            .map(|key| (*key.attachment(), key.interest_ops(), key.ready_ops()))
            .collect();
        assert_eq!(selected.len(), seen.len());
        seen.sort_unstable_by_key(|sight| sight.0);
        assert_eq!(seen, self.model.selected());
        for (slot, line) in self.lines.iter().enumerate() {
            if let Some(line) = line {
                let registered = self.model.is_registered(slot);
                assert_eq!(line.ours.is_registered(), registered);
                assert_eq!(line.ours.key_for(&self.selector).is_some(), registered);
            }
        }
    }

    /// Only after a selection: to look at all keys is to let go of the cancelled ones.
    fn compare_all_keys(&mut self) {
        let mut all: Vec<Sight> = self.selector.entries().map(sight).collect();
        all.sort_unstable_by_key(|sight| sight.0);
        assert_eq!(all, self.model.all());
    }
}

fn sight(mut key: SelectedKeyMut<'_, usize>) -> Sight {
    (*key.attachment(), key.interest_ops(), key.ready_ops())
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::InvalidOps { .. } => Refusal::InvalidOps,
        Error::CancelledKey => Refusal::CancelledKey,
        other => panic!("{other}"),
    }
}

/// A channel and its peer.
struct Line {
    ours: SelectableChannel<OwnedFd>,
    theirs: Option<OwnedFd>,
}

impl Line {
    fn open(flavour: Flavour) -> Self {
        let (ours, theirs): (OwnedFd, OwnedFd) = match flavour {
            Flavour::UnixStream => {
                let (ours, theirs) = UnixStream::pair().unwrap();
                (ours.into(), theirs.into())
            }
            Flavour::TcpStream => {
                let listener = TcpListener::bind(any_port()).unwrap();
                let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
                (listener.accept().unwrap().0.into(), theirs.into())
            }
            Flavour::PipeSource => {
                let (ours, theirs) = io::pipe().unwrap();
                (ours.into(), theirs.into())
            }
            Flavour::PipeSink => {
                let (theirs, ours) = io::pipe().unwrap();
                (ours.into(), theirs.into())
            }
        };
        rustix::io::ioctl_fionbio(&theirs, true).unwrap();
        Self {
            ours: nonblocking(ours),
            theirs: Some(theirs),
        }
    }

    /// The kernel has noticed on our side when this returns.
    fn happen(&mut self, event: Event) {
        let theirs = self.theirs.as_ref();
        let peer = || theirs.expect("the model knows that the peer is there");
        match event {
            Event::PeerWrites => {
                assert_eq!(rustix::io::write(peer(), b"x"), Ok(1));
                self.await_kernel(PollFlags::IN);
            }
            Event::WeReadAll => read_all(&self.ours),
            Event::WeFill => fill(&self.ours),
            Event::PeerReadsAll => read_all(peer()),
            Event::WeEnd => rustix::net::shutdown(&self.ours, Shutdown::Write).unwrap(),
            Event::PeerEnds => {
                rustix::net::shutdown(peer(), Shutdown::Write).unwrap();
                self.await_kernel(PollFlags::RDHUP);
            }
            Event::PeerCloses => {
                self.theirs = None;
                self.await_kernel(PollFlags::RDHUP);
            }
        }
    }

    /// Over loopback TCP the news may take a moment.
    fn await_kernel(&self, news: PollFlags) {
        let mut ours = [PollFd::new(&self.ours, news)];
        let limit = LONG.try_into().unwrap();
        assert_eq!(poll(&mut ours, Some(&limit)), Ok(1));
    }
}

fn read_all(from: impl std::os::fd::AsFd) {
    let mut buffer = [0; 64 * 1024];
    // Until it would block, the end, or the news that the peer did not read everything.
    while let Ok(1..) = rustix::io::read(&from, &mut buffer) {}
}

fn fill(into: impl std::os::fd::AsFd) {
    while rustix::io::write(&into, &[0; 16 * 1024]).is_ok() {}
}
