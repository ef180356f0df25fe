//! What one thread has made ready, and told another through memory, the other finds.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use common::handover::{Line, await_number};
use common::{LONG, on_every_backend};
use nioselect::poller::{Kind, Mode, Poller};
use nioselect::{Backend, Ops};

const HANDOVERS: u32 = 3_000;

#[test]
fn what_is_made_ready_before_it_is_told_is_found() {
    on_every_backend(|backend| {
        for line in Line::of_every_kind() {
            hand_over(backend, line);
        }
    });
}

fn hand_over(backend: Backend, line: Line) {
    let Line {
        name,
        reading,
        writing,
        is_immediate,
    } = line;
    let mut poller = Poller::open(backend).unwrap();
    let mut reader = File::from(reading.try_clone().unwrap());
    let mut writer = File::from(writing);
    poller
        .register(reading, Kind::Other, Ops::READ, Mode::Level)
        .unwrap();
    let mut finds = |timeout| {
        let waited = poller.wait(Some(timeout), |_, _, _| {}).unwrap();
        waited.reported == 1
    };
    // What is to be written, and what has been.
    let (wanted, written) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=HANDOVERS {
                await_number(&wanted, number);
                writer.write_all(&1_u64.to_ne_bytes()).unwrap();
                written.store(number, Ordering::Release);
            }
        });
        for number in 1..=HANDOVERS {
            assert!(!finds(Duration::ZERO), "{name}: there is nothing");
            wanted.store(number, Ordering::Release);
            await_number(&written, number);
            let found = finds(Duration::ZERO) || !is_immediate && finds(LONG);
            assert!(found, "{name}: number {number}");
            reader.read_exact(&mut [0; 8]).unwrap();
        }
    });
}
