//! A UDP echo server.
//!
//! ```text
//! cargo run --example udp_echo                # or: ... --example udp_echo 0.0.0.0:7007
//! nc -u 127.0.0.1 7007
//! ```
//!
//! When there is no room to send, the datagram is kept, nothing more is received, and the key is
//! interested in writing instead of reading. What arrives meanwhile waits in the socket's
//! buffer; the kernel drops what does not fit, as datagrams may be.

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;

use nioselect::{DatagramChannel, Ops, Selector};

/// No datagram is longer.
const LONGEST: usize = 65_535;

/// Datagrams of one turn. There may be other channels to attend to.
const TURN: usize = 64;

struct Echo {
    channel: DatagramChannel,
    buffer: [u8; LONGEST],
    /// What could not be sent yet: how much of the buffer, and to whom.
    unsent: Option<(usize, SocketAddr)>,
}

impl Echo {
    /// Sends back what has arrived, as long as there is something and room to send it. Returns
    /// what to wait for.
    fn advance(&mut self) -> nioselect::Result<Ops> {
        for _ in 0..TURN {
            if self.unsent.is_none() {
                self.unsent = self.channel.receive(&mut self.buffer)?;
            }
            let Some((length, peer)) = self.unsent else {
                return Ok(Ops::READ);
            };
            match self.channel.send(&self.buffer[..length], peer) {
                Ok(None) => return Ok(Ops::WRITE),
                Ok(Some(_)) => {}
                // The sender decides where the answer goes: that it cannot go there is no
                // reason to stop serving the others.
                Err(error) => eprintln!("no answer to {peer}: {error}"),
            }
            self.unsent = None;
        }
        Ok(Ops::READ)
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:7007").parse()?;
    let channel = DatagramChannel::bind(address)?;
    channel.configure_blocking(false)?;
    println!("listening on {}", channel.get_ref().local_addr()?);

    let mut selector = Selector::open()?;
    let key = channel.register(&selector, Ops::READ, ())?;
    let mut echo = Echo {
        channel,
        buffer: [0; LONGEST],
        unsent: None,
    };
    loop {
        selector.select()?;
        if selector.selected_keys().remove(&key) {
            key.set_interest_ops(echo.advance()?)?;
        }
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("udp_echo: {error}");
            ExitCode::FAILURE
        }
    }
}
