//! How much memory a registration takes.
#![allow(unsafe_code)]

mod common;
mod counting;

use common::{may_have_descriptors, on_every_backend, pipe, selector};
use nioselect::{Ops, Pipe, Selector};

const PIPES: usize = 1000;

/// Bytes for each registered key, on the heap, without its channel.
const LIMIT: i64 = 170;

fn register(selector: &mut Selector<usize>, pipes: &[Pipe]) {
    for (index, pipe) in pipes.iter().enumerate() {
        pipe.source.register(selector, Ops::READ, index).unwrap();
        pipe.sink.register(selector, Ops::WRITE, index).unwrap();
    }
    selector.select_now().unwrap();
    selector.selected_keys().clear();
}

#[test]
fn a_registered_key_is_small() {
    if !may_have_descriptors(2 * PIPES as u64 + 100) {
        return;
    }
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes: Vec<_> = (0..PIPES).map(|_| pipe()).collect();
        let (first, more) = pipes.split_at(PIPES / 2);
        register(&mut selector, first);
        let before = counting::so_far().bytes;
        register(&mut selector, more);
        let each = (counting::so_far().bytes - before) / i64::try_from(2 * more.len()).unwrap();
        println!("{backend}: {each} bytes for each key");
        assert!(each <= LIMIT, "{each} bytes for each key");
    });
}
