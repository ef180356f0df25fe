//! Sides that are measured in turn, so that what disturbs the machine for a while meets all.

use std::io;

/// One side: does its part of a round, and tells what it took.
pub(super) type Side<'a, T> = Box<dyn FnMut() -> io::Result<T> + 'a>;

/// What each side took, one value for each round. Every round begins with another side; one round
/// before the first warms up and does not count.
pub(super) fn by_turns<T>(mut sides: Vec<Side<'_, T>>, rounds: usize) -> io::Result<Vec<Vec<T>>> {
    for side in &mut sides {
        side()?;
    }
    let mut taken: Vec<Vec<T>> = sides.iter().map(|_| Vec::with_capacity(rounds)).collect();
    for round in 0..rounds {
        for turn in 0..sides.len() {
            let index = (round + turn) % sides.len();
            taken[index].push(sides[index]()?);
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn rounds_begin_with_each_side_in_turn_and_the_first_does_not_count() {
        let order = RefCell::new(String::new());
        let order = &order;
        let side = |name: char| -> Side<'_, usize> {
            Box::new(move || {
                order.borrow_mut().push(name);
                Ok(order.borrow().len())
            })
        };
        let taken = by_turns(vec![side('a'), side('b')], 3).unwrap();
        assert_eq!(*order.borrow(), "ababbaab");
        assert_eq!(taken, [[3, 6, 7], [4, 5, 8]]);
    }

    #[test]
    fn a_side_that_fails_ends_it() {
        let fails: Side<'_, ()> = Box::new(|| Err(io::ErrorKind::Other.into()));
        assert!(by_turns(vec![fails], 1).is_err());
    }
}
