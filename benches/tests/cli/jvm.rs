//! `harmony --jvm`, mostly with scripts in the place of JVMs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};

use super::{SMALL, assert_message_of_refusal, assert_refused, mechanisms, run_for_json};

/// Will do for a jar.
const ANY_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

/// A run on a JDK that is none.
struct Run {
    command: Command,
    log: PathBuf,
}

impl Run {
    /// `name` is that of no other test's.
    fn new(name: &str) -> Self {
        let log = temporary(&format!("{name}.log"));
        fs::write(&log, "").unwrap();
        let mut command = super::command(&["harmony", "--jvm"]);
        command
            .args(SMALL)
            .args(["--jar", ANY_FILE, "--bench-jar", ANY_FILE])
            .env("JAVA_HOME", jdk("17"))
            .env("FAKE_JAVA_LOG", &log);
        Self { command, log }
    }

    fn arguments<const N: usize>(mut self, arguments: [&str; N]) -> Self {
        self.command.args(arguments);
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    fn output(&mut self) -> Output {
        self.command.output().expect("the program has been built")
    }

    /// The process id and arguments of each JVM that was started.
    fn started(&self) -> Vec<(Pid, String)> {
        let log = fs::read_to_string(&self.log).unwrap();
        let lines = log.lines().map(|line| {
            let (pid, arguments) = line.split_once(' ').unwrap();
            let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
            (pid, arguments.to_owned())
        });
        lines.collect()
    }

    /// Asserts that it fails with a message that says all of `words`, and leaves no JVM behind.
    fn assert_fails(mut self, words: &[&str]) {
        let output = self.output();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        for word in words {
            assert!(message.contains(word), "no {word:?} in: {message}");
        }
        self.assert_nothing_is_left();
    }

    fn assert_nothing_is_left(&self) {
        let started = self.started();
        assert!(!started.is_empty());
        for (pid, arguments) in started {
            assert!(test_kill_process(pid).is_err(), "{arguments} is left");
        }
    }
}

fn jdk(version: &str) -> String {
    format!("{}/tests/jdk/{version}", env!("CARGO_MANIFEST_DIR"))
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn assert_request_is_refused(mut run: Run, words: &[&str]) {
    assert_message_of_refusal(&run.output(), words);
    assert!(run.started().is_empty());
}

#[test]
fn options_of_jvms_need_jvms() {
    for option in ["--java", "--jar", "--bench-jar"] {
        assert_refused(&["harmony", option, "x"], &["--jvm"]);
    }
}

#[test]
fn a_missing_jar_is_refused_with_what_to_do() {
    let words = ["/does/not/exist.jar", "make jars", "--jar PATH"];
    let arguments = ["harmony", "--jvm", "--jar", "/does/not/exist.jar"];
    assert_refused(&arguments, &words);
    let words = ["/does/not/exist.jar", "make jars", "--bench-jar PATH"];
    let bench_jar = ["--bench-jar", "/does/not/exist.jar"];
    let arguments = [&["harmony", "--jvm", "--jar", ANY_FILE][..], &bench_jar].concat();
    assert_refused(&arguments, &words);
}

#[test]
fn a_missing_jdk_is_refused_with_what_to_do() {
    let home = Run::new("missing-home").variable("JAVA_HOME", "/does/not/exist");
    assert_request_is_refused(home, &["JAVA_HOME", "/does/not/exist", "--java PATH"]);
    let named = Run::new("missing-java").arguments(["--java", "/does/not/exist"]);
    assert_request_is_refused(named, &["/does/not/exist", "--java PATH"]);
    let none = Run::new("no-java")
        .variable("JAVA_HOME", "")
        .variable("PATH", "/does/not/exist");
    assert_request_is_refused(none, &["no JDK", "JAVA_HOME", "PATH", "--java PATH"]);
}

#[test]
fn each_provider_is_measured_on_each_jdk() {
    let file = temporary("jvm.json");
    let mut run = Run::new("each-provider").arguments([
        "--java",
        &jdk("25"),
        "--backend",
        "poll",
        "--json",
        file.to_str().unwrap(),
    ]);
    let output = run.output();
    assert!(output.status.success(), "{output:?}");
    let result: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let rows = result["rows"].as_array().unwrap();
    let mut expected = Vec::new();
    for java in ["17.0.99", "25.0.99"] {
        expected.push(row("jdk", java, "poll", [40.0, 3.0, 200_000.0]));
        expected.push(row("jdk", java, "epoll", [41.0, 4.0, 300.0]));
        expected.push(row("nioselect", java, "poll", [42.0, 5.0, 150.0]));
    }
    assert_eq!(rows[0]["engine"], "rust");
    assert_eq!(rows[1..], expected);
    run.assert_nothing_is_left();
}

fn row(provider: &str, java: &str, backend: &str, times: [f64; 3]) -> Value {
    let [connect, register, select_now] = times;
    json!({
        "engine": "jvm",
        "provider": provider,
        "java": java,
        "backend": backend,
        "connect_ms": connect,
        "register_ms": register,
        "select_now_ns": { "min": select_now, "median": select_now, "max": select_now },
    })
}

#[test]
fn the_table_has_the_speed_beside_the_default_of_the_same_jdk() {
    let output = Run::new("table").output();
    let printed = String::from_utf8(output.stdout).unwrap();
    let last_cell = |name: &str| {
        let line = printed.lines().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("no {name:?} in: {printed}"));
        line.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(last_cell("rust nioselect"), "-");
    assert_eq!(last_cell("jvm 17.0.99 jdk  "), "0.0015x");
    assert_eq!(last_cell("jvm 17.0.99 jdk default"), "1.00x");
    assert_eq!(last_cell("jvm 17.0.99 nioselect"), "2.00x");
    #[cfg(target_os = "linux")]
    if crate::doorbell::reason_for_none().is_none() {
        assert_eq!(last_cell(" epoll+doorbell unlocked "), "3.00x");
        assert!(
            printed.contains("\nunlocked: with -Dnioselect.doorbell.unlocked=true"),
            "{printed}"
        );
    }
}

/// The rows of the provider of this project, in their order.
fn ours_in_jvms() -> Vec<String> {
    let mut names = Vec::new();
    for name in mechanisms() {
        let unlocked = format!("{name} unlocked");
        let has_doorbell = name.ends_with("+doorbell");
        names.extend((!name.contains("double")).then_some(name));
        names.extend(has_doorbell.then_some(unlocked));
    }
    names
}

#[test]
fn a_jvm_is_told_provider_backend_and_workload() {
    let mut run = Run::new("arguments");
    run.output();
    let started = run.started();
    let provider = |class| format!("-Djava.nio.channels.spi.SelectorProvider={class} ");
    assert!(
        started[0]
            .1
            .contains(&provider("sun.nio.ch.PollSelectorProvider"))
    );
    assert!(!started[1].1.contains("SelectorProvider"));
    let ours = &started[2..];
    let expected = ours_in_jvms();
    assert_eq!(ours.len(), expected.len());
    for ((_, arguments), name) in ours.iter().zip(expected) {
        assert!(arguments.contains(&provider("org.nioselect.NioselectProvider")));
        let (backend, doorbell, unlocked) = match name.split_once("+doorbell") {
            Some((backend, rest)) => (backend, "auto", rest == " unlocked"),
            None => (&*name, "off", false),
        };
        assert!(arguments.contains(&format!("-Dnioselect.doorbell.unlocked={unlocked} ")));
        assert!(arguments.contains(&format!("-Dnioselect.backend={backend} ")));
        assert!(arguments.contains(&format!("-Dnioselect.doorbell={doorbell} ")));
    }
    for (_, arguments) in &started {
        assert!(arguments.ends_with("org.nioselect.bench.HarmonyMain 50 100"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_doorbell_of_a_jvm_is_told() {
    if crate::doorbell::reason_for_none().is_some() {
        return;
    }
    let file = temporary("jvm-doorbell.json");
    let arguments = [
        "--backend",
        "epoll+doorbell",
        "--json",
        file.to_str().unwrap(),
    ];
    let run = |name| Run::new(name).arguments(arguments);
    let ours = || {
        let result = fs::read_to_string(&file).unwrap();
        let result: Value = serde_json::from_str(&result).unwrap();
        result["rows"].as_array().unwrap()[3..].to_vec()
    };

    let output = run("doorbell").output();
    assert!(output.status.success(), "{output:?}");
    let doorbell = json!({ "state": "armed", "answered": 80, "rung": 2 });
    let mut locked = row("nioselect", "17.0.99", "epoll+doorbell", [42.0, 5.0, 150.0]);
    locked["doorbell"] = doorbell;
    let mut unlocked = locked.clone();
    unlocked["backend"] = json!("epoll+doorbell unlocked");
    unlocked["select_now_ns"] = json!({ "min": 100.0, "median": 100.0, "max": 100.0 });
    assert_eq!(ours(), [locked, unlocked]);

    let output = run("no-doorbell")
        .variable("FAKE_JAVA", "has no doorbell")
        .output();
    assert!(output.status.success(), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr);
    for name in ["epoll+doorbell", "epoll+doorbell unlocked"] {
        let expected = format!("with {name} cannot run here: the doorbell is unavailable: no\n");
        assert!(message.contains(&expected), "{message}");
    }
    assert_eq!(ours(), [] as [Value; 0]);
}

#[test]
fn a_jdk_that_is_named_twice_is_measured_once() {
    let mut run = Run::new("twice").arguments([
        "--java",
        &jdk("17"),
        "--java",
        &format!("{}/bin/java", jdk("17")),
        "--backend",
        "poll",
    ]);
    assert!(run.output().status.success());
    assert_eq!(run.started().len(), 3);
}

#[test]
fn a_jvm_that_fails_is_named_and_none_is_left() {
    let fails = |how: &str, words: &[&str]| {
        let run = Run::new(how).variable("FAKE_JAVA", how);
        run.assert_fails(&[&["17/bin/java, jdk"], words].concat());
    };
    fails("does not start", &["ended too early: exit status: 7"]);
    fails("dies", &["ended too early: exit status: 8"]);
    fails("prints garbage", &["unexpected answer \"round done\""]);
    fails(
        "ignores its property",
        &[
            "another provider is in use",
            "sun.nio.ch.EPollSelectorProvider",
        ],
    );
}

#[test]
#[ignore = "cargo alone has no JDK and no jars; `make test` builds them and runs this"]
fn jvms_run_with_every_provider() {
    let result = run_for_json(
        "real-jvm.json",
        &[&["harmony", "--jvm"][..], &SMALL].concat(),
    );
    let rows = result["rows"].as_array().unwrap();
    let of_jvms = rows.iter().filter(|row| row["engine"] == "jvm");
    let found: Vec<_> = of_jvms
        .map(|row| (row["provider"].as_str().unwrap(), &row["backend"]))
        .collect();
    assert_eq!(found[0], ("jdk", &json!("poll")));
    assert_eq!(found[1].0, "jdk");
    let ours = found[2..].iter().map(|(_, backend)| backend.as_str());
    assert!(ours.eq(ours_in_jvms().iter().map(|name| Some(&**name))));
    assert!(
        found[2..]
            .iter()
            .all(|(provider, _)| *provider == "nioselect")
    );
}
