//! Two transcripts, but for what cannot be the same: numbers of descriptors, sizes of buffers,
//! error numbers and times.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::super::super::Flavour;
use super::probe::{BAD, MEASURED_BAD};

/// A line that is different, and why it must be.
pub(super) struct Exception {
    pub(super) flavour: Flavour,
    /// The line that was measured, after it has been made comparable.
    pub(super) measured: &'static str,
    pub(super) ours: &'static str,
    pub(super) why: &'static str,
}

pub(super) fn assert_same(
    transcript: &str,
    ours: &[String],
    flavour: Flavour,
    exceptions: &[Exception],
) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kqueue-transcripts");
    let measured = fs::read_to_string(folder.join(transcript)).unwrap();
    let measured = Reader::of(Numbers::Bsd).lines(measured.lines());
    let ours = Reader::of(Numbers::Linux).lines(ours.iter().map(String::as_str));
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

/// Where the errors' numbers are from.
#[derive(Clone, Copy)]
enum Numbers {
    Bsd,
    Linux,
}

/// Makes lines comparable.
struct Reader {
    numbers: Numbers,
    /// The descriptors of a case, in the order in which they are seen.
    descriptors: Vec<String>,
    /// The numbers of this line are descriptors.
    is_of_descriptors: bool,
    /// The next amount is how much can be written.
    is_space: bool,
}

impl Reader {
    fn of(numbers: Numbers) -> Self {
        Self {
            numbers,
            descriptors: Vec::new(),
            is_of_descriptors: false,
            is_space: false,
        }
    }

    fn lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>) -> Vec<String> {
        lines.map(|line| self.line(line)).collect()
    }

    fn line(&mut self, line: &str) -> String {
        let is_a_new_case = line.starts_with(|first: char| first.is_ascii_digit());
        if is_a_new_case {
            self.descriptors.clear();
        }
        let line = with_names_of_errors(line);
        self.is_of_descriptors = line.trim_start().starts_with("old fd");
        let mut before = "";
        let mut words = Vec::new();
        for word in line.split_whitespace() {
            words.push(self.word(before, word));
            before = word;
        }
        words.join(" ")
    }

    fn word(&mut self, before: &str, word: &str) -> String {
        if ["READ", "WRITE", "USER", "EV_ERROR"].contains(&word) {
            self.is_space = word == "WRITE";
        }
        match word.split_once('=') {
            _ if before == "elapsed" => "(time)".to_owned(),
            _ if before == "then" && is_number(word) => self.error(word),
            _ if self.is_of_descriptors && is_number(word) => self.descriptor(word),
            Some(("SO_ERROR", number)) => format!("SO_ERROR={}", self.error(number)),
            Some(("ff", number)) => format!("ff={}", self.error(number)),
            Some((name @ ("[id" | "fd"), number)) => {
                format!("{name}={}", self.descriptor(number))
            }
            Some(("data", amount)) if self.is_space && amount != "0" => "data=(space)".to_owned(),
            _ => match word
                .strip_prefix("change(")
                .and_then(|rest| rest.split_once(','))
            {
                Some((number, rest)) => format!("change({},{rest}", self.descriptor(number)),
                None => word.to_owned(),
            },
        }
    }

    fn descriptor(&mut self, number: &str) -> String {
        if number == MEASURED_BAD || number == BAD.to_string() {
            return "(closed)".to_owned();
        }
        let known = self.descriptors.iter().position(|seen| seen == number);
        let place = known.unwrap_or(self.descriptors.len());
        if known.is_none() {
            self.descriptors.push(number.to_owned());
        }
        format!("#{place}")
    }

    /// The name of an error that is printed as a number.
    fn error(&self, text: &str) -> String {
        let digits = text.trim_end_matches(']');
        let end = &text[digits.len()..];
        let number = match digits.strip_prefix("0x") {
            Some(digits) => i32::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        let name = match (self.numbers, number.unwrap()) {
            (_, 0) => "0",
            (Numbers::Bsd, 54) | (Numbers::Linux, libc::ECONNRESET) => "ECONNRESET",
            (Numbers::Bsd, 61) | (Numbers::Linux, libc::ECONNREFUSED) => "ECONNREFUSED",
            // What Linux says of a reset by a peer that had finished before.
            (Numbers::Linux, libc::EPIPE) => "ECONNRESET",
            (_, other) => panic!("error {other}"),
        };
        format!("{name}{end}")
    }
}

/// The errors of failed calls: each kernel was asked in its own way.
fn with_names_of_errors(line: &str) -> String {
    [
        ("No such file or directory", "ENOENT"),
        ("NetBSD errno 2 ENOENT", "ENOENT"),
        ("Bad file descriptor", "EBADF"),
        ("NetBSD errno 9 EBADF", "EBADF"),
        ("NetBSD errno 22 EINVAL", "EINVAL"),
        ("Operation now in progress", "EINPROGRESS"),
        ("NetBSD errno 36 EINPROGRESS", "EINPROGRESS"),
    ]
    .iter()
    .fold(line.to_owned(), |line, (text, name)| {
        line.replace(text, name)
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}
