//! Descriptors beyond `FD_SETSIZE`, the number at which select(2) is said to end.

mod common;

use std::collections::BTreeSet;
use std::io::Write;
use std::os::fd::AsRawFd;

use common::{may_have_descriptors, on_every_backend, pipe, read_all, selector};
use nioselect::Ops;

const FD_SETSIZE: i32 = 1024;

/// Two descriptors each.
const PIPES: usize = 1500;

#[test]
fn descriptors_beyond_fd_setsize_are_served() {
    if !may_have_descriptors(2 * PIPES as u64 + 100) {
        return;
    }
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes: Vec<_> = (0..PIPES).map(|_| pipe()).collect();
        let keys: Vec<_> = pipes
            .iter()
            .enumerate()
            .map(|(index, pipe)| pipe.source.register(&selector, Ops::READ, index).unwrap())
            .collect();
        assert!(pipes[PIPES - 1].source.as_raw_fd() > 2 * FD_SETSIZE);
        assert_eq!(selector.select_now().unwrap(), 0);

        let chosen: BTreeSet<_> = (0..PIPES).filter(|index| index % 97 == 5).collect();
        for &index in &chosen {
            (&pipes[index].sink).write_all(b"x").unwrap();
        }
        assert_eq!(selector.select().unwrap(), chosen.len());
        let mut seen = BTreeSet::new();
        for key in selector.selected_keys().drain() {
            assert_eq!(read_all(&pipes[*key.attachment()].source), b"x");
            seen.insert(*key.attachment());
        }
        assert_eq!(seen, chosen);
        assert_eq!(selector.select_now().unwrap(), 0);

        let sink = &pipes[PIPES - 1].sink;
        sink.register(&selector, Ops::WRITE, PIPES).unwrap();
        for key in &keys {
            key.cancel();
        }
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(selector.keys().count(), 1);
    });
}
