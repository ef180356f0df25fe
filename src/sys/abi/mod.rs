//! That the types and constants which this crate relies on, most of them from the libc crate, are
//! those of the systems' own headers.
//!
//! `numbers.txt` says what these have, and is itself compared with them by `.ci/constants`. Both
//! happens while compiling, so that it takes no other system to find out.

use std::mem::offset_of;

use super::descriptor_set::Word;

const TABLE: &[u8] = include_bytes!("numbers.txt");

/// Which word of a line is this system's number.
const COLUMN: usize = if cfg!(target_vendor = "apple") {
    1
} else if cfg!(target_os = "freebsd") {
    2
} else if cfg!(target_os = "netbsd") {
    3
} else if cfg!(target_os = "openbsd") {
    4
} else {
    5
};

/// A name of the table, and what this crate has by that name.
type Ours = (&'static str, i64);

macro_rules! layout {
    ($type:ident: $($field:ident)+) => {
        &[
            (concat!(stringify!($type), ".size"), size_of::<libc::$type>() as i64),
            $((
                concat!(stringify!($type), ".", stringify!($field)),
                offset_of!(libc::$type, $field) as i64,
            ),)+
        ]
    };
}

macro_rules! constants {
    ($($name:ident)+) => {
        &[$((stringify!($name), libc::$name as i64)),+]
    };
}

#[cfg(not(any(target_os = "illumos", target_os = "solaris")))]
const OF_THE_BSDS: &[&[Ours]] = &[
    layout!(kevent: ident filter flags fflags data udata),
    constants!(EVFILT_READ EVFILT_WRITE EVFILT_USER NOTE_TRIGGER),
    constants!(EV_ADD EV_DELETE EV_ENABLE EV_DISABLE EV_CLEAR EV_RECEIPT EV_DISPATCH EV_EOF EV_ERROR),
    layout!(timeval: tv_sec tv_usec),
    layout!(timespec: tv_sec tv_nsec),
    constants!(F_GETFD F_SETFD F_GETFL F_SETFL FD_CLOEXEC O_ACCMODE O_NONBLOCK O_CLOEXEC),
    constants!(S_IFMT S_IFSOCK S_IFIFO S_IFREG S_IFDIR),
    constants!(SOL_SOCKET SO_ACCEPTCONN MSG_PEEK MSG_DONTWAIT),
    constants!(EINTR EBADF ENOENT EEXIST EINVAL ENFILE EMFILE ENOMEM EAGAIN),
    constants!(ENOTSUP EOPNOTSUPP ENOPROTOOPT),
    #[cfg(target_os = "freebsd")]
    constants!(NOTE_FILE_POLL),
    #[cfg(target_os = "openbsd")]
    constants!(NOTE_EOF),
];

#[cfg(any(target_os = "illumos", target_os = "solaris"))]
const OF_THE_BSDS: &[&[Ours]] = &[];

const OF_ALL: &[&[Ours]] = &[
    layout!(pollfd: fd events revents),
    constants!(POLLIN POLLOUT POLLERR POLLHUP POLLNVAL FD_SETSIZE),
    &[
        ("nfds_t.size", size_of::<libc::nfds_t>() as i64),
        ("fd_set.word", size_of::<Word>() as i64),
    ],
];

const _: () = assert!(
    same_as_in_the_table(OF_ALL) + same_as_in_the_table(OF_THE_BSDS) == numbers(),
    "the table has a number that is compared with nothing"
);

/// How many there are, all of them the same.
const fn same_as_in_the_table(ours: &[&[Ours]]) -> usize {
    let (mut count, mut list) = (0, 0);
    while list < ours.len() {
        let mut entry = 0;
        while entry < ours[list].len() {
            let (name, value) = ours[list][entry];
            match number(name) {
                Some(number) if number == value => count += 1,
                _ => panic!("{}", name),
            }
            entry += 1;
        }
        list += 1;
    }
    count
}

/// The number by that name.
const fn number(name: &str) -> Option<i64> {
    let mut lines = TABLE;
    while !lines.is_empty() {
        let (line, rest) = split(lines, b'\n');
        if equal(word(line, 0), name.as_bytes()) {
            return number_in(line);
        }
        lines = rest;
    }
    None
}

/// How many numbers this system has in the table.
const fn numbers() -> usize {
    let (mut lines, mut count) = (TABLE, 0);
    while !lines.is_empty() {
        let (line, rest) = split(lines, b'\n');
        if number_in(line).is_some() {
            count += 1;
        }
        lines = rest;
    }
    count
}

const fn number_in(line: &[u8]) -> Option<i64> {
    if equal(word(line, 0), b"#") {
        return None;
    }
    let Ok(word) = str::from_utf8(word(line, COLUMN)) else {
        return None;
    };
    match i64::from_str_radix(word, 10) {
        Ok(number) => Some(number),
        Err(_) => None,
    }
}

/// The words of a line are separated by spaces.
const fn word(line: &[u8], index: usize) -> &[u8] {
    let (word, rest) = split(line.trim_ascii_start(), b' ');
    if index == 0 {
        word
    } else {
        self::word(rest, index - 1)
    }
}

/// What comes before the first `separator`, and what after it.
const fn split(text: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let mut end = 0;
    while end < text.len() && text[end] != separator {
        end += 1;
    }
    let (before, after) = text.split_at(end);
    match after.split_first() {
        Some((_, after)) => (before, after),
        None => (before, after),
    }
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}
