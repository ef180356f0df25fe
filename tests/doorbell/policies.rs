//! Choosing when a selector has a doorbell: by name, by builder, by environment.

use super::*;

use std::process::Command;

use nioselect::Error;

#[test]
fn names_lead_to_policies_and_back() {
    for &policy in Policy::ALL {
        assert_eq!(policy.name().parse::<Policy>().unwrap(), policy);
        assert_eq!(policy.to_string(), policy.name());
    }
    assert_eq!(Policy::default(), Policy::Auto);
}

#[test]
fn an_unknown_name_is_an_error_that_tells_the_known_ones() {
    for name in ["always", "", "On", "on "] {
        let error = name.parse::<Policy>().unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)));
        let text = error.to_string();
        assert!(text.contains(&format!("{name:?}")), "{text}");
        assert!(
            Policy::ALL.iter().all(|known| text.contains(known.name())),
            "{text}"
        );
    }
}

/// The state after this many idle looks.
fn state_after(looks: u32, policy: Policy) -> State {
    let mut selector = selector_by::<()>(policy);
    for _ in 0..looks {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    selector.doorbell().state
}

#[test]
fn it_comes_after_an_idle_stretch_and_at_once_where_it_is_eager() {
    if !can_be_had() {
        return;
    }
    for policy in [Policy::Auto, Policy::On] {
        assert_eq!(state_after(3, policy), State::Idle);
    }
    assert_eq!(state_after(100, Policy::On), State::Armed);
    assert_eq!(state_after(0, Policy::Eager), State::Idle);
    assert_eq!(state_after(2, Policy::Eager), State::Armed);
    assert_eq!(state_after(100, Policy::Off), State::Off);
}

/// A selector that is never idle has none, and needs none.
#[test]
fn it_does_not_come_while_there_is_something_to_do() {
    let mut selector = selector_by(Policy::On);
    let pipe = pipe();
    pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
    for _ in 0..100 {
        assert_eq!(selector.select_now().unwrap(), 1);
        selector.selected_keys().clear();
    }
    let doorbell = selector.doorbell();
    assert_eq!((doorbell.state, doorbell.rings), (State::Idle, 0));
}

#[test]
fn other_backends_have_none() {
    common::on_every_backend(|backend| {
        let builder = Selector::<()>::builder().backend(backend);
        let mut selector = builder.doorbell(Policy::Eager).open().unwrap();
        for _ in 0..3 {
            assert_eq!(selector.select_now().unwrap(), 0);
        }
        let is_off = selector.doorbell().state == State::Off;
        assert_eq!(is_off, backend != Backend::Epoll);
    });
}

/// Opens selectors as a process of its own does. What it says is for [`in_a_process_with`].
#[test]
fn selectors_are_opened_with_and_without_an_explicit_policy() {
    let builder = || Selector::<()>::builder().backend(Backend::Epoll);
    let told = builder().doorbell(Policy::Off).open().unwrap();
    assert_eq!(told.doorbell().state, State::Off);
    assert!(matches!(
        selector_by::<()>(Policy::On).doorbell().state,
        State::Idle
    ));
    match builder().open() {
        Ok(mut selector) => {
            (0..3).for_each(|_| assert_eq!(selector.select_now().unwrap(), 0));
            println!("state: {}", selector.doorbell().state.name());
        }
        Err(error) => println!("failed: {error}"),
    }
}

fn in_a_process_with(value: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "policies::selectors_are_opened_with_and_without_an_explicit_policy",
        "--nocapture",
    ]);
    match value {
        Some(value) => command.env(Policy::VARIABLE, value),
        None => command.env_remove(Policy::VARIABLE),
    };
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    said
}

#[test]
fn the_environment_names_the_default() {
    if !can_be_had() {
        return;
    }
    for (value, state) in [
        (None, "idle"),
        (Some(""), "idle"),
        (Some("auto"), "idle"),
        (Some("on"), "idle"),
        (Some("off"), "off"),
        (Some("eager"), "armed"),
    ] {
        let said = in_a_process_with(value);
        assert!(
            said.contains(&format!("state: {state}")),
            "{value:?}: {said}"
        );
    }
}

#[test]
fn an_unknown_name_in_the_environment_is_told_with_the_variable() {
    let said = in_a_process_with(Some("always"));
    let expected =
        "failed: unsupported: NIOSELECT_DOORBELL: there is no doorbell policy \"always\"";
    assert!(said.contains(expected), "{said}");
    assert!(!said.contains(Backend::VARIABLE), "{said}");
}
