//! A thread that never sleeps, so that nothing has to wake it.
//!
//! ```text
//! cargo run --release --example busy_spin     # or: ... --example busy_spin 0.0.0.0:7007
//! nc -u 127.0.0.1 7007
//! ```
//!
//! Each line is answered by what the thread has done since the line before it. With the doorbell
//! nearly every look is one at memory: between two lines `strace -c -p PID` finds no system call.
//! Compare `NIOSELECT_DOORBELL=off`.

use std::env;
use std::error::Error;
use std::hint;
use std::net::SocketAddr;
use std::process::ExitCode;

use nioselect::{DatagramChannel, Ops, Selector};

struct Service {
    channel: DatagramChannel,
    selector: Selector<()>,
    looks: u64,
    /// How many looks the doorbell had spared the kernel when the last line came.
    spared_before: u64,
}

impl Service {
    fn open(address: SocketAddr) -> nioselect::Result<Self> {
        let channel = DatagramChannel::bind(address)?;
        channel.configure_blocking(false)?;
        let selector = Selector::open()?;
        channel.register(&selector, Ops::READ, ())?;
        Ok(Self {
            channel,
            selector,
            looks: 0,
            spared_before: 0,
        })
    }

    /// One turn. Beside it there is room for whatever else is not to wait: timers, or queues that
    /// other threads fill.
    fn turn(&mut self) -> nioselect::Result<()> {
        self.looks += 1;
        if self.selector.select_now()? == 0 {
            return Ok(());
        }
        self.selector.selected_keys().clear();
        // One at a time: as long as there are more, the next look finds the channel ready again.
        let Some((_, peer)) = self.channel.receive(&mut [0; 64])? else {
            return Ok(());
        };
        let answer = self.report();
        // The sender decides where the answer goes, and there may be no room to send it.
        if let Err(error) = self.channel.send(answer.as_bytes(), peer) {
            eprintln!("no answer to {peer}: {error}");
        }
        Ok(())
    }

    fn report(&mut self) -> String {
        let doorbell = self.selector.doorbell();
        let spared = doorbell.answered - self.spared_before;
        let report = format!(
            "{} looks, {spared} of them without the kernel; the doorbell is {}\n",
            self.looks, doorbell.state
        );
        self.looks = 0;
        self.spared_before = doorbell.answered;
        report
    }
}

fn serve() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:7007").parse()?;
    let mut service = Service::open(address)?;
    println!("listening on {}", service.channel.get_ref().local_addr()?);
    loop {
        service.turn()?;
        hint::spin_loop();
    }
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("busy_spin: {error}");
            ExitCode::FAILURE
        }
    }
}
