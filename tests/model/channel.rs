//! What a channel and its peer do to each other.

use nioselect::Ops;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    UnixStream,
    TcpStream,
    PipeSource,
    PipeSink,
}

/// What happens to a channel behind the selector's back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    PeerWrites,
    WeReadAll,
    WeFill,
    PeerReadsAll,
    WeEnd,
    PeerEnds,
    PeerCloses,
}

#[derive(Clone, Copy, Debug)]
pub struct Channel {
    flavour: Flavour,
    unread: bool,
    full: bool,
    we_have_ended: bool,
    peer_has_ended: bool,
    peer_is_gone: bool,
}

impl Channel {
    pub fn new(flavour: Flavour) -> Self {
        Self {
            flavour,
            unread: false,
            full: false,
            we_have_ended: false,
            peer_has_ended: false,
            peer_is_gone: false,
        }
    }

    pub fn valid_ops(&self) -> Ops {
        match self.flavour {
            Flavour::UnixStream | Flavour::TcpStream => Ops::READ | Ops::WRITE | Ops::CONNECT,
            Flavour::PipeSource => Ops::READ,
            Flavour::PipeSink => Ops::WRITE,
        }
    }

    /// Whether this can happen now, with an outcome that is certain.
    pub fn allows(&self, event: Event) -> bool {
        let reads = self.flavour != Flavour::PipeSink;
        // How much goes into TCP's buffers, and when, only the kernel knows.
        let fills = matches!(self.flavour, Flavour::UnixStream | Flavour::PipeSink);
        let ends = matches!(self.flavour, Flavour::UnixStream | Flavour::TcpStream);
        // Nobody can wait for a second byte over TCP to arrive: the first makes it readable.
        let one_byte_at_most = self.flavour == Flavour::TcpStream;
        match event {
            Event::PeerWrites => {
                reads && !self.peer_has_ended && !(one_byte_at_most && self.unread)
            }
            Event::WeReadAll => reads,
            Event::WeFill => fills && !self.we_have_ended && !self.peer_is_gone,
            Event::PeerReadsAll => fills && !self.peer_is_gone,
            // A hang-up without room to write is something that select(2) does not tell.
            Event::WeEnd => ends && !self.we_have_ended && !self.peer_is_gone && !self.full,
            Event::PeerEnds => ends && !self.peer_has_ended,
            Event::PeerCloses => !self.peer_is_gone,
        }
    }

    pub fn happens(&mut self, event: Event) {
        match event {
            Event::PeerWrites => self.unread = true,
            Event::WeReadAll => self.unread = false,
            Event::WeFill => self.full = true,
            Event::PeerReadsAll => self.full = false,
            Event::WeEnd => self.we_have_ended = true,
            Event::PeerEnds => self.peer_has_ended = true,
            Event::PeerCloses => {
                self.peer_has_ended = true;
                self.peer_is_gone = true;
            }
        }
    }

    /// The operations of `interest` that are ready. `CONNECT` is not: all are connected.
    pub fn ready(&self, interest: Ops) -> Ops {
        let mut ready = Ops::empty();
        ready.set(Ops::READ, self.is_hung_up() || self.is_readable());
        ready.set(Ops::WRITE, self.is_hung_up() || !self.full);
        ready & interest
    }

    fn is_readable(&self) -> bool {
        self.unread || self.peer_has_ended
    }

    /// What closing an end of TCP tells the other one is only that nothing more will come.
    fn is_hung_up(&self) -> bool {
        let by_both = self.we_have_ended && self.peer_has_ended;
        let by_peer = self.peer_is_gone && self.flavour != Flavour::TcpStream;
        by_both || by_peer
    }
}
