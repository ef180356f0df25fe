//! A chat: what one connection says, all others hear.
//!
//! ```text
//! cargo run --example chat                    # or: ... --example chat 0.0.0.0:7007
//! nc 127.0.0.1 7007                           # in two terminals or more
//! /name Ada                                   # to be more than an address
//! ```
//!
//! Nobody waits for a slow reader: what it has not read yet waits in a queue of its own, and when
//! that is full the client is disconnected. It could lose lines instead, but would not know of
//! it; a closed connection is plain, and lets it come back.

use std::collections::VecDeque;
use std::env;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use nioselect::channel::option::TCP_NODELAY;
use nioselect::{Ops, SelectionKey, Selector, SelectorHandle, ServerSocketChannel, SocketChannel};

/// More than this is not kept for a client to read.
const LONGEST_QUEUE: usize = 64 * 1024;

/// A client that sends a longer line is disconnected.
const LONGEST_LINE: usize = 4096;

/// When to try again to accept, if no client leaves before.
const RETRY: Duration = Duration::from_secs(1);

/// What is attached to the key of a client: it owns the channel. The listener's key has none.
struct Client {
    channel: SocketChannel,
    name: String,
    /// A line that has not ended yet.
    input: Vec<u8>,
    /// What the client has not read yet.
    queue: VecDeque<u8>,
}

impl Client {
    /// Reads what has arrived; the lines that are complete. The end of the stream is an error
    /// too: the client has left.
    fn read_lines(&mut self) -> io::Result<Vec<String>> {
        let mut buffer = [0; LONGEST_LINE];
        match self.channel.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => self.input.extend(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        let mut lines = Vec::new();
        while let Some(end) = self.input.iter().position(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(&self.input[..end]);
            // Control characters would play tricks on the terminals of the others.
            lines.push(line.chars().filter(|char| !char.is_control()).collect());
            self.input.drain(..=end);
        }
        if self.input.len() > LONGEST_LINE {
            return Err(io::Error::other("the line is too long"));
        }
        Ok(lines)
    }

    /// What the others get to hear of a line.
    fn report(&mut self, line: &str) -> String {
        let Some(name) = line.strip_prefix("/name ") else {
            return format!("{}: {line}\n", self.name);
        };
        let before = std::mem::replace(&mut self.name, name.to_owned());
        format!("* {before} is now {name}\n")
    }

    /// Queues a text, and returns what to wait for. It is an error if the client is too slow.
    fn hear(&mut self, text: &str) -> io::Result<Ops> {
        self.queue.extend(text.as_bytes());
        if self.queue.len() <= LONGEST_QUEUE {
            return Ok(Ops::READ | Ops::WRITE);
        }
        // Perhaps it has read since, and much was said at once.
        let interest = self.write()?;
        if self.queue.len() > LONGEST_QUEUE {
            return Err(io::Error::other("too slow"));
        }
        Ok(interest)
    }

    /// Writes what is queued as far as it goes, and returns what to wait for.
    fn write(&mut self) -> io::Result<Ops> {
        while !self.queue.is_empty() {
            match self.channel.write(self.queue.as_slices().0) {
                Ok(count) => drop(self.queue.drain(..count)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(Ops::READ | Ops::WRITE);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Ops::READ)
    }
}

/// Everything but the clients, which the selector keeps.
struct Room {
    listener: ServerSocketChannel,
    /// The listener's key, which is interested in nothing while there is no descriptor left.
    accepting: SelectionKey,
    /// For adding clients while the selected keys borrow the selector.
    selector: SelectorHandle<Option<Client>>,
    /// What to tell everybody but the one who caused it.
    news: VecDeque<(SelectionKey, String)>,
}

impl Room {
    fn accept_all(&mut self) -> nioselect::Result<()> {
        while let Some((channel, address)) = self.listener.accept()? {
            channel.configure_blocking(false)?;
            channel.set_option(&TCP_NODELAY, true)?;
            let greeting = format!("* you are {address}; /name NAME changes that\n");
            let client = |channel| Client {
                channel,
                name: address.to_string(),
                input: Vec::new(),
                queue: greeting.into_bytes().into(),
            };
            let interest = Ops::READ | Ops::WRITE;
            let key = self
                .selector
                .register_into(channel, interest, |channel| Some(client(channel)))?;
            let text = format!("* {address} has joined\n");
            self.news.push_back((key, text));
        }
        Ok(())
    }

    fn attend(&mut self, key: &SelectionKey, ready: Ops, client: &mut Client) -> io::Result<()> {
        if ready.contains(Ops::READ) {
            for line in client.read_lines()? {
                self.news.push_back((key.clone(), client.report(&line)));
            }
        }
        if ready.contains(Ops::WRITE) {
            key.set_interest_ops(client.write()?)?;
        }
        Ok(())
    }

    /// The next selection closes the channel, with what is attached to the key.
    fn dismiss(&mut self, key: &SelectionKey, name: &str, why: &io::Error) {
        eprintln!("{name} has left: {why}");
        key.cancel();
        let text = format!("* {name} has left\n");
        self.news.push_back((key.clone(), text));
    }

    /// Puts the news into the queues. That somebody is too slow for them is news as well.
    fn spread(&mut self, selector: &mut Selector<Option<Client>>) -> nioselect::Result<()> {
        while let Some((cause, text)) = self.news.pop_front() {
            for mut entry in selector.entries() {
                let key = entry.key();
                match entry.attachment() {
                    Some(client) if *key != cause && key.is_valid() => match client.hear(&text) {
                        Ok(interest) => key.set_interest_ops(interest)?,
                        Err(error) => self.dismiss(key, &client.name, &error),
                    },
                    _ => {}
                }
            }
            // Who has left has freed a descriptor.
            if !cause.is_valid() {
                self.accepting.set_interest_ops(Ops::ACCEPT)?;
            }
        }
        Ok(())
    }

    /// Waits until a channel is ready. A listener that is not accepting tries again when nothing
    /// else has happened for a while.
    fn wait(&self, selector: &mut Selector<Option<Client>>) -> nioselect::Result<()> {
        if !self.accepting.interest_ops().is_empty() {
            selector.select()?;
        } else if selector.select_timeout(RETRY)? == 0 {
            self.accepting.set_interest_ops(Ops::ACCEPT)?;
        }
        Ok(())
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:7007").parse()?;
    let listener = ServerSocketChannel::bind(address)?;
    listener.configure_blocking(false)?;
    println!("listening on {}", listener.get_ref().local_addr()?);

    let mut selector = Selector::open()?;
    let mut room = Room {
        accepting: listener.register(&selector, Ops::ACCEPT, None)?,
        selector: selector.handle(),
        listener,
        news: VecDeque::new(),
    };
    loop {
        room.wait(&mut selector)?;
        let mut selected_keys = selector.selected_keys();
        while let Some(mut selected) = selected_keys.pop() {
            let (key, ready) = (selected.key(), selected.ready_ops());
            if let Some(client) = selected.attachment() {
                if let Err(error) = room.attend(key, ready, client) {
                    room.dismiss(key, &client.name, &error);
                }
            } else if let Err(error) = room.accept_all() {
                eprintln!("accepting no more until a client leaves: {error}");
                key.set_interest_ops(Ops::empty())?;
            }
        }
        room.spread(&mut selector)?;
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chat: {error}");
            ExitCode::FAILURE
        }
    }
}
