//! The command line: what it refuses, and the shape of what it prints and writes.

#[cfg(target_os = "linux")]
mod doorbell;
mod jvm;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use nioselect::Backend;
use nioselect::doorbell::Policy;
use serde_json::{Value, json};

const SMALL: [&str; 6] = ["--channels", "50", "--iterations", "100", "--rounds", "1"];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nioselect-bench"));
    command
        .args(arguments)
        .env_remove(Backend::VARIABLE)
        .env_remove(Policy::VARIABLE);
    command
}

fn run(arguments: &[&str]) -> Output {
    let output = command(arguments).output();
    output.expect("the program has been built")
}

fn run_successfully(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs it with `--json` and reads the file; `name` is that of no other test's.
fn run_for_json(name: &str, arguments: &[&str]) -> Value {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = file.to_str().expect("the build folder's name is text");
    run_successfully(&[arguments, &["--json", path]].concat());
    let text = fs::read_to_string(&file).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Asserts that it is refused as a wrong request, with a message that says all of `words`.
fn assert_refused(arguments: &[&str], words: &[&str]) {
    assert_message_of_refusal(&run(arguments), words);
}

fn assert_message_of_refusal(output: &Output, words: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    for word in words {
        assert!(message.contains(word), "no {word:?} in: {message}");
    }
}

fn assert_is_spread(spread: &Value) {
    let value = |name: &str| {
        spread[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} of {spread}"))
    };
    assert!(0.0 < value("min"));
    assert!(value("min") <= value("median"));
    assert!(value("median") <= value("max"));
}

#[test]
fn wrong_arguments_are_refused() {
    assert_refused(&[], &["harmony", "scaling", "compare"]);
    assert_refused(&["sprint"], &["sprint"]);
    assert_refused(&["harmony", "--channels", "0"], &["--channels"]);
    assert_refused(&["harmony", "--channels", "many"], &["--channels", "many"]);
    assert_refused(&["harmony", "--iterations", "-1"], &["-1"]);
    assert_refused(&["harmony", "--rounds", "0"], &["--rounds"]);
    assert_refused(&["harmony", "--chanels", "5"], &["--chanels", "--channels"]);
    assert_refused(&["compare", "--ready", "1,x"], &["--ready", "x"]);
}

#[test]
fn whoever_reads_may_leave() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let arguments = [&["harmony"][..], &SMALL].concat();
    let output = command(&arguments).stdout(writer).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn compare_asks_for_no_more_ready_keys_than_there_are() {
    let printed = run_successfully(&["compare", "--keys", "5", "--rounds", "1"]);
    assert!(printed.contains("nioselect poll"), "{printed}");
    assert_refused(&["compare", "--keys", "5", "--ready", "6"], &["--ready"]);
}

#[test]
fn an_unknown_backend_is_refused_with_the_known_ones() {
    assert_refused(
        &["harmony", "--backend", "kpoll"],
        &["kpoll", "epoll", "poll", "select", "epoll+doorbell", "all"],
    );
}

#[test]
fn too_many_channels_are_refused_with_what_fits_and_what_to_do() {
    let too_many = usize::MAX.to_string();
    let words = ["channels fit", "ulimit -n", "LimitNOFILE"];
    assert_refused(&["harmony", "--channels", &too_many], &words);
    assert_refused(&["compare", "--keys", &too_many], &words);
    assert_refused(&["scaling", "--keys", &too_many], &words);
    assert_refused(&["scaling", "--ready", &too_many], &words);
}

#[test]
fn more_ready_keys_than_keys_are_refused() {
    let words = ["6 of 5", "--keys"];
    assert_refused(&["compare", "--keys", "5", "--ready", "0,6"], &words);
    assert_refused(&["scaling", "--keys", "5", "--ready", "6"], &words);
}

#[test]
fn a_file_that_cannot_be_written_fails_before_anything_is_measured() {
    let output = run(&["harmony", "--json", "/does/not/exist.json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("/does/not/exist.json"));
}

#[test]
fn harmony_runs_with_each_backend() {
    for backend in Backend::available() {
        let name = backend.name();
        let printed = run_successfully(&[&["harmony", "--backend", name][..], &SMALL].concat());
        let is_row = |line: &&str| line.starts_with(&format!("rust nioselect   {name} "));
        assert_eq!(printed.lines().filter(is_row).count(), 1, "{printed}");
        assert!(!printed.contains("jdk"), "{printed}");
    }
}

/// On Linux, where the library has been built with what its own tests need.
fn is_double(backend: Backend) -> bool {
    cfg!(target_os = "linux") && matches!(backend, Backend::Kqueue | Backend::DevPoll)
}

/// What can run here, as the tables call it.
fn mechanisms() -> Vec<String> {
    let mut names = Vec::new();
    for backend in Backend::available() {
        names.push(match is_double(backend) {
            true => format!("{backend} (double)"),
            false => backend.to_string(),
        });
        #[cfg(target_os = "linux")]
        if backend == Backend::Epoll && doorbell::reason_for_none().is_none() {
            names.push("epoll+doorbell".to_owned());
        }
    }
    names
}

#[test]
fn harmony_measures_all_backends_unless_told_otherwise() {
    let result = run_for_json("harmony.json", &[&["harmony"][..], &SMALL].concat());
    assert_eq!(result["benchmark"], "harmony");
    assert_eq!(result["channels"], 50);
    assert_eq!(result["iterations"], 100);
    let rows = result["rows"].as_array().unwrap();
    let backends: Vec<_> = rows
        .iter()
        .map(|row| row["backend"].as_str().unwrap())
        .collect();
    assert_eq!(backends, mechanisms());
    for row in rows {
        assert_eq!(row["engine"], "rust");
        assert_eq!(row["provider"], "nioselect");
        assert_eq!(row["java"], Value::Null);
        assert!(row["connect_ms"].as_f64().unwrap() > 0.0);
        assert!(row["register_ms"].as_f64().unwrap() > 0.0);
        assert_is_spread(&row["select_now_ns"]);
    }
}

#[test]
fn harmony_is_silent_on_standard_error_where_nobody_watches() {
    let output = run(&[&["harmony"][..], &SMALL].concat());
    let message = String::from_utf8_lossy(&output.stderr);
    let unexpected = message.lines().find(|line| {
        !line.starts_with("warning: a debug build") && !line.contains("cannot run here")
    });
    assert_eq!(unexpected, None);
}

#[test]
fn scaling_goes_from_ten_keys_to_the_most() {
    let printed = run_successfully(&["scaling", "--rounds", "1", "--ready", "2", "--keys", "300"]);
    let header = printed
        .lines()
        .find(|line| line.trim_start().starts_with("keys"))
        .unwrap();
    for name in mechanisms() {
        assert!(header.contains(&name), "{printed}");
    }
    let rows = printed.lines().skip_while(|&line| line != header).skip(1);
    let counts = rows.filter_map(|line| line.split_whitespace().next());
    assert!(counts.eq(["10", "100", "300"]), "{printed}");
}

#[test]
fn compare_does_each_job_with_each_engine() {
    let arguments = ["compare", "--keys", "50", "--ready", "0,7", "--rounds", "1"];
    let result = run_for_json("compare.json", &arguments);
    assert_eq!(result["benchmark"], "compare");
    assert_eq!(result["keys"], 50);
    assert_eq!(result["rounds"], 1);
    let rows = result["rows"].as_array().unwrap();
    for job in ["look", "register + deregister", "interest toggle", "wakeup"] {
        for engine in ["nioselect poll", "nioselect select", "mio", "polling"] {
            let found = rows
                .iter()
                .filter(|row| row["job"] == job && row["engine"] == engine);
            let expected = if job == "look" { 2 } else { 1 };
            assert_eq!(found.count(), expected, "{job} by {engine}");
        }
    }
    let idle = rows
        .iter()
        .filter(|row| row["job"] == "look" && row["ready"] == 0);
    let engines: Vec<_> = idle.map(|row| row["engine"].as_str().unwrap()).collect();
    for name in mechanisms() {
        let engine = format!("nioselect {name}");
        assert!(engines.contains(&&*engine), "no {engine} in {engines:?}");
    }
    for row in rows {
        assert_is_spread(&row["ns"]);
        assert_is_spread(&row["ratio"]);
    }
    let of_itself = json!({ "min": 1.0, "median": 1.0, "max": 1.0 });
    assert_eq!(rows[0]["ratio"], of_itself);
}
