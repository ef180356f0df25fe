//! TCP connections over loopback.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use nioselect::{ServerSocketChannel, SocketChannel};

use crate::error::{Error, doing};

/// Connections on which nobody ever sends.
pub(super) struct Connections {
    /// The accepted ends, in non-blocking mode.
    pub(super) accepted: Vec<SocketChannel>,
    /// How long it took to connect and accept them all.
    pub(super) took: Duration,
    /// Keeps the connections open.
    _connected: Vec<SocketChannel>,
}

impl Connections {
    /// Each connection has two ends.
    pub(super) const DESCRIPTORS_EACH: usize = 2;

    /// Connects to one listener, one after the other, and accepts each before the next: however
    /// short the listener's backlog is, it cannot overflow.
    pub(super) fn open(count: usize) -> Result<Self, Error> {
        let listener = ServerSocketChannel::bind((Ipv4Addr::LOCALHOST, 0).into())?;
        let address = listener.get_ref().local_addr()?;
        let (mut accepted, mut connected) = (Vec::new(), Vec::new());
        let start = Instant::now();
        for number in 1..=count {
            let (ours, theirs) = connect(&listener, address)
                .map_err(doing(format_args!("connection {number} of {count}")))?;
            accepted.push(ours);
            connected.push(theirs);
        }
        let took = start.elapsed();
        for channel in &connected {
            reset_on_close(channel)?;
        }
        Ok(Self {
            accepted,
            took,
            _connected: connected,
        })
    }
}

fn connect(
    listener: &ServerSocketChannel,
    address: SocketAddr,
) -> io::Result<(SocketChannel, SocketChannel)> {
    let connected = SocketChannel::open_connected(address)?;
    let (accepted, _) = listener
        .accept()?
        .expect("the listener is in blocking mode");
    accepted.configure_blocking(false)?;
    Ok((accepted, connected))
}

/// Many connections that end in the usual way would hold their ports for a minute, and starve
/// the next run.
fn reset_on_close(channel: &SocketChannel) -> io::Result<()> {
    rustix::net::sockopt::set_socket_linger(channel, Some(Duration::ZERO))?;
    Ok(())
}
