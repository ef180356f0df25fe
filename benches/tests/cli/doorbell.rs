//! `nioselect-bench doorbell`, and the rows of `harmony` that have a doorbell.

use nioselect::Selector;
use nioselect::doorbell::{Policy, State};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use super::{
    SMALL, assert_message_of_refusal, assert_refused, command, run_for_json, run_successfully,
};

const FEW: [&str; 5] = ["doorbell", "--channels", "20", "--rounds", "2"];

/// Why there is none here, if there is none.
pub(crate) fn reason_for_none() -> Option<String> {
    let mut selector = Selector::<()>::builder()
        .doorbell(Policy::Auto)
        .open()
        .unwrap();
    for _ in 0..100 {
        selector.select_now().unwrap();
    }
    match selector.doorbell().state {
        State::Armed => None,
        other => Some(other.to_string()),
    }
}

fn assert_are_quartiles(quartiles: &Value) {
    let value = |name: &str| {
        quartiles[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name} of {quartiles}"))
    };
    assert!(0.0 < value("lower"));
    assert!(value("lower") <= value("median"));
    assert!(value("median") <= value("upper"));
}

/// What the rows measure, each once, in their order.
fn subjects(rows: &[Value]) -> Vec<&str> {
    let names = rows.iter().map(|row| row["name"].as_str().unwrap());
    let mut subjects: Vec<_> = names.map(|name| name.split(':').next().unwrap()).collect();
    subjects.dedup();
    subjects
}

/// Runs the closure on one processor, with all that it starts.
fn on_one_processor<T>(action: impl FnOnce() -> T) -> T {
    let before = sched_getaffinity(None).unwrap();
    let mut one = CpuSet::new();
    one.set(
        (0..CpuSet::MAX_CPU)
            .find(|&number| before.is_set(number))
            .unwrap(),
    );
    sched_setaffinity(None, &one).unwrap();
    let outcome = action();
    sched_setaffinity(None, &before).unwrap();
    outcome
}

#[test]
fn every_row_has_its_times_and_their_ratio() {
    if let Some(reason) = reason_for_none() {
        return assert_refused(&FEW, &[&reason]);
    }
    let result = run_for_json("doorbell.json", &FEW);
    assert_eq!(result["benchmark"], "doorbell");
    assert_eq!(result["channels"], 20);
    assert_eq!(result["rounds"], 2);
    assert_eq!(result["spin_us"], 50);
    let rows = result["rows"].as_array().unwrap();
    let expected: &[_] = match result["word_there_and_back_ns"].is_number() {
        true => &["idle", "notice", "cycle", "ping-pong"],
        false => &["idle", "cycle"],
    };
    assert_eq!(subjects(rows), expected);
    for row in rows {
        assert!(row["beside"].is_string());
        for quartiles in [&row["ns"], &row["beside_ns"], &row["ratio"]] {
            assert_are_quartiles(quartiles);
        }
    }
    assert_eq!(rows[0]["aim"], 0.02);
}

#[test]
fn wrong_arguments_are_refused() {
    assert_refused(&["doorbell", "--channels", "0"], &["--channels"]);
    assert_refused(&["doorbell", "--rounds", "0"], &["--rounds"]);
    assert_refused(&["doorbell", "--spin", "-1"], &["-1"]);
    let too_many = usize::MAX.to_string();
    assert_refused(&["doorbell", "--channels", &too_many], &["channels fit"]);
}

#[test]
fn two_threads_are_not_measured_on_one_processor() {
    if reason_for_none().is_some() {
        return;
    }
    let printed = on_one_processor(|| run_successfully(&FEW));
    assert!(
        printed.contains("notice, ping-pong: not measured"),
        "{printed}"
    );
    assert!(!printed.contains("notice: "), "{printed}");
    let result = on_one_processor(|| run_for_json("one-processor.json", &FEW));
    assert_eq!(result["word_there_and_back_ns"], Value::Null);
    assert_eq!(
        subjects(result["rows"].as_array().unwrap()),
        ["idle", "cycle"]
    );
}

#[test]
fn a_doorbell_that_is_switched_off_is_not_measured() {
    let off = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env(Policy::VARIABLE, Policy::Off.name());
        command.output().unwrap()
    };
    let words = [Policy::VARIABLE, "off"];
    assert_message_of_refusal(&off(&FEW), &words);
    let named = [&["harmony", "--backend", "epoll+doorbell"][..], &SMALL].concat();
    assert_message_of_refusal(&off(&named), &words);

    let all = off(&[&["harmony"][..], &SMALL].concat());
    assert!(all.status.success(), "{all:?}");
    let message = String::from_utf8_lossy(&all.stderr);
    assert!(
        message.contains("epoll+doorbell cannot run here: "),
        "{message}"
    );
    assert!(
        !String::from_utf8_lossy(&all.stdout).contains("+doorbell"),
        "{all:?}"
    );
}

#[test]
fn harmony_tells_what_the_doorbell_has_done() {
    let arguments = [&["harmony", "--backend", "epoll+doorbell"][..], &SMALL].concat();
    if let Some(reason) = reason_for_none() {
        return assert_refused(&arguments, &[&reason]);
    }
    let result = run_for_json("harmony-doorbell.json", &arguments);
    let [row] = &result["rows"].as_array().unwrap()[..] else {
        panic!("{result}");
    };
    assert_eq!(row["backend"], "epoll+doorbell");
    assert_eq!(row["doorbell"]["state"], "armed");
    assert_eq!(row["doorbell"]["rung"], 0);
    let answered = row["doorbell"]["answered"].as_u64().unwrap();
    assert!((1..100).contains(&answered), "{row}");
}

#[test]
fn only_the_row_that_has_a_doorbell_tells_of_one() {
    let arguments = [&["harmony", "--backend", "epoll"][..], &SMALL].concat();
    let result = run_for_json("harmony-plain.json", &arguments);
    assert_eq!(result["rows"][0]["backend"], "epoll");
    assert_eq!(result["rows"][0]["doorbell"], Value::Null);
}
