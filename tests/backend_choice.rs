//! Choosing the backend: by name, by builder, by environment.

mod common;

use std::io;
use std::process::Command;

use common::on_every_backend;
use nioselect::{Backend, Error, Selector};

#[test]
fn a_builder_opens_what_it_was_told() {
    on_every_backend(|backend| {
        let selector: Selector<()> = Selector::builder().backend(backend).open().unwrap();
        assert_eq!(selector.backend(), backend);
        assert_eq!(selector.handle().backend(), backend);
    });
}

#[test]
fn a_builder_opens_any_number_of_selectors() {
    let builder = Selector::<()>::builder()
        .backend(Backend::Poll)
        .event_capacity(0);
    let (_first, second) = (builder.open().unwrap(), builder.open().unwrap());
    assert_eq!(second.backend(), Backend::Poll);
}

#[test]
fn what_is_available_is_in_the_order_of_preference() {
    let available = Backend::available();
    let expected: Vec<_> = Backend::ALL
        .iter()
        .copied()
        .filter(|backend| available.contains(backend))
        .collect();
    assert_eq!(available, expected);
}

#[test]
fn names_lead_to_backends_and_back() {
    for &backend in Backend::ALL {
        assert_eq!(backend.name().parse::<Backend>().unwrap(), backend);
        assert_eq!(backend.to_string(), backend.name());
    }
}

#[test]
fn an_unknown_name_is_an_error_that_tells_the_known_ones() {
    for name in ["iocp", "", "Epoll", "epoll "] {
        let error = name.parse::<Backend>().unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)));
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let text = error.to_string();
        assert!(text.contains(&format!("{name:?}")), "{text}");
        assert!(
            Backend::ALL.iter().all(|known| text.contains(known.name())),
            "{text}"
        );
    }
}

/// Opens a selector as a process of its own does. What it says is for [`in_a_process_with`].
#[test]
fn a_selector_is_opened_without_an_explicit_backend() {
    let explicit = Selector::<()>::builder()
        .backend(Backend::Select)
        .open()
        .unwrap();
    assert_eq!(explicit.backend(), Backend::Select);
    match Selector::<()>::open() {
        Ok(selector) => println!("opened: {}", selector.backend()),
        Err(error) => println!("failed: {error}"),
    }
}

/// What opening a selector says in a process whose environment has the variable.
fn in_a_process_with(value: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "a_selector_is_opened_without_an_explicit_backend",
        "--nocapture",
    ]);
    match value {
        Some(value) => command.env(Backend::VARIABLE, value),
        None => command.env_remove(Backend::VARIABLE),
    };
    let output = command.output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_names_the_default() {
    on_every_backend(|backend| {
        let said = in_a_process_with(Some(backend.name()));
        assert!(said.contains(&format!("opened: {backend}")), "{said}");
    });
}

#[test]
fn without_a_name_the_best_is_the_default() {
    let said = in_a_process_with(None);
    assert!(
        said.contains(&format!("opened: {}", Backend::available()[0])),
        "{said}"
    );
}

#[test]
fn an_empty_name_in_the_environment_means_the_default() {
    let said = in_a_process_with(Some(""));
    assert!(
        said.contains(&format!("opened: {}", Backend::best())),
        "{said}"
    );
}

#[test]
fn real_time_signals_are_chosen_by_nobody_but_the_user() {
    // Everything can fail but poll, so whatever comes after it has to be named.
    let place = |backend| Backend::ALL.iter().position(|&other| other == backend);
    assert!(place(Backend::Poll) < place(Backend::RtSignal));
    assert_ne!(Backend::best(), Backend::RtSignal);
}

#[test]
fn an_unknown_name_in_the_environment_is_an_error_when_a_selector_is_opened() {
    let said = in_a_process_with(Some("iocp"));
    assert!(
        said.contains(
            "failed: unsupported: NIOSELECT_BACKEND: there is no backend \"iocp\", only epoll"
        ),
        "{said}"
    );
}
