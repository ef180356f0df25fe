//! The descriptors that are watched, and those among them that poll(2) is to be asked about.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::backend::{Readiness, ReadyList, index};
use crate::sys::poll::{self, PollFd};
use crate::token::Token;

/// By descriptor.
#[derive(Clone, Copy, Debug)]
struct Entry {
    token: Token,
    /// Nothing if it is not watched.
    wanted: Readiness,
    /// Signals announce what happens to it.
    armed: bool,
    /// Where in the array it is; [`ABSENT`] if poll(2) is not asked about it.
    place: u32,
}

const ABSENT: u32 = u32::MAX;

impl Default for Entry {
    fn default() -> Self {
        Self {
            token: Token::WAKE,
            wanted: Readiness::empty(),
            armed: false,
            place: ABSENT,
        }
    }
}

/// The queue of signals comes first in the array.
const FIRST: usize = 1;

pub(super) struct Suspects {
    entries: Vec<Entry>,
    array: Vec<PollFd>,
    /// Where the next round begins to look, so that a full list starves nobody.
    next: usize,
}

impl Suspects {
    pub(super) fn beside(queue: RawFd) -> Self {
        Self {
            entries: Vec::new(),
            array: vec![question(queue, Readiness::READABLE)],
            next: FIRST,
        }
    }

    /// How many there are, the queue of signals among them.
    pub(super) fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there is nothing but the queue and the bell, which is the first to be watched.
    pub(super) fn are_none(&self) -> bool {
        self.array.len() <= FIRST + 1
    }

    /// The numbers of all descriptors that have ever been watched, and others.
    pub(super) fn numbers(&self) -> impl Iterator<Item = RawFd> + use<> {
        0..RawFd::try_from(self.entries.len()).expect("there are no more descriptors than numbers")
    }

    fn entry(&self, fd: RawFd) -> Option<&Entry> {
        self.entries.get(usize::try_from(fd).ok()?)
    }

    fn entry_mut(&mut self, fd: RawFd) -> &mut Entry {
        if self.entries.len() <= index(fd) {
            self.entries.resize(index(fd) + 1, Entry::default());
        }
        &mut self.entries[index(fd)]
    }

    pub(super) fn is_armed(&self, fd: RawFd) -> bool {
        self.entry(fd).is_some_and(|entry| entry.armed)
    }

    pub(super) fn set_armed(&mut self, fd: RawFd, armed: bool) {
        self.entry_mut(fd).armed = armed;
    }

    /// Watches it, for something else from now on if it has been watched already. It is a
    /// suspect until poll(2) has been asked.
    pub(super) fn watch(&mut self, fd: RawFd, token: Token, wanted: Readiness) {
        let entry = self.entry_mut(fd);
        entry.token = token;
        entry.wanted = wanted;
        let place = entry.place;
        if place == ABSENT {
            self.suspect(fd);
        } else {
            self.array[place as usize].events = wanted.to_events();
        }
    }

    pub(super) fn unwatch(&mut self, fd: RawFd) {
        let entry = self.entry_mut(fd);
        entry.wanted = Readiness::empty();
        if entry.place != ABSENT {
            let place = std::mem::replace(&mut entry.place, ABSENT) as usize;
            self.array.swap_remove(place);
            if let Some(moved) = self.array.get(place) {
                self.set_place(moved.fd, place);
            }
        }
    }

    fn set_place(&mut self, fd: RawFd, place: usize) {
        let place = u32::try_from(place).expect("a descriptor table has fewer entries");
        self.entries[index(fd)].place = place;
    }

    /// Puts it among the suspects, if it is watched.
    pub(super) fn suspect(&mut self, fd: RawFd) {
        let Some(&Entry { wanted, place, .. }) = self.entry(fd) else {
            return;
        };
        if place == ABSENT && !wanted.is_empty() {
            self.set_place(fd, self.array.len());
            self.array.push(question(fd, wanted));
        }
    }

    /// Asks about all suspects, reports the guilty and lets the others go; whether there are
    /// signals to be read.
    pub(super) fn ask_all(
        &mut self,
        ready: &mut ReadyList,
        timeout: Option<Duration>,
    ) -> io::Result<bool> {
        match poll::poll(&mut self.array, timeout) {
            Ok(guilty) => {
                self.judge(FIRST, guilty, ready);
                Ok(self.array[0].revents != 0)
            }
            // There was nothing to be found just now, or it would not have been interrupted.
            Err(error) if is_interruption(&error) && timeout == Some(Duration::ZERO) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// As [`ask_all`](Self::ask_all), for those that have become suspects since there were `from`
    /// of them, if there is room for an answer.
    pub(super) fn ask_from(&mut self, from: usize, ready: &mut ReadyList) -> io::Result<()> {
        if from == self.array.len() || ready.is_full() {
            return Ok(());
        }
        match poll::poll(&mut self.array[from..], Some(Duration::ZERO)) {
            Ok(guilty) => self.judge(from, guilty, ready),
            Err(error) if is_interruption(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn judge(&mut self, from: usize, guilty: usize, ready: &mut ReadyList) {
        if guilty == 0 {
            self.next = self.array.len();
        } else {
            self.report(from, ready);
        }
        self.acquit(from);
    }

    /// Reports what is ready from `from` on, in turn.
    fn report(&mut self, from: usize, ready: &mut ReadyList) {
        let total = self.array.len();
        let start = if (from..total).contains(&self.next) {
            self.next
        } else {
            from
        };
        self.next = total;
        for place in (start..total).chain(from..start) {
            let PollFd { fd, revents, .. } = self.array[place];
            if revents == 0 {
                continue;
            }
            if ready.is_full() {
                self.next = place;
                break;
            }
            let readiness = Readiness::of_revents(revents);
            let entry = self.entry_mut(fd);
            if readiness.contains(Readiness::DEAD) {
                entry.armed = false;
            }
            ready.push(entry.token, readiness);
        }
    }

    /// Lets those go, from `from` on, that are not ready and will be announced by a signal.
    ///
    /// One that is to become writable stays: most sockets announce that only if a write has found
    /// no room before.
    fn acquit(&mut self, from: usize) {
        let total = self.array.len();
        let mut kept = from;
        let mut next = None;
        for place in from..total {
            if place == self.next {
                next = Some(kept);
            }
            let question = self.array[place];
            let entry = &mut self.entries[index(question.fd)];
            if question.revents == 0 && entry.armed && !entry.wanted.contains(Readiness::WRITABLE) {
                entry.place = ABSENT;
            } else {
                self.array[kept] = question;
                self.set_place(question.fd, kept);
                kept += 1;
            }
        }
        self.array.truncate(kept);
        self.next = next.unwrap_or(kept);
    }
}

impl std::fmt::Debug for Suspects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suspects")
            .field("number", &(self.array.len() - FIRST))
            .finish_non_exhaustive()
    }
}

fn question(fd: RawFd, wanted: Readiness) -> PollFd {
    PollFd {
        fd,
        events: wanted.to_events(),
        revents: 0,
    }
}

fn is_interruption(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::Interrupted
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn token(fd: RawFd) -> Token {
        Token::new(fd.cast_unsigned(), 1)
    }

    /// Some pairs, of which the first ends are watched, and a queue that is never readable.
    fn suspects(number: usize, wanted: Readiness) -> (Suspects, Vec<(UnixStream, UnixStream)>) {
        let pairs: Vec<_> = (0..=number).map(|_| UnixStream::pair().unwrap()).collect();
        let mut suspects = Suspects::beside(pairs[0].0.as_raw_fd());
        for (ours, _) in &pairs[1..] {
            let fd = ours.as_raw_fd();
            suspects.set_armed(fd, true);
            suspects.watch(fd, token(fd), wanted);
        }
        (suspects, pairs)
    }

    fn ask(suspects: &mut Suspects, limit: usize) -> Vec<Token> {
        let mut ready = ReadyList::with_limit(limit);
        assert!(!suspects.ask_all(&mut ready, Some(Duration::ZERO)).unwrap());
        std::iter::from_fn(|| ready.take())
            .map(|ready| ready.token)
            .collect()
    }

    #[test]
    fn only_what_is_ready_or_not_armed_is_asked_about_again() {
        let (mut suspects, pairs) = suspects(3, Readiness::READABLE);
        let [idle, readable, unarmed] = [1, 2, 3].map(|index| pairs[index].0.as_raw_fd());
        (&pairs[2].1).write_all(b"x").unwrap();
        suspects.set_armed(unarmed, false);
        assert_eq!(ask(&mut suspects, 9), [token(readable)]);
        let left: Vec<_> = suspects.array[FIRST..]
            .iter()
            .map(|entry| entry.fd)
            .collect();
        assert_eq!(left, [readable, unarmed]);

        suspects.unwatch(readable);
        assert_eq!(ask(&mut suspects, 9), []);
        assert_eq!(suspects.len(), FIRST + 1);
        for fd in [idle, readable, unarmed, 12_345, -1] {
            suspects.suspect(fd);
        }
        assert_eq!(
            suspects.len(),
            FIRST + 2,
            "one is not watched, one is there"
        );
    }

    #[test]
    fn one_that_waits_for_room_is_asked_about_until_there_is_some() {
        let (mut suspects, pairs) = suspects(1, Readiness::WRITABLE);
        let ours = &pairs[1].0;
        ours.set_nonblocking(true).unwrap();
        while (&*ours).write(&[0; 1024]).is_ok() {}
        for _ in 0..2 {
            assert_eq!(ask(&mut suspects, 9), []);
            assert_eq!(suspects.len(), FIRST + 1);
        }
    }

    #[test]
    fn what_did_not_fit_comes_first() {
        let (mut suspects, pairs) = suspects(5, Readiness::READABLE);
        for (_, theirs) in &pairs[2..] {
            (&*theirs).write_all(b"x").unwrap();
        }
        let tokens: Vec<_> = pairs[2..]
            .iter()
            .map(|(ours, _)| token(ours.as_raw_fd()))
            .collect();
        assert_eq!(ask(&mut suspects, 3), tokens[..3]);
        assert_eq!(ask(&mut suspects, 3), [tokens[3], tokens[0], tokens[1]]);
        (&pairs[1].1).write_all(b"x").unwrap();
        let named = pairs[1].0.as_raw_fd();
        suspects.suspect(named);
        assert_eq!(ask(&mut suspects, 3), [tokens[2], tokens[3], token(named)]);
    }
}
