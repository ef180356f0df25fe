//! How many descriptors the process may have.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::Error;

/// For the standard streams, the selectors and whatever else is open beside the channels.
const RESERVED: usize = 64;

/// Raises the soft limit to the hard one, as far as the system lets us, and tells what it is then.
pub fn raise() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    // Where the hard limit is more than the system can do, the soft one stays.
    let _ = setrlimit(Resource::Nofile, raised);
    let current = getrlimit(Resource::Nofile).current;
    current.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// How many channels fit that take `descriptors` each.
pub fn channels_that_fit(descriptors: usize) -> usize {
    raise().saturating_sub(RESERVED) / descriptors
}

/// Makes sure that `channels` fit that take `descriptors` each.
///
/// # Errors
///
/// [`Error::Request`] with what fits and what to do.
pub fn check(channels: usize, descriptors: usize) -> Result<(), Error> {
    let fit = channels_that_fit(descriptors);
    if channels <= fit {
        return Ok(());
    }
    let needed = channels
        .saturating_mul(descriptors)
        .saturating_add(RESERVED);
    Err(Error::Request(format!(
        "{channels} channels need {needed} descriptors ({descriptors} each, and {RESERVED} for \
         the rest), but this process may have {limit}: {fit} channels fit.\n\
         To allow more, raise the hard limit: `ulimit -n {needed}` as root in this shell, or \
         LimitNOFILE={needed} in the unit of a systemd service.",
        limit = raise(),
    )))
}

/// Makes sure that of `keys` keys `ready` can be ready.
///
/// # Errors
///
/// [`Error::Request`].
pub(crate) fn check_ready(ready: usize, keys: usize) -> Result<(), Error> {
    if ready <= keys {
        return Ok(());
    }
    let message = format!(
        "{ready} of {keys} keys cannot be ready: ask for more with --keys, or fewer with --ready"
    );
    Err(Error::Request(message))
}
