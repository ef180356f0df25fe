//! The table of differences in `docs/backends.md` names tests that there are.

use std::fs;
use std::path::Path;

/// The files and tests of each row, as they stand between backquotes in its last column.
fn named_tests(page: &str) -> Vec<(&str, &str)> {
    let (_, table) = page.split_once("| behaviour |").unwrap();
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut named = Vec::new();
    for row in rows {
        let column = row.trim_end_matches('|').rsplit('|').next().unwrap();
        let words: Vec<_> = column.split('`').skip(1).step_by(2).collect();
        assert!(!words.is_empty() && words.len() % 2 == 0, "{row}");
        named.extend(words.chunks(2).map(|pair| (pair[0], pair[1])));
    }
    named
}

#[test]
fn every_difference_between_backends_is_pinned_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/backends.md")).unwrap();
    let named = named_tests(&page);
    assert!(named.len() > 10);
    for (file, test) in named {
        let source = fs::read_to_string(root.join(file)).unwrap();
        assert!(
            source.contains(&format!("fn {test}()")),
            "{file} has no {test}"
        );
    }
}
