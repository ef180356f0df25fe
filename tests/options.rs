//! Socket options.

mod common;

use std::time::Duration;

use common::{any_port, pipe, tcp_pair, unix_pair};
#[cfg(not(any(target_os = "illumos", target_os = "solaris")))]
use nioselect::channel::option::SO_REUSEPORT;
use nioselect::channel::option::{
    SO_BROADCAST, SO_KEEPALIVE, SO_LINGER, SO_OOBINLINE, SO_RCVBUF, SO_REUSEADDR, SO_SNDBUF,
    SocketOption, TCP_NODELAY,
};
use nioselect::{DatagramChannel, Error, ProtocolFamily, SelectableChannel, SocketChannel};

fn assert_switch<T>(channel: &SelectableChannel<T>, option: &SocketOption<bool>) {
    assert!(
        !channel.option(option).unwrap(),
        "{option:?} is off by default"
    );
    channel.set_option(option, true).unwrap();
    assert!(channel.option(option).unwrap(), "{option:?}");
    channel.set_option(option, false).unwrap();
    assert!(!channel.option(option).unwrap(), "{option:?}");
}

#[test]
fn switches_are_off_until_they_are_set() {
    let (channel, _peer) = tcp_pair();
    for option in [SO_KEEPALIVE, SO_OOBINLINE, TCP_NODELAY] {
        assert_switch(&channel, &option);
    }
    let unbound = SocketChannel::open(ProtocolFamily::Inet).unwrap();
    assert_switch(&unbound, &SO_REUSEADDR);
    #[cfg(not(any(target_os = "illumos", target_os = "solaris")))]
    assert_switch(&unbound, &SO_REUSEPORT);
    assert_switch(&DatagramChannel::bind(any_port()).unwrap(), &SO_BROADCAST);
}

#[test]
fn lingering_has_a_time_or_none() {
    let (channel, _peer) = tcp_pair();
    assert_eq!(channel.option(&SO_LINGER).unwrap(), None);
    for time in [Some(Duration::from_secs(7)), Some(Duration::ZERO), None] {
        channel.set_option(&SO_LINGER, time).unwrap();
        assert_eq!(channel.option(&SO_LINGER).unwrap(), time);
    }
}

#[test]
fn buffers_are_at_least_as_large_as_asked_for() {
    let (channel, _peer) = unix_pair();
    for option in [SO_RCVBUF, SO_SNDBUF] {
        channel.set_option(&option, 32 * 1024).unwrap();
        assert!(channel.option(&option).unwrap() >= 32 * 1024, "{option:?}");
    }
}

#[test]
fn an_option_knows_its_name() {
    assert_eq!(TCP_NODELAY.name(), "TCP_NODELAY");
    assert_eq!(format!("{SO_LINGER:?}"), "SO_LINGER");
}

#[test]
fn a_channel_without_the_option_says_which_call_failed() {
    let pipe = pipe();
    let error = pipe.source.option(&SO_RCVBUF).unwrap_err();
    assert!(
        matches!(
            error,
            Error::System {
                call: "getsockopt",
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(error.raw_os_error(), Some(libc::ENOTSOCK));
    let error = pipe.sink.set_option(&SO_SNDBUF, 1).unwrap_err();
    assert!(
        matches!(
            error,
            Error::System {
                call: "setsockopt",
                ..
            }
        ),
        "{error:?}"
    );
    let (stream, _peer) = unix_pair();
    assert!(stream.set_option(&TCP_NODELAY, true).is_err());
}
