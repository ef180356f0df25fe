//! UNIX domain channels: streams, servers and datagrams.

mod common;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{assert_silent, await_ready, on_every_backend, selector, unix_pair};
use nioselect::{
    Error, Ops, SelectableChannel, UnixDatagramChannel, UnixServerSocketChannel, UnixSocketChannel,
};
use socket2::{Domain, SockAddr, Socket, Type};

/// A directory for socket files, which goes away with its contents.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("nioselect-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left behind is in the way of nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn server(path: &Path) -> UnixServerSocketChannel {
    let server = UnixServerSocketChannel::bind(path).unwrap();
    server.configure_blocking(false).unwrap();
    server
}

fn unconnected() -> UnixSocketChannel {
    let channel = UnixSocketChannel::open().unwrap();
    channel.configure_blocking(false).unwrap();
    channel
}

fn datagrams(path: &Path) -> UnixDatagramChannel {
    let channel = UnixDatagramChannel::bind(path).unwrap();
    channel.configure_blocking(false).unwrap();
    channel
}

#[test]
fn a_connection_is_reported_accepted_and_used() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let server = server(&directory.path("server"));
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        assert!(server.accept().unwrap().is_none());
        assert_eq!(selector.select_now().unwrap(), 0);

        let mut client = unconnected();
        assert!(client.connect(directory.path("server")).unwrap());
        assert!(client.is_connected());
        await_ready(&mut selector, &key, Ops::ACCEPT);
        let (mut accepted, _) = server.accept().unwrap().expect("it was reported");
        assert!(accepted.is_blocking().unwrap());
        client.write_all(b"hello").unwrap();
        assert_eq!(accepted.read(&mut [0; 16]).unwrap(), 5);
    });
}

#[test]
fn a_channel_registered_before_it_connects_is_silent_and_then_writable() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let _server = server(&directory.path("server"));
        let client = unconnected();
        let all = Ops::READ | Ops::WRITE | Ops::CONNECT;
        let key = client.register(&selector, all, ()).unwrap();
        assert_silent(&mut selector);
        assert!(client.connect(directory.path("server")).unwrap());
        await_ready(&mut selector, &key, Ops::WRITE);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn a_connect_to_nothing_fails_at_once_and_leaves_the_channel_unconnected() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let client = unconnected();
        client.register(&selector, Ops::CONNECT, ()).unwrap();
        let error = client.connect(directory.path("nobody")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!client.is_connected() && !client.is_connection_pending());
        assert_silent(&mut selector);

        let _server = server(&directory.path("nobody"));
        assert!(client.connect(directory.path("nobody")).unwrap());
    });
}

#[test]
fn a_connect_to_a_full_queue_would_block_and_is_not_pending() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        socket
            .bind(&SockAddr::unix(directory.path("server")).unwrap())
            .unwrap();
        socket.listen(0).unwrap();
        let listener = UnixListener::from(std::os::fd::OwnedFd::from(socket));
        let server = SelectableChannel::new(listener).unwrap();

        let mut waiting = Vec::new();
        let (refused, error) = loop {
            let client = unconnected();
            match client.connect(directory.path("server")) {
                Ok(_) => waiting.push(client),
                Err(error) => break (client, error),
            }
        };
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(!refused.is_connection_pending() && !refused.is_connected());
        refused.register(&selector, Ops::CONNECT, ()).unwrap();
        assert_silent(&mut selector);

        assert!(server.accept().unwrap().is_some());
        assert!(refused.connect(directory.path("server")).unwrap());
    });
}

#[test]
fn connecting_a_connected_channel_is_an_error() {
    on_every_backend(|_| {
        let (channel, _peer) = unix_pair();
        assert!(channel.is_connected());
        assert!(matches!(
            channel.connect("/any"),
            Err(Error::AlreadyConnected)
        ));
        assert!(matches!(
            unconnected().finish_connect(),
            Err(Error::NoConnectionPending)
        ));
    });
}

#[test]
fn the_accepted_connection_has_the_address_that_the_client_has_bound() {
    on_every_backend(|_| {
        let directory = Directory::new();
        let server = server(&directory.path("server"));
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None).unwrap();
        socket
            .bind(&SockAddr::unix(directory.path("client")).unwrap())
            .unwrap();
        socket
            .connect(&SockAddr::unix(directory.path("server")).unwrap())
            .unwrap();
        let (_, peer) = server.accept().unwrap().unwrap();
        assert_eq!(peer.as_pathname(), Some(directory.path("client").as_path()));
    });
}

#[test]
fn a_path_in_use_is_an_error_of_bind() {
    on_every_backend(|_| {
        let directory = Directory::new();
        let path = directory.path("taken");
        drop(server(&path));
        assert!(path.exists(), "the file stays");
        for error in [
            UnixServerSocketChannel::bind(&path).unwrap_err(),
            UnixDatagramChannel::bind(&path).unwrap_err(),
        ] {
            assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
            assert!(error.to_string().starts_with("bind: "), "{error}");
        }
    });
}

#[test]
fn a_path_that_is_too_long_is_an_error() {
    on_every_backend(|_| {
        let path = "x".repeat(1000);
        assert!(UnixServerSocketChannel::bind(&path).is_err());
        assert!(unconnected().connect(&path).is_err());
    });
}

#[test]
fn half_a_connection_can_be_closed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut channel, mut peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        channel.shutdown_output().unwrap();
        assert_eq!(peer.read(&mut [0]).unwrap(), 0);
        assert_silent(&mut selector);
        peer.write_all(b"answer").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(channel.read(&mut [0; 16]).unwrap(), 6);
    });
}

#[test]
fn datagrams_keep_their_bounds_and_their_sender() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let sender = datagrams(&directory.path("sender"));
        let receiver = datagrams(&directory.path("receiver"));
        let key = receiver.register(&selector, Ops::READ, ()).unwrap();
        for datagram in [&b"one"[..], b"three"] {
            let sent = sender.send(datagram, directory.path("receiver")).unwrap();
            assert_eq!(sent, Some(datagram.len()));
        }
        for length in [3, 5] {
            await_ready(&mut selector, &key, Ops::READ);
            let (received, from) = receiver.receive(&mut [0; 16]).unwrap().unwrap();
            assert_eq!(received, length);
            assert_eq!(from.as_pathname(), Some(directory.path("sender").as_path()));
        }
        assert!(receiver.receive(&mut [0; 16]).unwrap().is_none());
    });
}

#[test]
fn a_connected_datagram_channel_exchanges_datagrams_with_its_peer() {
    on_every_backend(|backend| {
        let directory = Directory::new();
        let mut selector = selector(backend);
        let client = datagrams(&directory.path("client"));
        let server = datagrams(&directory.path("server"));
        client.connect(directory.path("server")).unwrap();
        server.connect(directory.path("client")).unwrap();
        let key = client.register(&selector, Ops::READ, ()).unwrap();
        client.get_ref().send(b"question").unwrap();
        assert_eq!(server.get_ref().recv(&mut [0; 16]).unwrap(), 8);
        server.get_ref().send(b"answer").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!(client.get_ref().recv(&mut [0; 16]).unwrap(), 6);
    });
}

#[test]
fn a_datagram_for_which_there_is_no_room_is_not_sent() {
    on_every_backend(|_| {
        let directory = Directory::new();
        let sender = datagrams(&directory.path("sender"));
        let receiver = datagrams(&directory.path("receiver"));
        let mut sent = 0;
        while sender
            .send(b"x", directory.path("receiver"))
            .unwrap()
            .is_some()
        {
            sent += 1;
        }
        for _ in 0..sent {
            assert!(receiver.receive(&mut [0]).unwrap().is_some());
        }
        assert!(receiver.receive(&mut [0]).unwrap().is_none());
    });
}
