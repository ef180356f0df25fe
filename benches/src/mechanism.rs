//! What a selector is over, and what the tables call it.

use std::fmt;
use std::str::FromStr;
use std::thread;

use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Selector, SelectorBuilder};

/// A backend, and whether the selector has a doorbell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mechanism {
    backend: Backend,
    has_doorbell: bool,
}

/// Many times the calls that find nothing after which a doorbell comes.
const IDLE_CALLS: u32 = 1000;

impl Mechanism {
    /// epoll with the doorbell that a selector has which is told nothing else.
    pub const DOORBELL: Self = Self {
        backend: Backend::Epoll,
        has_doorbell: true,
    };

    /// What the tables call it.
    pub const DOORBELL_NAME: &str = "epoll+doorbell";

    /// The backend alone.
    pub const fn plain(backend: Backend) -> Self {
        Self {
            backend,
            has_doorbell: false,
        }
    }

    /// All that this system has, whether they can run here or not.
    pub fn all_of_this_system() -> impl Iterator<Item = Self> {
        let all = Backend::ALL.iter().copied();
        let backends = all.filter(|backend| backend.is_of_this_system());
        backends.flat_map(|backend| {
            let doorbell = (backend == Self::DOORBELL.backend).then_some(Self::DOORBELL);
            [Self::plain(backend)].into_iter().chain(doorbell)
        })
    }

    /// Those that can run here.
    pub fn available() -> Vec<Self> {
        Self::all_of_this_system()
            .filter(|mechanism| mechanism.probe().is_ok())
            .collect()
    }

    /// Whether it can run here, tried out by a thread of its own: one that has had a doorbell keeps
    /// its ring.
    ///
    /// # Errors
    ///
    /// Why it cannot, in words.
    pub fn probe(self) -> Result<(), String> {
        let trial = thread::Builder::new().spawn(move || self.try_out());
        let trial = trial.map_err(|error| error.to_string())?;
        trial.join().expect("trying out does not panic")
    }

    fn try_out(self) -> Result<(), String> {
        let selector = self.builder::<()>().open();
        let mut selector = selector.map_err(|error| error.to_string())?;
        if !self.has_doorbell {
            return Ok(());
        }
        for _ in 0..IDLE_CALLS {
            selector.select_now().map_err(|error| error.to_string())?;
        }
        match selector.doorbell().state {
            State::Armed => Ok(()),
            State::Off => Err(format!("{} is {}", Policy::VARIABLE, Policy::Off)),
            other => Err(format!("the doorbell is {other}")),
        }
    }

    /// What opens selectors over it.
    pub fn builder<A>(self) -> SelectorBuilder<A> {
        let builder = Selector::builder().backend(self.backend);
        if self.has_doorbell {
            builder
        } else {
            builder.doorbell(Policy::Off)
        }
    }

    /// The backend.
    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Whether selectors over it have a doorbell.
    pub fn has_doorbell(self) -> bool {
        self.has_doorbell
    }

    /// Whether it is only imitated here, for tests, so that its times say nothing.
    pub(crate) fn is_double(self) -> bool {
        cfg!(target_os = "linux") && matches!(self.backend, Backend::Kqueue | Backend::DevPoll)
    }
}

impl fmt::Display for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_doorbell {
            f.write_str(Self::DOORBELL_NAME)
        } else if self.is_double() {
            write!(f, "{} (double)", self.backend)
        } else {
            write!(f, "{}", self.backend)
        }
    }
}

/// By the name of the backend, or [`DOORBELL_NAME`](Mechanism::DOORBELL_NAME).
impl FromStr for Mechanism {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if name == Self::DOORBELL_NAME {
            return Ok(Self::DOORBELL);
        }
        let backend = name.parse().map(Self::plain);
        backend.map_err(|error: nioselect::Error| format!("{error}, {}", Self::DOORBELL_NAME))
    }
}
