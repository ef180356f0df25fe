//! Pipes.

mod common;

use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::thread;

use common::{await_ready, fill, nonblocking, on_every_backend, pipe, read_all, selector};
use nioselect::poller::Kind;
use nioselect::{Ops, Pipe};

#[test]
fn a_new_pipe_is_in_blocking_mode() {
    on_every_backend(|_| {
        let mut pipe = Pipe::open().unwrap();
        assert!(pipe.source.is_blocking().unwrap() && pipe.sink.is_blocking().unwrap());
        thread::scope(|scope| {
            scope.spawn(|| pipe.sink.write_all(b"hello").unwrap());
            let mut buffer = [0; 5];
            pipe.source.read_exact(&mut buffer).unwrap();
            assert_eq!(&buffer, b"hello");
        });
    });
}

#[test]
fn each_end_has_its_operation() {
    on_every_backend(|_| {
        let pipe = pipe();
        assert_eq!(pipe.source.kind(), Kind::PipeSource);
        assert_eq!(pipe.source.valid_ops(), Ops::READ);
        assert_eq!(pipe.sink.kind(), Kind::PipeSink);
        assert_eq!(pipe.sink.valid_ops(), Ops::WRITE);
    });
}

#[test]
fn an_adopted_end_has_the_operation_it_was_opened_for() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (reader, writer) = std::io::pipe().unwrap();
        let (source, sink) = (nonblocking(reader), nonblocking(writer));
        assert_eq!(source.valid_ops(), Ops::READ);
        assert_eq!(sink.valid_ops(), Ops::WRITE);
        let key = source.register(&selector, Ops::READ, ()).unwrap();
        (&sink).write_all(b"x").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
    });
}

#[test]
fn the_source_is_readable_when_the_sink_was_written_to() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut pipe = pipe();
        let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
        pipe.sink.write_all(b"hello").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::READ);
        assert_eq!(read_all(&pipe.source), b"hello");
    });
}

#[test]
fn the_sink_is_writable_until_the_pipe_is_full() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        let key = pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        selector.selected_keys().clear();
        let written = fill(&pipe.sink);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(read_all(&pipe.source).len(), written);
        await_ready(&mut selector, &key, Ops::WRITE);
    });
}

#[test]
fn both_ends_can_be_in_one_selector() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut pipe = pipe();
        let source = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        let sink = pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        pipe.sink.write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 2);
        assert!(source.is_readable() && sink.is_writable());
    });
}

#[test]
fn several_buffers_are_written_and_read_in_one_call() {
    on_every_backend(|_| {
        let mut pipe = pipe();
        let parts = [
            IoSlice::new(b"one, "),
            IoSlice::new(b"two, "),
            IoSlice::new(b"three"),
        ];
        assert_eq!(pipe.sink.write_vectored(&parts).unwrap(), 15);
        let (mut head, mut tail) = ([0; 4], [0; 16]);
        let mut buffers = [IoSliceMut::new(&mut head), IoSliceMut::new(&mut tail)];
        assert_eq!(pipe.source.read_vectored(&mut buffers).unwrap(), 15);
        assert_eq!((&head, &tail[..11]), (b"one,", &b" two, three"[..]));
    });
}
