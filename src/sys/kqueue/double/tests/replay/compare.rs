//! Two transcripts, but for what cannot be the same: numbers of descriptors, sizes of buffers,
//! error numbers and times.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::super::super::Flavour;
use super::probe::BAD;

/// A line that is different, and why it must be.
pub(super) struct Exception {
    pub(super) flavour: Flavour,
    /// The line that was measured, after it has been made comparable.
    pub(super) measured: &'static str,
    pub(super) ours: &'static str,
    pub(super) why: &'static str,
}

/// Where the errors' numbers are from.
#[derive(Clone, Copy)]
enum Numbers {
    Bsd,
    Linux,
}

pub(super) fn assert_same(
    transcript: &str,
    ours: &[String],
    flavour: Flavour,
    exceptions: &[Exception],
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kqueue-transcripts");
    let measured = fs::read_to_string(folder.join(transcript)).unwrap();
    let measured = comparable(measured.lines(), Numbers::Bsd);
    let ours = comparable(ours.iter().map(String::as_str), Numbers::Linux);
    let mut unused: Vec<_> = exceptions
        .iter()
        .filter(|exception| exception.flavour == flavour)
        .collect();
    let mut differences = String::new();
    for index in 0..measured.len().max(ours.len()) {
        let pair = [&measured, &ours].map(|lines| lines.get(index).map_or("", String::as_str));
        if pair[0] == pair[1] {
            continue;
        }
        let excuse = unused
            .iter()
            .position(|exception| [exception.measured, exception.ours] == pair);
        match excuse {
            Some(excuse) => drop(unused.remove(excuse)),
            None => writeln!(differences, "{}\n-{}\n+{}", index + 1, pair[0], pair[1]).unwrap(),
        }
    }
    for exception in unused {
        let (line, why) = (exception.measured, exception.why);
        writeln!(differences, "is not different: {line} ({why})").unwrap();
    }
    assert!(differences.is_empty(), "\n{differences}");
}

fn comparable<'a>(lines: impl Iterator<Item = &'a str>, numbers: Numbers) -> Vec<String> {
    let mut known = Vec::new();
    lines
        .map(|line| {
            if line.starts_with(|first: char| first.is_ascii_digit()) {
                // A case of its own.
                known.clear();
            }
            comparable_line(line, numbers, &mut known)
        })
        .collect()
}

fn comparable_line(line: &str, numbers: Numbers, known: &mut Vec<String>) -> String {
    let words = line.replace("No such file or directory", "ENOENT");
    let words = words.replace("Bad file descriptor", "EBADF");
    let words = words.replace("Operation now in progress", "EINPROGRESS");
    let words: Vec<_> = words.split_whitespace().collect();
    let mut result = Vec::new();
    for (index, &word) in words.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |before| words[before]);
        let after = words.get(index + 1).copied().unwrap_or_default();
        let is_write = words[..index]
            .iter()
            .rev()
            .find(|word| word.contains("id="));
        let is_write = is_write.is_some()
            && words[..index]
                .iter()
                .rev()
                .find(|word| ["READ", "WRITE", "USER"].contains(word))
                == Some(&"WRITE");
        result.push(
            if word == "NetBSD" && after == "errno" || before == "errno" || word == "errno" {
                continue;
            } else if before == "elapsed" {
                "(time)".to_owned()
            } else if before.ends_with("fd")
                || before.ends_with("fds")
                || is_number(before) && is_number(word)
            {
                same_number(word, known)
            } else if let Some((start, ident)) = word.split_once("id=") {
                let is_user = after == "USER";
                format!(
                    "{start}id={}",
                    if is_user {
                        ident.to_owned()
                    } else {
                        same_number(ident, known)
                    }
                )
            } else if let Some(rest) = word.strip_prefix("fd=") {
                format!("fd={}", same_number(rest, known))
            } else if let Some(rest) = word.strip_prefix("change(") {
                comparable_change(rest, known)
            } else if let Some(error) = word.strip_prefix("ff=0x") {
                let (number, end) = error.split_once(']').unwrap();
                let number = i32::from_str_radix(number, 16).unwrap();
                format!("ff={}]{end}", error_name(number, numbers))
            } else if let Some(error) = word.strip_prefix("SO_ERROR=") {
                format!("SO_ERROR={}", error_name(error.parse().unwrap(), numbers))
            } else if before == "then" && is_number(word) {
                error_name(word.parse().unwrap(), numbers)
            } else if is_write
                && word.starts_with("data=")
                && word != "data=0"
                && after.starts_with("ff=")
            {
                "data=(space)".to_owned()
            } else {
                word.to_owned()
            },
        );
    }
    result.join(" ")
}

/// `1026,READ,EV_DELETE`: the flags may be followed by more words.
fn comparable_change(text: &str, known: &mut Vec<String>) -> String {
    let (ident, rest) = text.split_once(',').unwrap();
    let ident = if rest.starts_with("USER") {
        ident.to_owned()
    } else {
        same_number(ident, known)
    };
    format!("change({ident},{rest}")
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The descriptors of a case, in the order in which they are seen.
fn same_number(number: &str, known: &mut Vec<String>) -> String {
    if number == BAD.to_string() {
        return number.to_owned();
    }
    let place = known.iter().position(|seen| seen == number);
    let place = place.unwrap_or_else(|| {
        known.push(number.to_owned());
        known.len() - 1
    });
    format!("#{place}")
}

fn error_name(number: i32, numbers: Numbers) -> String {
    match (numbers, number) {
        (_, 0) => "0",
        (Numbers::Bsd, 54) | (Numbers::Linux, libc::ECONNRESET) => "ECONNRESET",
        (Numbers::Bsd, 61) | (Numbers::Linux, libc::ECONNREFUSED) => "ECONNREFUSED",
        // What Linux says of a reset by a peer that had finished before.
        (Numbers::Linux, libc::EPIPE) => "ECONNRESET",
        (_, other) => panic!("error {other}"),
    }
    .to_owned()
}
