//! The examples do what they promise, on every backend: each runs as a process of its own.

mod common;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use common::{HangGuard, LONG};
use nioselect::Backend;
use socket2::SockRef;

fn on_every_backend(test: impl Fn(Backend)) {
    common::on_every_backend(|backend| {
        let _guard = HangGuard::new(format!("an example over {backend}"));
        test(backend);
    });
}

/// An example that runs, until this is dropped.
struct Example {
    process: Child,
    output: BufReader<ChildStdout>,
    errors: BufReader<ChildStderr>,
    address: SocketAddr,
}

impl Example {
    fn start(name: &str, backend: Backend) -> Self {
        Self::run(Command::new(binary(name)).arg("127.0.0.1:0"), backend)
    }

    /// With a limit on the descriptors that it may have open.
    fn start_with_descriptors(name: &str, backend: Backend, limit: usize) -> Self {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "ulimit -n \"$1\" && exec \"$0\" 127.0.0.1:0"])
            .arg(binary(name))
            .arg(limit.to_string());
        Self::run(&mut shell, backend)
    }

    fn run(command: &mut Command, backend: Backend) -> Self {
        let mut process = command
            .env(Backend::VARIABLE, backend.name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let errors = BufReader::new(process.stderr.take().unwrap());
        let mut example = Self {
            process,
            output,
            errors,
            address: (Ipv4Addr::LOCALHOST, 0).into(),
        };
        let line = line_of(&mut example.output);
        let address = line.strip_prefix("listening on ").expect(&line);
        example.address = address.parse().unwrap();
        example
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_write_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    fn input(&mut self) -> ChildStdin {
        self.process.stdin.take().unwrap()
    }

    /// Waits until it says something like this on its standard error.
    fn await_complaint(&mut self, beginning: &str) {
        while !line_of(&mut self.errors).starts_with(beginning) {}
    }

    fn await_end(mut self) -> ExitStatus {
        self.process.wait().unwrap()
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Where cargo puts examples: beside the directory of this test.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    let binary = profile.join("examples").join(name);
    assert!(
        binary.exists(),
        "{} is missing: run `cargo build --examples`",
        binary.display()
    );
    binary
}

/// The next line, without its end.
fn line_of(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    assert_ne!(reader.read_line(&mut line).unwrap(), 0, "no more lines");
    assert_eq!(line.pop(), Some('\n'), "{line}");
    line
}

/// Sends while it receives; what came back before the end.
fn exchange(mut stream: &TcpStream, data: &[u8]) -> Vec<u8> {
    thread::scope(|scope| {
        scope.spawn(move || {
            stream.write_all(data).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
        });
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    })
}

#[test]
fn echo_gives_everything_back_to_many_at_once() {
    on_every_backend(|backend| {
        let example = Example::start("echo", backend);
        thread::scope(|scope| {
            for connection in 0..50_u32 {
                let example = &example;
                scope.spawn(move || {
                    let data: Vec<u8> = (0..1 << 18)
                        .flat_map(|number: u32| (number ^ connection << 24).to_ne_bytes())
                        .collect();
                    let answer = exchange(&example.connect(), &data);
                    assert!(answer == data, "{} of {}", answer.len(), data.len());
                });
            }
        });
    });
}

#[test]
fn echo_stops_reading_from_one_that_does_not_read_and_serves_the_others() {
    on_every_backend(|backend| {
        let example = Example::start("echo", backend);
        let mut stubborn = example.connect();
        stubborn.set_nonblocking(true).unwrap();
        let mut sent = 0;
        // What fits into the buffers on the way. When no more fits for the time of a round trip
        // of somebody else, the server does not read any more.
        loop {
            let more = common::fill(&stubborn);
            assert_eq!(exchange(&example.connect(), b"in between"), b"in between");
            sent += more;
            if more == 0 {
                break;
            }
        }
        stubborn.set_nonblocking(false).unwrap();
        stubborn.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stubborn.read_to_end(&mut answer).unwrap();
        assert_eq!(answer.len(), sent);
    });
}

#[test]
fn echo_survives_connections_that_are_reset() {
    on_every_backend(|backend| {
        let mut example = Example::start("echo", backend);
        for _ in 0..3 {
            let mut stream = example.connect();
            stream.write_all(b"x").unwrap();
            stream.read_exact(&mut [0]).unwrap();
            SockRef::from(&stream)
                .set_linger(Some(Duration::ZERO))
                .unwrap();
            drop(stream);
            example.await_complaint("closing a connection");
        }
        assert_eq!(exchange(&example.connect(), b"still here"), b"still here");
    });
}

#[test]
fn echo_accepts_again_when_a_descriptor_is_free() {
    on_every_backend(|backend| {
        let mut example = Example::start_with_descriptors("echo", backend, 16);
        let connections: Vec<_> = (0..40).map(|_| example.connect()).collect();
        example.await_complaint("accepting no more");
        for (number, connection) in connections.into_iter().enumerate() {
            let data = number.to_string();
            assert_eq!(exchange(&connection, data.as_bytes()), data.as_bytes());
        }
    });
}

/// One who speaks in lines.
struct Speaker(BufReader<TcpStream>);

impl Speaker {
    fn new(stream: TcpStream) -> Self {
        Self(BufReader::new(stream))
    }

    /// Enters a chat: returns when the server knows of it.
    fn join(example: &Example) -> Self {
        let mut speaker = Self::new(example.connect());
        assert!(speaker.hear().starts_with("* you are "));
        speaker
    }

    fn name(&self) -> String {
        self.0.get_ref().local_addr().unwrap().to_string()
    }

    fn say(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn hear(&mut self) -> String {
        line_of(&mut self.0)
    }
}

#[test]
fn chat_passes_on_what_each_says_to_all_others() {
    on_every_backend(|backend| {
        let example = Example::start("chat", backend);
        let mut ada = Speaker::join(&example);
        let mut ben = Speaker::join(&example);
        let mut cyd = Speaker::join(&example);
        assert_eq!(ada.hear(), format!("* {} has joined", ben.name()));
        for speaker in [&mut ada, &mut ben] {
            assert_eq!(speaker.hear(), format!("* {} has joined", cyd.name()));
        }

        ada.say("good mor");
        ada.say("ning\nis anybody\x07 there?\n");
        for speaker in [&mut ben, &mut cyd] {
            assert_eq!(speaker.hear(), format!("{}: good morning", ada.name()));
            assert_eq!(speaker.hear(), format!("{}: is anybody there?", ada.name()));
        }

        ben.say("/name Ben\n");
        ben.say("I am\n");
        for speaker in [&mut ada, &mut cyd] {
            assert_eq!(speaker.hear(), format!("* {} is now Ben", ben.name()));
            assert_eq!(speaker.hear(), "Ben: I am");
        }

        drop(ben);
        for speaker in [&mut ada, &mut cyd] {
            assert_eq!(speaker.hear(), "* Ben has left");
        }
    });
}

#[test]
fn chat_does_not_wait_for_one_who_does_not_read() {
    /// About half of what is kept for each to read.
    const LINES: usize = 32;
    on_every_backend(|backend| {
        let example = Example::start("chat", backend);
        let mut ada = Speaker::join(&example);
        let deaf = Speaker::join(&example);
        let left = format!("* {} has left", deaf.name());
        let mut ben = Speaker::join(&example);
        let round = format!("{}\n", "x".repeat(1000)).repeat(LINES);
        // Ben keeps pace, so that he never has much to read. At last the other is given up.
        let mut rounds = 0;
        let mut told = false;
        while !told {
            rounds += 1;
            assert!(rounds < 10_000, "it is never given up");
            ada.say(&round);
            let mut heard = 0;
            while heard < LINES {
                let line = ben.hear();
                told |= line == left;
                heard += usize::from(line.ends_with('x'));
            }
        }
        ada.say("the end\n");
        assert_eq!(ben.hear(), format!("{}: the end", ada.name()));
    });
}

#[test]
fn chat_accepts_again_when_a_descriptor_is_free() {
    on_every_backend(|backend| {
        let mut example = Example::start_with_descriptors("chat", backend, 16);
        let connections: Vec<_> = (0..40).map(|_| example.connect()).collect();
        example.await_complaint("accepting no more");
        for connection in connections {
            assert!(Speaker::new(connection).hear().starts_with("* you are "));
        }
    });
}

fn sender_to(address: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind(common::any_port()).unwrap();
    socket.connect(address).unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket
}

fn receive(sender: &UdpSocket) -> Vec<u8> {
    let mut buffer = vec![0; 65_535];
    // With a timeout the kernel does not resume what it has interrupted (signal(7)).
    let length = loop {
        match sender.recv(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            length => break length.unwrap(),
        }
    };
    buffer.truncate(length);
    buffer
}

#[test]
fn udp_echo_gives_every_datagram_back_to_its_sender() {
    on_every_backend(|backend| {
        let example = Example::start("udp_echo", backend);
        let senders: Vec<_> = (0..5).map(|_| sender_to(example.address)).collect();
        for length in [1, 0, 100, 1472, 1473, 9000, 65_507] {
            let datagram = vec![7; length];
            senders[0].send(&datagram).unwrap();
            assert!(receive(&senders[0]) == datagram, "{length}");
        }
        for (number, sender) in (0_u8..).zip(&senders) {
            sender.send(&[number; 100]).unwrap();
        }
        for (number, sender) in (0_u8..).zip(&senders) {
            assert_eq!(receive(sender), [number; 100]);
        }
    });
}

#[test]
fn busy_spin_answers_by_how_often_it_has_looked() {
    on_every_backend(|backend| {
        let example = Example::start("busy_spin", backend);
        let sender = sender_to(example.address);
        for _ in 0..3 {
            sender.send(b"well?\n").unwrap();
            let answer = String::from_utf8(receive(&sender)).unwrap();
            let (looks, spared) = answer.split_once(" looks, ").expect(&answer);
            let (spared, _) = spared
                .split_once(" of them without the kernel; ")
                .expect(&answer);
            let [looks, spared] = [looks, spared].map(|count| count.parse::<u64>().unwrap());
            assert!(spared < looks, "the one that found it asked: {answer}");
        }
    });
}

#[test]
fn monitor_answers_lines_until_its_input_ends() {
    on_every_backend(|backend| {
        let mut example = Example::start("monitor", backend);
        let input = example.input();
        let mut clients: Vec<_> = (0..10).map(|_| Speaker::new(example.connect())).collect();
        for client in &mut clients {
            client.say("Hello, wörld\nti");
            assert_eq!(client.hear(), "HELLO, WÖRLD");
        }
        for client in &mut clients {
            client.say("me\nagain\n");
            assert!(client.hear().ends_with(" seconds since 1970"));
            assert_eq!(client.hear(), "AGAIN");
        }
        drop(clients.split_off(5));
        clients[0].say("still\n");
        assert_eq!(clients[0].hear(), "STILL");

        drop(input);
        assert_eq!(line_of(&mut example.output), "stopped");
        assert!(example.await_end().success());
    });
}

#[test]
fn monitor_asks_for_no_more_when_its_answers_are_not_read() {
    on_every_backend(|backend| {
        let example = Example::start("monitor", backend);
        let line = format!("{}\n", "x".repeat(999));
        let requests = line.repeat(8 << 10);
        let answer = exchange(&example.connect(), requests.as_bytes());
        assert!(
            answer == requests.to_uppercase().into_bytes(),
            "{}",
            answer.len()
        );
    });
}

#[test]
fn monitor_accepts_again_when_a_descriptor_is_free() {
    on_every_backend(|backend| {
        let mut example = Example::start_with_descriptors("monitor", backend, 16);
        let connections: Vec<_> = (0..40).map(|_| example.connect()).collect();
        example.await_complaint("accepting no more");
        for connection in connections {
            let mut client = Speaker::new(connection);
            client.say("hello\n");
            assert_eq!(client.hear(), "HELLO");
        }
    });
}
