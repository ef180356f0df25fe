//! Aligned text.

use std::fmt;

/// Rows of cells under a header. The first columns are text, the others numbers.
pub(crate) struct Table {
    text_columns: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(
        text_columns: usize,
        header: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut table = Self {
            text_columns,
            rows: Vec::new(),
        };
        table.add(header);
        table
    }

    pub(crate) fn add<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.rows {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = self.width(column);
                if column < self.text_columns {
                    line += &format!("{cell:<width$}   ");
                } else {
                    line += &format!("{cell:>width$}   ");
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A quantity with as many digits as one can compare.
pub(crate) fn number(value: f64) -> String {
    if value < 0.1 {
        format!("{value:.4}")
    } else if value < 10.0 {
        format!("{value:.2}")
    } else if value < 1000.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_aligned_to_the_left_and_numbers_to_the_right() {
        let mut table = Table::new(1, ["backend", "ns"]);
        table.add(["poll", "48000"]);
        table.add(["epoll", "217"]);
        let expected = "backend      ns\npoll      48000\nepoll       217\n";
        assert_eq!(table.to_string(), expected);
    }

    #[test]
    fn small_numbers_have_more_decimals() {
        assert_eq!(
            [0.001_52, 1.234, 21.25, 48_000.4].map(number),
            ["0.0015", "1.23", "21.2", "48000"]
        );
    }
}
