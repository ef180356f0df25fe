//! The rows of Java's selectors: a JVM for each provider and backend.

mod child;
mod jar;
mod jdk;
mod reply;

use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

use clap::Args;
use nioselect::Backend;
use nioselect::doorbell::Policy;

use super::contender::{self, Contender, Engine, Provider, Sample};
use super::doorbell::Doorbell;
use super::result::Workload;
use crate::error::Error;
use crate::mechanism::Mechanism;
use child::Child;
use reply::Hello;

/// What to measure in JVMs.
#[derive(Args, Debug)]
pub(super) struct JvmOptions {
    /// Measure in JVMs, too: the JDK's providers and that of this project
    #[arg(long)]
    jvm: bool,

    /// Another JDK beside that of `JAVA_HOME`, or else of `PATH`: its folder or its java
    /// executable; may be repeated
    #[arg(long, value_name = "PATH", requires = "jvm")]
    java: Vec<PathBuf>,

    /// The provider's jar [default: the one that `make jars` builds]
    #[arg(long, value_name = "PATH", requires = "jvm")]
    jar: Option<PathBuf>,

    /// The jar of the benchmark's Java side [default: the one that `make jars` builds]
    #[arg(long, value_name = "PATH", requires = "jvm")]
    bench_jar: Option<PathBuf>,
}

impl JvmOptions {
    /// The JVMs to start; none unless they were asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Request`] if a JDK or a jar is missing.
    pub(super) fn plans(&self, mechanisms: &[Mechanism]) -> Result<Vec<Plan>, Error> {
        if !self.jvm {
            return Ok(Vec::new());
        }
        let class_path = Rc::new(jar::class_path(
            self.jar.as_deref(),
            self.bench_jar.as_deref(),
        )?);
        let mut choices = vec![Choice::JdkPoll, Choice::JdkDefault];
        // The jar has no doubles.
        let all = mechanisms.iter().copied();
        let real = all.filter(|mechanism| !mechanism.is_double());
        for mechanism in real {
            choices.push(Choice::Nioselect(mechanism));
            if mechanism.has_doorbell() {
                choices.push(Choice::Unlocked(mechanism));
            }
        }
        let mut plans = Vec::new();
        for (jdk, java) in jdk::find(&self.java)?.into_iter().enumerate() {
            plans.extend(choices.iter().map(|&choice| Plan {
                jdk,
                java: java.clone(),
                class_path: Rc::clone(&class_path),
                choice,
            }));
        }
        Ok(plans)
    }
}

/// The provider of a JVM and what it is told.
#[derive(Clone, Copy, Debug)]
enum Choice {
    JdkPoll,
    JdkDefault,
    Nioselect(Mechanism),
    /// The monitors of a selector are left alone while its doorbell answers.
    Unlocked(Mechanism),
}

const JDK_POLL: &str = "sun.nio.ch.PollSelectorProvider";
const NIOSELECT: &str = "org.nioselect.NioselectProvider";

/// After the name of a mechanism.
const UNLOCKED: &str = "unlocked";

impl Choice {
    fn provider(self) -> Provider {
        match self {
            Self::JdkPoll => Provider::JdkPoll,
            Self::JdkDefault => Provider::JdkDefault,
            Self::Nioselect(_) | Self::Unlocked(_) => Provider::Nioselect,
        }
    }

    /// That of a selector of this project.
    fn mechanism(self) -> Option<Mechanism> {
        match self {
            Self::JdkPoll | Self::JdkDefault => None,
            Self::Nioselect(mechanism) | Self::Unlocked(mechanism) => Some(mechanism),
        }
    }

    fn properties(self) -> Vec<String> {
        let named = |provider| format!("-Djava.nio.channels.spi.SelectorProvider={provider}");
        match self {
            Self::JdkPoll => vec![named(JDK_POLL)],
            Self::JdkDefault => Vec::new(),
            Self::Nioselect(mechanism) | Self::Unlocked(mechanism) => vec![
                named(NIOSELECT),
                format!("-Dnioselect.backend={}", mechanism.backend()),
                format!(
                    "-Dnioselect.rt_signal={}",
                    mechanism.backend() == Backend::RtSignal
                ),
                format!("-Dnioselect.doorbell={}", doorbell_policy(mechanism)),
                format!("-Dnioselect.doorbell.unlocked={}", self.is_unlocked()),
            ],
        }
    }

    fn has_doorbell(self) -> bool {
        self.mechanism().is_some_and(Mechanism::has_doorbell)
    }

    fn is_unlocked(self) -> bool {
        matches!(self, Self::Unlocked(_))
    }

    /// Whether this is the class that was meant to be in use.
    fn is_class(self, class: &str) -> bool {
        match self {
            Self::JdkPoll => class == JDK_POLL,
            Self::JdkDefault => class.starts_with("sun.nio.ch."),
            Self::Nioselect(_) | Self::Unlocked(_) => class == NIOSELECT,
        }
    }

    fn backend(self, class: &str) -> String {
        match self {
            Self::JdkPoll | Self::JdkDefault => jdk_backend(class),
            Self::Nioselect(mechanism) => mechanism.to_string(),
            Self::Unlocked(mechanism) => format!("{mechanism} {UNLOCKED}"),
        }
    }
}

/// A JVM does not look at the environment variable that the Rust rows go by.
fn doorbell_policy(mechanism: Mechanism) -> Policy {
    if mechanism.has_doorbell() {
        Policy::preferred().unwrap_or_default()
    } else {
        Policy::Off
    }
}

/// The JDK names its providers after what they are built on: `EPollSelectorProvider`.
fn jdk_backend(class: &str) -> String {
    let name = class.rsplit('.').next().unwrap_or(class);
    let name = name.strip_suffix("SelectorProvider").unwrap_or(name);
    name.to_lowercase()
}

/// A JVM that is to be started.
pub(super) struct Plan {
    jdk: usize,
    java: PathBuf,
    class_path: Rc<jar::ClassPath>,
    choice: Choice,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.java.display(), self.choice.provider())?;
        match self.choice {
            Choice::JdkPoll | Choice::JdkDefault => Ok(()),
            Choice::Nioselect(mechanism) => write!(f, " with {mechanism}"),
            Choice::Unlocked(mechanism) => write!(f, " with {mechanism} {UNLOCKED}"),
        }
    }
}

impl Plan {
    /// Starts the JVM and waits until it is warm. `None` if it was to have a doorbell and has none,
    /// which is told on standard error.
    ///
    /// # Errors
    ///
    /// [`Error::Child`] if it fails or uses another provider than it was told;
    /// [`Error::System`] if it cannot be started.
    pub(super) fn start(&self, workload: &Workload) -> Result<Option<Jvm>, Error> {
        let name = self.to_string();
        let mut child = Child::start(name, &mut self.command(workload), patience(workload))?;
        let hello: Hello = child.receive()?;
        if !self.choice.is_class(&hello.provider) {
            let message = format!("{self}: another provider is in use, {}", hello.provider);
            return Err(Error::Child(message));
        }
        if self.choice.has_doorbell() && !hello.doorbell.as_ref().is_some_and(Doorbell::is_armed) {
            let state = hello
                .doorbell
                .map_or_else(|| "off".to_owned(), |doorbell| doorbell.state);
            eprintln!("{self} cannot run here: the doorbell is {state}");
            return Ok(None);
        }
        let engine = Engine {
            jvm: Some(contender::Jvm {
                jdk: self.jdk,
                version: hello.java,
                provider: self.choice.provider(),
                is_unlocked: self.choice.is_unlocked(),
            }),
            backend: self.choice.backend(&hello.provider),
        };
        Ok(Some(Jvm { engine, child }))
    }

    fn command(&self, workload: &Workload) -> Command {
        let mut command = Command::new(&self.java);
        command
            // What the JVM of a user has to be told, too, to load native code without a warning.
            .arg("--enable-native-access=ALL-UNNAMED")
            .args(self.choice.properties())
            .arg("-cp")
            .arg(&self.class_path.0)
            .arg("org.nioselect.bench.HarmonyMain")
            .arg(workload.channels.to_string())
            .arg(workload.iterations.to_string());
        command
    }
}

/// How long a JVM may be silent: many times what poll(2) needs for the workload.
fn patience(workload: &Workload) -> Duration {
    let visits = workload.channels.saturating_mul(workload.iterations);
    Duration::from_secs(60).saturating_add(Duration::from_micros(visits as u64))
}

/// A JVM that waits to be told to do a round.
pub(super) struct Jvm {
    engine: Engine,
    child: Child,
}

impl Contender for Jvm {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn round(&mut self, _: &Workload) -> Result<Sample, Error> {
        self.child.send("round");
        self.child.receive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backend_of_a_provider_of_the_jdk_is_in_its_name() {
        assert_eq!(jdk_backend("sun.nio.ch.EPollSelectorProvider"), "epoll");
        assert_eq!(jdk_backend("sun.nio.ch.PollSelectorProvider"), "poll");
        assert_eq!(jdk_backend("Other"), "other");
    }

    #[test]
    fn only_the_provider_asked_for_is_accepted() {
        let epoll = "sun.nio.ch.EPollSelectorProvider";
        let nioselect = Choice::Nioselect(Mechanism::plain(Backend::Poll));
        assert!(Choice::JdkDefault.is_class(epoll));
        assert!(Choice::JdkPoll.is_class(JDK_POLL));
        assert!(nioselect.is_class(NIOSELECT));
        assert!(!Choice::JdkDefault.is_class(NIOSELECT));
        assert!(!Choice::JdkPoll.is_class(epoll));
        assert!(!nioselect.is_class(epoll));
    }
}
