//! A small service made of watchers: the callbacks of a [`Monitor`].
//!
//! ```text
//! cargo run --example monitor                 # or: ... --example monitor 0.0.0.0:7007
//! nc 127.0.0.1 7007                           # each line comes back in upper case
//! time                                        # but this is answered with the time
//! ```
//!
//! A line on the standard input of the service, or its end, stops it.
//!
//! Each conversation has one watcher at a time: one that reads a request, or one that writes the
//! answer. Each sets the other when it is done, so a client that does not read its answers is not
//! asked for more requests.

use std::cell::RefCell;
use std::env;
use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitCode;
use std::rc::Rc;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use nioselect::{Monitor, Ops, ServerSocketChannel, SocketChannel};

/// A client that sends a longer line is disconnected.
const LONGEST_LINE: usize = 4096;

/// Watchers share their channel with each other: the last that is removed closes it.
struct Conversation {
    channel: SocketChannel,
    listener: Rc<ServerSocketChannel>,
    /// Requests that have not been answered yet.
    input: RefCell<Vec<u8>>,
    /// What is left of the answers.
    output: RefCell<Vec<u8>>,
}

fn watch_for_connections(
    monitor: &mut Monitor,
    listener: &Rc<ServerSocketChannel>,
) -> nioselect::Result<()> {
    let accepting = Rc::clone(listener);
    monitor.set(listener, Ops::ACCEPT, move |monitor, _| {
        if let Err(error) = accept_all(monitor, &accepting) {
            // Most likely there is no descriptor left. The end of a conversation sets the
            // watcher again.
            eprintln!("accepting no more until a connection closes: {error}");
            monitor.remove(&accepting);
        }
    })
}

fn accept_all(monitor: &mut Monitor, listener: &Rc<ServerSocketChannel>) -> nioselect::Result<()> {
    while let Some((channel, _)) = listener.accept()? {
        channel.configure_blocking(false)?;
        let conversation = Rc::new(Conversation {
            channel,
            listener: Rc::clone(listener),
            input: RefCell::default(),
            output: RefCell::default(),
        });
        watch_for_requests(monitor, &conversation)?;
    }
    Ok(())
}

fn watch_for_requests(
    monitor: &mut Monitor,
    conversation: &Rc<Conversation>,
) -> nioselect::Result<()> {
    let reading = Rc::clone(conversation);
    monitor.set(&conversation.channel, Ops::READ, move |monitor, _| {
        let outcome = reading.read_requests().and_then(|()| {
            if reading.output.borrow().is_empty() {
                return Ok(());
            }
            Ok(watch_for_room(monitor, &reading)?)
        });
        end_if_failed(monitor, &reading, outcome);
    })
}

fn watch_for_room(monitor: &mut Monitor, conversation: &Rc<Conversation>) -> nioselect::Result<()> {
    let writing = Rc::clone(conversation);
    monitor.set(&conversation.channel, Ops::WRITE, move |monitor, _| {
        let outcome = writing.write_answers().and_then(|()| {
            if !writing.output.borrow().is_empty() {
                return Ok(());
            }
            Ok(watch_for_requests(monitor, &writing)?)
        });
        end_if_failed(monitor, &writing, outcome);
    })
}

fn end_if_failed(monitor: &mut Monitor, conversation: &Conversation, outcome: io::Result<()>) {
    let Err(error) = outcome else {
        return;
    };
    if error.kind() != ErrorKind::UnexpectedEof {
        eprintln!("ending a conversation: {error}");
    }
    monitor.remove(&conversation.channel);
    if let Err(error) = watch_for_connections(monitor, &conversation.listener) {
        eprintln!("cannot accept any more: {error}");
    }
}

impl Conversation {
    fn read_requests(&self) -> io::Result<()> {
        let mut input = self.input.borrow_mut();
        let mut buffer = [0; LONGEST_LINE];
        match (&self.channel).read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => input.extend(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        while let Some(end) = input.iter().position(|&byte| byte == b'\n') {
            let answer = answer(&String::from_utf8_lossy(&input[..end]));
            self.output.borrow_mut().extend(answer.as_bytes());
            input.drain(..=end);
        }
        if input.len() > LONGEST_LINE {
            return Err(io::Error::other("the line is too long"));
        }
        Ok(())
    }

    fn write_answers(&self) -> io::Result<()> {
        let mut output = self.output.borrow_mut();
        match (&self.channel).write(&output) {
            Ok(count) => drop(output.drain(..count)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn answer(request: &str) -> String {
    if request.trim_end() != "time" {
        return request.to_uppercase() + "\n";
    }
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(elapsed) => format!("{} seconds since 1970\n", elapsed.as_secs()),
        Err(_) => "before 1970, says the clock\n".to_owned(),
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:7007").parse()?;
    let listener = Rc::new(ServerSocketChannel::bind(address)?);
    listener.configure_blocking(false)?;
    println!("listening on {}", listener.get_ref().local_addr()?);

    let mut monitor = Monitor::open()?;
    watch_for_connections(&mut monitor, &listener)?;
    let stopper = monitor.stopper();
    thread::spawn(move || {
        // An error is an end too.
        let _ = io::stdin().read_line(&mut String::new());
        stopper.stop();
    });
    monitor.run()?;
    println!("stopped");
    Ok(())
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("monitor: {error}");
            ExitCode::FAILURE
        }
    }
}
