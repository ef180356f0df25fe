//! A TCP echo server: one thread, any number of connections.
//!
//! ```text
//! cargo run --example echo                    # or: ... --example echo 0.0.0.0:7007
//! nc 127.0.0.1 7007
//! ```
//!
//! The interest set of a connection says what it waits for. It is written to only while there is
//! something to write, and not read from while too much waits to be written, so that a peer that
//! sends without reading costs no more than a bounded buffer.

use std::env;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use nioselect::{Ops, SelectionKey, Selector, SelectorHandle, ServerSocketChannel, SocketChannel};

/// A connection with more than this to write is not read from.
const ENOUGH: usize = 64 * 1024;

/// When to try again to accept, if no connection closes before.
const RETRY: Duration = Duration::from_secs(1);

/// What is attached to the key of a connection. It owns the channel, so that cancelling the key
/// closes the connection.
struct Connection {
    channel: SocketChannel,
    pending: Vec<u8>,
    at_end: bool,
}

impl Connection {
    fn new(channel: SocketChannel) -> Self {
        Self {
            channel,
            pending: Vec::new(),
            at_end: false,
        }
    }

    /// Reads and writes as far as it goes. Returns what to wait for; nothing when all is done.
    fn advance(&mut self, ready: Ops) -> io::Result<Ops> {
        if ready.contains(Ops::READ) {
            self.read()?;
        }
        if !self.pending.is_empty() {
            self.write()?;
        }
        let mut interest = Ops::empty();
        interest.set(Ops::READ, !self.at_end && self.pending.len() < ENOUGH);
        interest.set(Ops::WRITE, !self.pending.is_empty());
        Ok(interest)
    }

    /// One buffer a turn, so that a fast peer does not keep the others waiting: what is left
    /// makes the key ready again.
    fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        let count = unless_it_would_block(self.channel.read(&mut buffer))?;
        self.at_end = count == Some(0);
        self.pending.extend(&buffer[..count.unwrap_or(0)]);
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let count = unless_it_would_block(self.channel.write(&self.pending))?;
        self.pending.drain(..count.unwrap_or(0));
        Ok(())
    }
}

/// `None` says: when the key is ready again. Readiness is a hint, so this is no error.
fn unless_it_would_block(answer: io::Result<usize>) -> io::Result<Option<usize>> {
    match answer {
        Ok(count) => Ok(Some(count)),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// Takes in every connection that waits.
fn accept_all(
    listener: &ServerSocketChannel,
    selector: &SelectorHandle<Option<Connection>>,
) -> nioselect::Result<()> {
    while let Some((channel, _)) = listener.accept()? {
        channel.configure_blocking(false)?;
        selector.register_into(channel, Ops::READ, |channel| Some(Connection::new(channel)))?;
    }
    Ok(())
}

/// Waits until a channel is ready. A listener that is not accepting tries again when nothing
/// else has happened for a while.
fn wait(
    selector: &mut Selector<Option<Connection>>,
    accepting: &SelectionKey,
) -> nioselect::Result<()> {
    if !accepting.interest_ops().is_empty() {
        selector.select()?;
    } else if selector.select_timeout(RETRY)? == 0 {
        accepting.set_interest_ops(Ops::ACCEPT)?;
    }
    Ok(())
}

fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:7007").parse()?;
    let listener = ServerSocketChannel::bind(address)?;
    listener.configure_blocking(false)?;
    println!("listening on {}", listener.get_ref().local_addr()?);

    let mut selector = Selector::open()?;
    let accepting = listener.register(&selector, Ops::ACCEPT, None)?;
    // The selected keys borrow the selector; its handle still registers.
    let handle = selector.handle();
    loop {
        wait(&mut selector, &accepting)?;
        let mut selected_keys = selector.selected_keys();
        while let Some(mut selected) = selected_keys.pop() {
            let (key, ready) = (selected.key(), selected.ready_ops());
            let Some(connection) = selected.attachment() else {
                if let Err(error) = accept_all(&listener, &handle) {
                    // Most likely there is no descriptor left. The connection goes on waiting,
                    // and would be reported all the time.
                    eprintln!("accepting no more until a connection closes: {error}");
                    key.set_interest_ops(Ops::empty())?;
                }
                continue;
            };
            match connection.advance(ready) {
                Ok(interest) if !interest.is_empty() => key.set_interest_ops(interest)?,
                outcome => {
                    if let Err(error) = outcome {
                        eprintln!("closing a connection: {error}");
                    }
                    key.cancel();
                    accepting.set_interest_ops(Ops::ACCEPT)?;
                }
            }
        }
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("echo: {error}");
            ExitCode::FAILURE
        }
    }
}
