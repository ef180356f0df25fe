//! The ways in which a peer goes away, and urgent data.

mod common;

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use common::{
    LONG, assert_silent, await_ready, fill, on_every_backend, pipe, read_all, selector, tcp_pair,
    unix_pair,
};
use nioselect::channel::option::SO_OOBINLINE;
use nioselect::{Backend, Ops, SocketChannel};
use rustix::event::{PollFd, PollFlags};
use rustix::net::SendFlags;
use socket2::SockRef;

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

fn reset(peer: TcpStream) {
    SockRef::from(&peer)
        .set_linger(Some(Duration::ZERO))
        .unwrap();
    drop(peer);
}

#[test]
fn a_reset_makes_the_whole_interest_ready() {
    on_every_backend(|backend| {
        for interest in [Ops::READ, Ops::WRITE, BOTH] {
            let mut selector = selector(backend);
            let (channel, peer) = tcp_pair();
            fill(&channel);
            let key = channel.register(&selector, interest, ()).unwrap();
            assert_eq!(selector.select_now().unwrap(), 0);
            reset(peer);
            await_ready(&mut selector, &key, interest);
        }
    });
}

#[test]
fn reading_after_a_reset_tells_of_it() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, peer) = tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        reset(peer);
        await_ready(&mut selector, &key, Ops::READ);
        let error = channel.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        channel.shutdown_input().unwrap();
        channel.shutdown_output().unwrap();
    });
}

#[test]
fn the_end_of_a_stream_is_reported_again_and_again() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, mut peer) = tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        peer.write_all(b"last words").unwrap();
        drop(peer);
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(read_all(&channel), b"last words");
        for _ in 0..3 {
            await_ready(&mut selector, &key, Ops::READ);
            assert_eq!(channel.read(&mut [0]).unwrap(), 0);
        }
        key.set_interest_ops(Ops::empty()).unwrap();
        assert_silent(&mut selector);
    });
}

#[test]
fn a_peer_that_ends_writing_can_still_be_written_to() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, mut peer) = tcp_pair();
        let key = channel.register(&selector, BOTH, ()).unwrap();
        peer.shutdown(Shutdown::Write).unwrap();
        await_ready(&mut selector, &key, BOTH);
        assert_eq!(channel.read(&mut [0]).unwrap(), 0);
        channel.write_all(b"still here").unwrap();
        drop(channel);
        selector.select_now().unwrap();
        let mut heard = String::new();
        peer.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "still here");
    });
}

#[test]
fn a_channel_that_ends_writing_can_still_read() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, mut peer) = tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        channel.shutdown_output().unwrap();
        channel.shutdown_output().unwrap();
        assert_eq!(peer.read(&mut [0]).unwrap(), 0);
        assert_eq!(
            channel.write(b"x").unwrap_err().kind(),
            io::ErrorKind::BrokenPipe
        );
        assert_silent(&mut selector);
        peer.write_all(b"answer").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(channel.read(&mut [0; 16]).unwrap(), 6);
    });
}

#[test]
fn a_channel_that_ends_reading_meets_the_end() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, _peer) = tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        channel.shutdown_input().unwrap();
        channel.shutdown_input().unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(channel.read(&mut [0]).unwrap(), 0);
        channel.write_all(b"x").unwrap();
    });
}

#[test]
fn ending_a_connection_that_never_stood_is_an_error() {
    on_every_backend(|_| {
        let channel = SocketChannel::open(nioselect::ProtocolFamily::Inet).unwrap();
        for answer in [channel.shutdown_input(), channel.shutdown_output()] {
            assert_eq!(answer.unwrap_err().kind(), io::ErrorKind::NotConnected);
        }
    });
}

#[test]
fn an_empty_pipe_without_writer_is_readable() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut pipe = pipe();
        let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
        drop(pipe.sink);
        for _ in 0..2 {
            await_ready(&mut selector, &key, Ops::READ);
            assert_eq!(pipe.source.read(&mut [0]).unwrap(), 0);
        }
    });
}

#[test]
fn a_pipe_without_writer_gives_what_is_left_before_it_ends() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut pipe = pipe();
        let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        pipe.sink.write_all(b"left").unwrap();
        drop(pipe.sink);
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(pipe.source.read(&mut [0; 16]).unwrap(), 4);
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(pipe.source.read(&mut [0; 16]).unwrap(), 0);
    });
}

#[test]
fn a_full_pipe_without_reader_is_writable_and_broken() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut pipe = pipe();
        let key = pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        fill(&pipe.sink);
        assert_eq!(selector.select_now().unwrap(), 0);
        drop(pipe.source);
        for _ in 0..2 {
            await_ready(&mut selector, &key, Ops::WRITE);
            assert_eq!(
                pipe.sink.write(b"x").unwrap_err().kind(),
                io::ErrorKind::BrokenPipe
            );
        }
    });
}

#[test]
fn a_unix_peer_that_closes_makes_the_whole_interest_ready() {
    on_every_backend(|backend| {
        for interest in [Ops::READ, Ops::WRITE, BOTH] {
            let mut selector = selector(backend);
            let (channel, peer) = unix_pair();
            fill(&channel);
            let key = channel.register(&selector, interest, ()).unwrap();
            assert_eq!(selector.select_now().unwrap(), 0);
            drop(peer);
            await_ready(&mut selector, &key, interest);
        }
    });
}

#[test]
fn a_unix_peer_that_shuts_down_without_reading_makes_the_whole_interest_ready() {
    on_every_backend(|backend| {
        for interest in [Ops::READ, Ops::WRITE, BOTH] {
            if interest == Ops::WRITE && backend == Backend::Select {
                // select(2) has no word for it, as the documentation says.
                continue;
            }
            let mut selector = selector(backend);
            let (channel, peer) = unix_pair();
            fill(&channel);
            let key = channel.register(&selector, interest, ()).unwrap();
            assert_eq!(selector.select_now().unwrap(), 0);
            peer.shutdown(Shutdown::Both).unwrap();
            assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
            assert_eq!(key.ready_ops(), interest);
        }
    });
}

/// Sends an urgent byte and waits until it has arrived.
fn send_urgent(channel: &SocketChannel, peer: &TcpStream) {
    assert_eq!(rustix::net::send(peer, b"!", SendFlags::OOB).unwrap(), 1);
    let mut arrival = [PollFd::new(channel, PollFlags::PRI)];
    let limit = LONG.try_into().unwrap();
    assert_eq!(rustix::event::poll(&mut arrival, Some(&limit)).unwrap(), 1);
}

#[test]
fn urgent_data_out_of_band_is_not_reported() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, mut peer) = tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        send_urgent(&channel, &peer);
        assert_silent(&mut selector);

        peer.write_all(b"data").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(channel.read(&mut [0; 16]).unwrap(), 4);
        assert_silent(&mut selector);
    });
}

#[test]
fn urgent_data_in_line_is_read_like_the_rest() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, peer) = tcp_pair();
        channel.set_option(&SO_OOBINLINE, true).unwrap();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        send_urgent(&channel, &peer);
        await_ready(&mut selector, &key, Ops::READ);
        let mut byte = [0];
        assert_eq!(channel.read(&mut byte).unwrap(), 1);
        assert_eq!(byte, *b"!");
        assert_silent(&mut selector);
    });
}
