//! TCP servers.

mod common;

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use common::{any_port, assert_silent, await_ready, nonblocking, on_every_backend, selector};
use nioselect::channel::option::SO_REUSEADDR;
use nioselect::poller::Kind;
use nioselect::{Error, Ops, ServerSocketChannel};

fn server() -> (ServerSocketChannel, SocketAddr) {
    let server = ServerSocketChannel::bind(any_port()).unwrap();
    server.configure_blocking(false).unwrap();
    let address = server.get_ref().local_addr().unwrap();
    (server, address)
}

#[test]
fn a_connection_is_reported_and_accepted() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (server, address) = server();
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        assert_silent(&mut selector);

        let mut client = TcpStream::connect(address).unwrap();
        await_ready(&mut selector, &key, Ops::ACCEPT);
        assert!(key.is_acceptable() && !key.is_readable());
        let (mut accepted, peer) = server.accept().unwrap().expect("it was reported");
        assert_eq!(peer, client.local_addr().unwrap());
        assert!(accepted.is_connected());
        client.write_all(b"hello").unwrap();
        assert_eq!(accepted.read(&mut [0; 16]).unwrap(), 5);
        assert_silent(&mut selector);
    });
}

#[test]
fn accept_answers_nothing_when_nobody_waits() {
    on_every_backend(|_| {
        let (server, _) = server();
        assert!(server.accept().unwrap().is_none());
    });
}

#[test]
fn an_accepted_channel_is_in_blocking_mode() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (server, address) = server();
        let _client = TcpStream::connect(address).unwrap();
        common::until(|| match server.accept().unwrap() {
            None => false,
            Some((accepted, _)) => {
                assert!(accepted.is_blocking().unwrap());
                let answer = accepted.register(&selector, Ops::READ, ());
                assert!(matches!(answer, Err(Error::IllegalBlockingMode)));
                true
            }
        });
    });
}

#[test]
fn in_blocking_mode_accept_waits() {
    on_every_backend(|_| {
        let server = ServerSocketChannel::bind(any_port()).unwrap();
        assert!(server.is_blocking().unwrap());
        let address = server.get_ref().local_addr().unwrap();
        let accepted = common::during(
            || server.accept(),
            || drop(TcpStream::connect(address).unwrap()),
        );
        assert!(accepted.unwrap().is_some());
    });
}

#[test]
fn a_listener_is_reported_until_all_that_wait_are_accepted() {
    const CLIENTS: usize = 20;
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (server, address) = server();
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        for _ in &clients {
            await_ready(&mut selector, &key, Ops::ACCEPT);
            assert!(server.accept().unwrap().is_some());
        }
        assert!(server.accept().unwrap().is_none());
        assert_silent(&mut selector);
    });
}

#[test]
fn a_short_backlog_still_takes_connections() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let server = ServerSocketChannel::bind_with_backlog(any_port(), 1).unwrap();
        server.configure_blocking(false).unwrap();
        let address = server.get_ref().local_addr().unwrap();
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        for _ in 0..3 {
            let _client = TcpStream::connect(address).unwrap();
            await_ready(&mut selector, &key, Ops::ACCEPT);
            assert!(server.accept().unwrap().is_some());
        }
    });
}

#[test]
fn an_adopted_listener_is_a_server() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let server: ServerSocketChannel = nonblocking(TcpListener::bind(any_port()).unwrap());
        assert_eq!(server.kind(), Kind::Listener);
        assert_eq!(server.valid_ops(), Ops::ACCEPT);
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        let _client = TcpStream::connect(server.get_ref().local_addr().unwrap()).unwrap();
        await_ready(&mut selector, &key, Ops::ACCEPT);
        assert!(server.accept().unwrap().is_some());
    });
}

#[test]
fn an_address_in_use_is_an_error_of_the_call_that_found_out() {
    on_every_backend(|_| {
        let (_server, address) = server();
        let error = ServerSocketChannel::bind(address).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        assert!(
            matches!(
                error,
                Error::System {
                    call: "bind" | "listen",
                    ..
                }
            ),
            "{error:?}"
        );
    });
}

#[test]
fn a_server_that_was_restarted_binds_its_address_at_once() {
    on_every_backend(|_| {
        let (server, address) = server();
        assert!(server.option(&SO_REUSEADDR).unwrap());
        let client = TcpStream::connect(address).unwrap();
        server.configure_blocking(true).unwrap();
        let accepted = server.accept().unwrap();
        // The side that closes first is left in TIME_WAIT.
        drop(accepted);
        drop(client);
        drop(server);
        ServerSocketChannel::bind(address).unwrap();
    });
}
